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
  type DoubtfulIssue,
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

/** What a service keeps between its surveys. */
export interface SurveyMemory {
  /** Logins of svc's own accounts, in lower case. */
  readonly own: ReadonlySet<string>;
  /** Tickets whose issues were asked for since all of a repo were, by the repo's id. */
  readonly asked: Map<string, Set<string>>;
}

interface HostAsked {
  readonly remote: string;
  readonly intake: CodeHostIntake;
}

/** The host sends the deliveries to the listener again, with their original ids. */
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

/** Those that were not asked for since all were, so that each has its turn. */
function nextDoubtful(all: readonly DoubtfulIssue[], asked: Set<string>): DoubtfulIssue[] {
  if (all.every(({ ticket }) => asked.has(ticket.id))) asked.clear();
  return all.filter(({ ticket }) => !asked.has(ticket.id)).slice(0, AT_ONCE);
}

/** The requests that their webhooks would have made, each as soon as it is known. */
async function* comparedIssues(
  { db, clock }: RuntimePorts,
  repo: Repo,
  { remote, intake }: HostAsked,
  { own, asked }: SurveyMemory,
): AsyncGenerator<RequestDraft> {
  const { manifest } = await repo.manifest();
  // Another branch may lack tickets that are done, whose issues would get second ones.
  if (manifest === undefined || await repo.branch() !== repo.baseBranch) return;
  const lists = [];
  for (const label of labelsOf(manifest)) lists.push(await intake.openIssues(label));
  const issues = lists.flatMap((list) => list.issues);
  const { tickets } = await repo.tickets.list();
  yield* issuesWithoutTicket(remote, issues, { tickets, own });
  if (!lists.every(({ whole }) => whole)) return;
  const askedHere = asked.getOrInsertComputed(repo.id, () => new Set());
  for (const one of nextDoubtful(doubtfulIssues(issues, tickets), askedHere)) {
    askedHere.add(one.ticket.id); // before its answer: one that always fails does not keep the rest away
    const issue = await intake.issue(one.number);
    const block = await lastBlockOf(db, repo.id, one.ticket.id);
    const draft = missedEnd(remote, one, { issue, block, now: clock.now() });
    if (draft !== undefined) yield draft;
  }
}

async function isNewRequest(
  { db, clock }: RuntimePorts,
  { id }: Repo,
  draft: RequestDraft,
): Promise<boolean> {
  const event = `github.issues.${draft.kind === "ticket" ? "labeled" : "closed"}`;
  const request = { repo_id: id, source: "github", event, draft } as const;
  const how = await db.transaction().execute((tx) => addRequest(tx, request, clock.now()));
  return how === "added";
}

/**
 * Both are tried, since a token may allow only one of them; what it does not allow is logged. Never throws
 * because of the host.
 */
export async function catchUp(
  ports: RuntimePorts,
  repo: Repo,
  memory: SurveyMemory,
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
  async function tried(what: () => Promise<void>): Promise<void> {
    try {
      await what();
      await limitOver(db, host!);
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "internal" || failure.code === "interrupted") throw thrown;
      if (failure instanceof LimitReached) await noteLimit(db, host!, failure, clock.now());
      const { message, remedy } = failure;
      log.write("warn", `missed events: ${message}`, { repo: repo.root, remedy });
    }
  }
  const done = { ...nothing };
  // Issues first: what they tell is newer than a delivery, and so wins by its time.
  await tried(async () => {
    for await (const draft of comparedIssues(ports, repo, asked, memory)) {
      if (await isNewRequest(ports, repo, draft)) done.requests++;
    }
  });
  if (await limitNow(db, host, clock.now()) !== undefined) return done;
  await tried(async () => void (done.redeliveries = await askAgain(ports, asked)));
  return done;
}
