/** Asks a repo's code host what a service missed while it was down: deliveries, and the state of issues. */
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
import { type AskedHost, askedHost } from "./asked_host.ts";

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

/** The host sends the deliveries to the listener again, with their original ids. */
async function askAgain(
  { db, clock, signal }: RuntimePorts,
  { intake }: AskedHost,
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
  { remote, intake }: AskedHost,
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
  const done = { requests: 0, redeliveries: 0 };
  const asked = await askedHost(ports, repo);
  if (asked === undefined) return done;
  const tried = (what: () => Promise<void>) => asked.tried("missed events", what);
  // Issues first: what they tell is newer than a delivery, and so wins by its time.
  await tried(async () => {
    for await (const draft of comparedIssues(ports, repo, asked, memory)) {
      if (await isNewRequest(ports, repo, draft)) done.requests++;
    }
  });
  if (await asked.limited()) return done;
  await tried(async () => void (done.redeliveries = await askAgain(ports, asked)));
  return done;
}
