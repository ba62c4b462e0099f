/** What GitHub knows of events that svc may have missed: open issues, hooks and their deliveries. */
import { z } from "svc/core/zod.ts";
import { Failure } from "svc/core/failure.ts";
import {
  type ApiAnswer,
  type ApiRequest,
  codeHostApi,
  type CodeHostPlan,
  type CodeHostPorts,
} from "./code_host_api.ts";
import { saysIssuesAreOff } from "./code_host_refusal.ts";

/** Issues have up to 64 KiB of text each, and an answer may hold 4 MiB. */
const PER_PAGE = 50;
const PAGES = 20;

/** As the payload of a webhook holds it, too. */
const Issue = z.looseObject({
  number: z.int().positive(),
  state: z.enum(["open", "closed"]),
  updated_at: z.string(),
});
export type HostIssue = z.infer<typeof Issue>;

const Hook = z.object({
  id: z.int(),
  active: z.boolean(),
  config: z.object({ url: z.string().optional() }),
});

const Delivery = z.object({
  id: z.int(),
  guid: z.string().max(100),
  delivered_at: z.string(),
  status_code: z.int(),
});
export type HostDelivery = z.infer<typeof Delivery>;

/**
 * `maintain` is told as `write`, and `triage` as `read` (docs.github.com/rest/collaborators/collaborators, "Get
 * repository permissions for a user").
 */
const Permission = z.object({ permission: z.string() });

/** A person's, also of an enterprise, or an app's such as `renovate[bot]`; becomes a part of a path. */
const LOGIN = /^[A-Za-z0-9][\w-]{0,99}(?:\[bot\])?$/;

/** Each throws as `AskApi`. */
export interface CodeHostIntake {
  /** Without pull requests. `whole` is false where there are more than svc reads. */
  openIssues(label: string): Promise<{ readonly issues: HostIssue[]; readonly whole: boolean }>;
  /** Undefined when it was deleted, or transferred to another repo. */
  issue(number: number): Promise<HostIssue | undefined>;
  /** Ids of active hooks whose address ends so. */
  hooks(ending: string): Promise<number[]>;
  /** Newest first, back to that time in epoch ms. */
  deliveries(hook: number, since: number): Promise<HostDelivery[]>;
  redeliver(hook: number, delivery: number): Promise<void>;
  /** Whether the account may push to the repo. */
  mayWrite(login: string): Promise<boolean>;
}

const ISSUES = "read access to issues";
const HOOKS = "read and write access to webhooks";

export function codeHostIntake(ports: CodeHostPorts, plan: CodeHostPlan): CodeHostIntake {
  const ask = codeHostApi(ports, plan);

  async function pages<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    { shape, over = () => false, ...request }: Omit<ApiRequest<T[]>, "path"> & {
      readonly over?: (items: readonly T[]) => boolean;
    },
  ): Promise<{ readonly items: T[]; readonly whole: boolean }> {
    const items: T[] = [];
    let next: URLSearchParams | undefined = new URLSearchParams({
      ...query,
      per_page: String(PER_PAGE),
    });
    for (let page = 0; page < PAGES && next !== undefined; page++) {
      const answer: ApiAnswer<T[]> = await ask({ ...request, path: `${path}?${next}`, shape });
      items.push(...answer.data);
      if (over(answer.data)) return { items, whole: true };
      next = answer.next;
    }
    return { items, whole: next === undefined };
  }

  return {
    async openIssues(label) {
      const { items, whole } = await pages("issues", { state: "open", labels: label }, {
        ...{ doing: `list the issues with the label "${label}"`, needs: ISSUES },
        shape: z.array(Issue),
      });
      // GitHub lists pull requests among issues, and marks them with this key.
      return { issues: items.filter((issue) => issue.pull_request === undefined), whole };
    },
    async issue(number) {
      const doing = `read issue #${number}`;
      try {
        return (await ask({ doing, path: `issues/${number}`, shape: Issue, needs: ISSUES })).data;
      } catch (thrown) {
        // 301: transferred; 404, 410: deleted (docs.github.com/rest/issues/issues, "Get an issue").
        const { message } = Failure.from(thrown);
        if (/\((?:301|404)\)|answered 410/.test(message) && !saysIssuesAreOff(message)) {
          return undefined;
        }
        throw thrown;
      }
    },
    async hooks(ending) {
      const { items } = await pages("hooks", {}, {
        ...{ doing: "list the webhooks", needs: HOOKS },
        shape: z.array(Hook),
      });
      return items.filter(({ active, config }) =>
        active && URL.parse(config.url ?? "")?.pathname.endsWith(ending)
      ).map(({ id }) => id);
    },
    async deliveries(hook, since) {
      const old = ({ delivered_at }: HostDelivery) => Date.parse(delivered_at) < since;
      const { items } = await pages(`hooks/${hook}/deliveries`, {}, {
        ...{ doing: "list the deliveries of a webhook", needs: HOOKS },
        shape: z.array(Delivery),
        over: (page) => page.some(old),
      });
      return items.filter((delivery) => !old(delivery));
    },
    async redeliver(hook, delivery) {
      await ask({
        ...{ doing: "ask for a delivery again", needs: HOOKS, method: "POST" },
        ...{ path: `hooks/${hook}/deliveries/${delivery}/attempts`, shape: z.unknown() },
      });
    },
    async mayWrite(login) {
      if (!LOGIN.test(login)) return false;
      const { data } = await ask({
        ...{ doing: `ask whether "${login}" may write`, needs: "read access to metadata" },
        ...{ path: `collaborators/${encodeURIComponent(login)}/permission`, shape: Permission },
      });
      return data.permission === "admin" || data.permission === "write";
    },
  };
}
