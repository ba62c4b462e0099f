/** Carries out what a person asks for by POST: an answer, or a refusal that reveals nothing else. */
import { HTTP_RETRY_SECS } from "svc/core/bounds.ts";
import { Failure, type FailureCode } from "svc/core/failure.ts";
import type { Log } from "svc/platform/log.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { DatabaseFailure } from "svc/store/database_failure.ts";
import { answer, type HttpAnswer, refusal } from "./answer.ts";
import type { RouteCall, RouteHandler } from "./route.ts";

/** Who asks, in what is stored of it. */
export const BY_HAND = "from the dashboard";

export interface MutationPorts {
  readonly service: Pick<Service, "status">;
  readonly log: Pick<Log, "write">;
}

/** Failures caused by the request: their text helps, and reveals nothing else. */
const CALLER_FAULTS: readonly FailureCode[] = [
  "usage",
  "not_found",
  "conflict",
  "refused",
  "too_busy",
];

const isCallersFault = (failure: Failure) =>
  CALLER_FAULTS.includes(failure.code) && !(failure instanceof DatabaseFailure);

type MutationResult = Readonly<Record<string, unknown>>;
type StatusByCode = Readonly<Partial<Record<FailureCode, number>>>;

/** A refusal with a status of its own, and facts beside its text. */
export class RefusedWith extends Failure {
  constructor(readonly status: number, message: string, readonly facts: MutationResult) {
    super("conflict", message);
  }
}

/** Replaces the paths of registered repos by their names (spec section 2.2). */
async function withoutPaths({ service }: MutationPorts, text: string): Promise<string> {
  const { repos } = await service.status();
  return repos.toSorted((a, b) => b.root.length - a.root.length)
    .reduce((said, { root, basename }) => said.replaceAll(root, () => basename), text);
}

/** A 429 says when to ask again (spec section 7). */
function retryAfter({ detail }: Failure): Readonly<Record<string, string>> {
  return { "retry-after": String(Math.max(1, detail.retryAfterSecs ?? HTTP_RETRY_SECS)) };
}

/**
 * @param name as the error says it: "scan the repo"
 * @param statuses in place of those of `Failure`
 */
export function mutation(
  ports: MutationPorts,
  name: string,
  act: (call: RouteCall) => Promise<MutationResult | void>,
  statuses: StatusByCode = {},
): RouteHandler {
  return {
    async handle(call): Promise<HttpAnswer> {
      try {
        return answer(200, { ok: true, ...await act(call) });
      } catch (thrown) {
        const failure = Failure.from(thrown);
        if (isCallersFault(failure)) {
          const error = await withoutPaths(ports, failure.message);
          if (failure instanceof RefusedWith) {
            return answer(failure.status, { ok: false, error, ...failure.facts });
          }
          const status = statuses[failure.code] ?? failure.http;
          // Those of a code alone speak of the command line.
          const { remedy } = failure.detail;
          const told = remedy && { remedy: await withoutPaths(ports, remedy) };
          const headers = status === 429 ? retryAfter(failure) : {};
          return { ...answer(status, { ok: false, error, ...told }), headers };
        }
        ports.log.write("error", `could not ${name}`, { cause: thrown });
        return refusal(500, `Cannot ${name}; the command log says why`);
      }
    },
  };
}
