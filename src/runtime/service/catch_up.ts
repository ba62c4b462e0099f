/** Asks a repo's code host what a service missed while it was down: deliveries, and the state of issues. */
import { Failure } from "svc/core/failure.ts";
import { codeHostPlace } from "svc/features/access/code_host_access.ts";
import { type CodeHostIntake, codeHostIntake } from "svc/features/access/code_host_intake.ts";
import { codeHostLogin } from "svc/features/access/code_host_login.ts";
import { LimitReached } from "svc/features/access/code_host_refusal.ts";
import { limitNow, limitOver, noteLimit } from "svc/features/access/host_limit_store.ts";
import { lastBlockOf } from "svc/features/routing/settlement_store.ts";
import { labelsOf } from "svc/features/webhooks/take_delivery.ts";
import { takenDeliveries } from "svc/features/webhooks/delivery_store.ts";
import {
  doubtfulIssues,
  issuesWithoutTicket,
  missedDeliveries,
  missedEnd,
  REDELIVERY_MS,
} from "svc/features/webhooks/missed.ts";
import type { RequestDraft } from "svc/features/webhooks/request.ts";
import { addRequest } from "svc/features/webhooks/request_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** GitHub asks for a second between requests that change something ("Best practices for using the REST API"). */
const BETWEEN_MS = 1_000;

/** In one survey; the rest waits for the next. */
const AT_ONCE = 50;

export interface CaughtUp {
  readonly requests: number;
  readonly redeliveries: number;
}

interface HostAsked {
  readonly remote: string;
  readonly intake: CodeHostIntake;
}

/** Deliveries come to the listener as if for the first time, with the ids that they had. */
async function askAgain(
  { db, clock, signal }: RuntimePorts,
  { intake }: HostAsked,
): Promise<number> {
  let asked = 0;
  for (const hook of await intake.hooks("/webhooks/github")) {
    const deliveries = await intake.deliveries(hook, clock.now() - REDELIVERY_MS);
    const taken = await takenDeliveries(db, "github", deliveries.map(({ guid }) => guid));
    for (const { id } of missedDeliveries(deliveries, taken).slice(0, AT_ONCE - asked)) {
      if (asked > 0) await clock.sleep(BETWEEN_MS, signal);
      await intake.redeliver(hook, id);
      asked++;
    }
  }
  return asked;
}

/** @param own logins of svc's own accounts, in lower case */
async function compareIssues(
  ports: RuntimePorts,
  repo: Repo,
  { remote, intake }: HostAsked,
  own: ReadonlySet<string>,
): Promise<number> {
  const { db, clock } = ports;
  const { manifest } = await repo.manifest();
  // Another branch may lack tickets that are done, whose issues would get second ones.
  if (manifest === undefined || await repo.branch() !== repo.baseBranch) return 0;
  const lists = [];
  for (const label of labelsOf(manifest)) lists.push(await intake.openIssues(label));
  const issues = lists.flatMap((list) => list.issues);
  const { tickets } = await repo.tickets.list();
  const drafts: RequestDraft[] = issuesWithoutTicket(remote, issues, { tickets, own });
  const doubtful = lists.every(({ whole }) => whole) ? doubtfulIssues(issues, tickets) : [];
  for (const one of doubtful.slice(0, AT_ONCE)) {
    const issue = await intake.issue(one.number);
    const block = await lastBlockOf(db, repo.id, one.ticket.id);
    const draft = missedEnd(remote, one, { issue, block, now: clock.now() });
    if (draft !== undefined) drafts.push(draft);
  }
  let added = 0;
  for (const draft of drafts) {
    const event = `github.issues.${draft.kind === "ticket" ? "labeled" : "closed"}`;
    const request = { repo_id: repo.id, source: "github", event, draft } as const;
    const how = await db.transaction().execute((tx) => addRequest(tx, request, clock.now()));
    if (how === "added") added++;
  }
  return added;
}

/** Both are tried, for a token may allow one alone; what it does not allow is logged. Never throws because of the host. */
export async function catchUp(
  ports: RuntimePorts,
  repo: Repo,
  own: ReadonlySet<string>,
): Promise<CaughtUp> {
  const nothing = { requests: 0, redeliveries: 0 };
  const { host, remote } = repo.place ?? {};
  const { db, clock, log, fetch, redact, signal } = ports;
  if (host === undefined || remote === undefined) return nothing;
  const at = await codeHostPlace(ports, host, ports.codeHost);
  if (at.api === undefined || await limitNow(db, host, clock.now()) !== undefined) return nothing;
  const login = await codeHostLogin(ports, at, { remote, refuseUnder: [repo.git.root], signal });
  if (login === undefined) return nothing;
  const plan = { remote, token: login.password, api: at.api, web: at.web, tokenWay: at.tokenWay };
  const asked = { remote, intake: codeHostIntake({ fetch, clock, redact, signal }, plan) };
  async function tried(what: () => Promise<number>): Promise<number> {
    try {
      const count = await what();
      await limitOver(db, host!);
      return count;
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "internal" || failure.code === "interrupted") throw thrown;
      if (failure instanceof LimitReached) await noteLimit(db, host!, failure, clock.now());
      const { message, remedy } = failure;
      log.write("warn", `missed events: ${message}`, { repo: repo.root, remedy });
      return 0;
    }
  }
  // Issues first: what they tell is newer than a delivery, and so wins by its time.
  const requests = await tried(() => compareIssues(ports, repo, asked, own));
  const limited = await limitNow(db, host, clock.now()) !== undefined;
  const redeliveries = limited ? 0 : await tried(() => askAgain(ports, asked));
  return { requests, redeliveries };
}
