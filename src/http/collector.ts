/** The collector of anonymous reports: one route on a loopback address, for programs and not for browsers. */
import { HTTP_RETRY_SECS } from "svc/core/bounds.ts";
import { loopbackAddress } from "svc/core/loopback.ts";
import type { TakenReport } from "svc/features/telemetry/intake_store.ts";
import { Report } from "svc/features/telemetry/report.ts";
import { REPORT_BYTES, REPORT_PATH, REPORT_VERSION } from "svc/features/telemetry/report_terms.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import { type Listener, listenLoopback } from "svc/platform/net/listen.ts";
import { sameDigest, secretDigest } from "svc/platform/net/secret_digest.ts";
import { answer, type HttpAnswer, refusal, tooMany } from "./answer.ts";
import { Bucket } from "./bucket.ts";
import { gate } from "./gate.ts";
import { ownHosts } from "./own_hosts.ts";
import type { HttpRoute, RouteCall } from "./route.ts";
import { strictJson } from "./strict_json.ts";

/** A sender sends one a day by default. */
const REPORTS_PER_MINUTE = 600;
const REPORTS_AT_ONCE = 200;

/** Wrong tokens a minute, so that nobody guesses one, and who has the right one is not kept out. */
const WRONG_PER_MINUTE = 60;

const CLOSE = { connection: "close" };
/** RFC 6750, section 3. */
const UNAUTHORIZED = refusal(401, "unauthorized", { ...CLOSE, "www-authenticate": "Bearer" });
const AGAIN = refusal(503, "not stored; send it again", { "retry-after": String(HTTP_RETRY_SECS) });
const NO_REPORT = refusal(400, `send a report of schema_version ${REPORT_VERSION}`);
const OTHER_KEY = refusal(400, "Idempotency-Key is not the report_id");

const ANSWERS: Readonly<Record<TakenReport, HttpAnswer>> = {
  stored: answer(202, { ok: true }),
  seen: answer(200, { ok: true, duplicate: true }),
  taken: refusal(409, "another report has this report_id"),
  full: refusal(507, "the collector is full"),
};

export interface CollectorPlan {
  /** Port 0 asks for a free one. */
  readonly addr: string;
  /** Undefined: everybody on this machine may send. */
  readonly token: string | undefined;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly log: Pick<Log, "write">;
  /** Returns when the report is durable. */
  take(report: { readonly id: string; readonly body: string }): Promise<TakenReport>;
  /** Called for each request that stored nothing and was no repetition: a wrong token, body or address too. */
  refused(): void;
}

/** Undefined for who may send; told by the head, before a byte of the body is read. */
function admission({ token, clock }: CollectorPlan): NonNullable<HttpRoute["needs"]> {
  const wanted = token === undefined ? undefined : secretDigest(token);
  const reports = new Bucket(clock, REPORTS_PER_MINUTE, REPORTS_AT_ONCE);
  const wrong = new Bucket(clock, WRONG_PER_MINUTE, WRONG_PER_MINUTE);
  const closing = (wait: number) => {
    const { headers, ...rest } = tooMany("reports", wait);
    return { ...rest, headers: { ...headers, ...CLOSE } };
  };
  return (header) => {
    if (wanted !== undefined) {
      const [, given = ""] = /^Bearer +(\S+)$/i.exec(header("authorization") ?? "") ?? [];
      if (!sameDigest(secretDigest(given), wanted)) {
        const wait = wrong.take();
        return wait === undefined ? UNAUTHORIZED : closing(wait);
      }
    }
    const wait = reports.take();
    return wait === undefined ? undefined : closing(wait);
  };
}

async function received(
  { take, log }: CollectorPlan,
  { body, header }: Pick<RouteCall, "body" | "header">,
): Promise<HttpAnswer> {
  const parsed = Report.safeParse(strictJson(body)?.value);
  if (!parsed.success) return NO_REPORT;
  const id = parsed.data.report_id;
  // draft-ietf-httpapi-idempotency-key-header; curl and others may leave it out.
  const key = header("idempotency-key");
  if (key !== null && key !== id) return OTHER_KEY;
  try {
    return ANSWERS[await take({ id, body: new TextDecoder().decode(body) })];
  } catch (cause) {
    log.write("error", "a report was not stored", { cause });
    return AGAIN;
  }
}

/** @throws Failure `usage`, before anything is bound, for an address that is no loopback one */
export function collectorListener(plan: CollectorPlan): Listener {
  const address = loopbackAddress(plan.addr);
  const { clock, log } = plan;
  const route: HttpRoute = {
    method: "POST",
    path: REPORT_PATH,
    // Browsers are kept out: a page of another site could send to this machine.
    access: "signed",
    body: { kind: "raw", maxBytes: REPORT_BYTES },
    needs: admission(plan),
    handle: (call) => received(plan, call),
  };
  const judged = gate({
    routes: [route],
    hosts: () => ownHosts(listener.address),
    clock,
    log,
  });
  const listener: Listener = listenLoopback(address, async (request, connection) => {
    const response = await judged(request, connection);
    if (!response.ok) plan.refused();
    return response;
  });
  return listener;
}
