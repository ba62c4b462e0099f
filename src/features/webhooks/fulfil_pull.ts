/** Requests about pull requests that svc handed in: changes asked for, failed checks, their end. */
import { WEBHOOK_FAILED_CHECKS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { trustOfTicket } from "svc/features/jobs/order_job.ts";
import { roleFor } from "svc/features/routing/choose.ts";
import { notePullRequest } from "svc/features/routing/pull_request_store.ts";
import {
  lastBlockOf,
  pendingSettlements,
  recordSettlement,
  settle,
} from "svc/features/routing/settlement_store.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { Db } from "svc/store/schema.ts";
import {
  actorOf,
  cancelJobs,
  dropped,
  type Fulfilment,
  markOf,
  moveOwed,
  onTickets,
  type OwedMove,
  quotedTexts,
  quotedWords,
  type RequestWork,
  settlementOfPull,
  ticketOfPull,
} from "./fulfilment.ts";
import { endReviews, queueRole } from "./queue_role.ts";
import type { RequestItems } from "./request.ts";
import { eventsOfPull, failedChecksOf, sentBackText } from "./request_store.ts";

/** So many of a branch's newest commits are looked at: checks of those before ended long ago. */
const BRANCH_COMMITS = 100;

/** All threads of a review have so many together: whoever mends the work has no other way to read them. */
const REVIEW_CHARS = 12_000;

interface SentBack {
  readonly reason: string;
  readonly giveUp?: string | undefined;
}

/** The work of a ticket is no longer approved. */
async function withdrawMerges(
  { repo }: RequestWork,
  db: Db,
  ticket: Ticket,
  now: number,
): Promise<void> {
  for (const { id, ticket_id, merge_from } of await pendingSettlements(db, repo.id)) {
    if (ticket_id !== ticket.id || merge_from === null) continue;
    await settle(db, id, { state: "superseded", outcome: "changes were asked for", now });
  }
}

async function noted(work: RequestWork, { id }: Ticket, reason: string): Promise<void> {
  const mark = await markOf(work);
  const note = { what: `${reason} ${mark}`, actor: actorOf(work), unless: mark };
  await work.repo.tickets.note(id, note);
}

/** Sends a ticket back to the role that did the work, also when it has no live job. */
async function sendBack(
  work: RequestWork,
  ticket: Ticket,
  { reason, giveUp }: SentBack,
): Promise<Fulfilment> {
  const { manifest } = work;
  const { id, state } = ticket;
  if (state === "done" || state === "backlog") return dropped(`${id} is ${state}`, ticket);
  const over = state === "review" && ticket.rework + 1 > manifest.dispatch.max_rework
    ? "Settle what the role and its reviewers disagree on, then unblock it"
    : undefined;
  const action = giveUp ?? over;
  const role = roleFor({ state: "in-progress", role: ticket.role }, manifest);
  const blocks = state !== "blocked" && (action !== undefined || role === undefined);
  if (state === "blocked" || (state === "in-progress" && !blocks)) {
    await noted(work, ticket, reason);
  }
  if (state === "blocked") return { state: "done", outcome: `noted; ${id} is blocked`, ticket };
  const unblock = {
    owner: "maintainer",
    action: action ?? `Name a role of the manifest in ${ticket.path}, then unblock it`,
  };
  return {
    state: "done",
    outcome: blocks ? `${id} blocked` : sentBackText(id),
    ticket,
    async write(db, now) {
      await withdrawMerges(work, db, ticket, now);
      const move: OwedMove | undefined = blocks
        ? { ticket, to: "blocked", reason, unblock }
        : state === "review"
        ? { ticket, to: "in-progress", reason }
        : undefined;
      if (move !== undefined) await recordSettlement(db, moveOwed(work, move, now));
      if (blocks || manifest.dispatch.mode === "manual") return;
      await queueRole(work, db, { role: role!, ticket, trust: trustOfTicket(ticket) }, now);
    },
  };
}

export async function fulfilRework(
  work: RequestWork,
  items: readonly [RequestItems["rework"], ...RequestItems["rework"][]],
): Promise<Fulfilment> {
  const asking = items.filter(({ asks }) => asks);
  if (asking.length === 0) return dropped("no review asked for changes");
  return await onTickets(work, async (tickets) => {
    const pull = items.at(-1)!.pull;
    const ticket = await ticketOfPull(work, tickets, pull);
    if (ticket === undefined) return dropped(`no ticket of pull request #${pull.number}`);
    const said = [...asking, ...items.filter(({ asks }) => !asks)]
      .map(({ by, text }) => `${by}: ${text}`);
    const words = quotedTexts(work, said, REVIEW_CHARS).join(" | ");
    const reason = `changes requested on #${pull.number}: ${words}`;
    return await sendBack(work, ticket, { reason });
  });
}

/** Checks of one commit may end long after those of the next; what svc does not have is of a person. */
async function isOlder(
  { repo: { git } }: RequestWork,
  { branch, sha }: Pick<RequestItems["failed_check"], "branch" | "sha">,
): Promise<boolean> {
  const log = await git.log({ ref: `refs/heads/${branch}`, max: BRANCH_COMMITS }).catch(
    (thrown) => {
      if (Failure.from(thrown).code !== "environment") throw thrown;
      return []; // there is no such branch here
    },
  );
  return log.findIndex(({ id }) => id === sha) > 0;
}

export async function fulfilFailedCheck(
  work: RequestWork,
  request: RequestItems["failed_check"],
): Promise<Fulfilment> {
  const { branch, sha, name, text, url } = request;
  return await onTickets(work, async (tickets) => {
    const ticket = tickets.find((ticket) => ticket.branch === branch);
    if (ticket === undefined) return dropped(`no ticket of branch ${branch}`);
    const { ports, repo } = work;
    const older = ticket.state === "review" && await isOlder(work, request);
    // Whoever unblocked it has granted new tries.
    const blockedAt = (await lastBlockOf(ports.db, repo.id, ticket.id))?.settled_at ?? 0;
    const times = await failedChecksOf(ports.db, repo.id, ticket.id, blockedAt);
    const tail = quotedWords(work, text.slice(-1_500));
    const where = [url, tail].filter((part) => part !== "").join(" ");
    const at = `${sha.slice(0, 12)}${older ? ", not its newest commit" : ""}`;
    const reason = `${quotedWords(work, name)} failed at ${at}: ${where}`;
    if (older) {
      await noted(work, ticket, reason);
      return { state: "done", outcome: `noted; ${branch} has moved on since`, ticket };
    }
    const giveUp = times < WEBHOOK_FAILED_CHECKS
      ? undefined
      : `Mend what fails on ${branch}, then unblock it`;
    return await sendBack(work, ticket, { reason, giveUp });
  });
}

/** Moves that end a ticket whose pull request has ended; none where a person decides. */
function endOf(ticket: Ticket, reason: string, merged: boolean): OwedMove[] {
  const { id, state } = ticket;
  if (state !== "review" && state !== "in-progress") return [];
  if (!merged) {
    const action =
      "Say in the ticket what must change, or reopen the pull request, then unblock it";
    return [{ ticket, to: "blocked", reason, unblock: { owner: "maintainer", action } }];
  }
  const done: OwedMove = { ticket: { id, state: "review" }, to: "done", reason };
  return state === "review" ? [done] : [{ ticket, to: "review", reason }, done];
}

export async function fulfilClosed(
  work: RequestWork,
  { pull, merged, by }: RequestItems["closed"],
): Promise<Fulfilment> {
  const reviews = (db: Db, now: number) => endReviews(work, db, pull, now);
  const waits = await settlementOfPull(work, pull);
  if (waits !== undefined) {
    // The settlement asks the code host itself: a webhook may hurry it, but is no evidence.
    return {
      state: "done",
      outcome: `asks at once what became of #${pull.number}`,
      async write(db, now) {
        await notePullRequest(db, waits.id, { askAt: now });
        await reviews(db, now);
      },
    };
  }
  return await onTickets(work, async (tickets) => {
    const ticket = await ticketOfPull(work, tickets, pull);
    const about = `pull request #${pull.number}`;
    if (ticket === undefined) {
      return { state: "dropped", outcome: `no ticket of ${about}`, write: reviews };
    }
    const reason = merged
      ? `${about} was merged by ${by}: ${pull.url}`
      : `pr_closed: ${about} was closed by ${by} and not merged: ${pull.url}`;
    const moves = endOf(ticket, reason, merged);
    if (moves.length === 0) return dropped(`${ticket.id} is ${ticket.state}`, ticket);
    return {
      state: "done",
      outcome: `${ticket.id}: ${merged ? "done" : "pr_closed"}`,
      ticket,
      async write(db, now) {
        await cancelJobs(work, db, ticket, { reason, now });
        for (const [at, move] of moves.entries()) {
          await recordSettlement(db, moveOwed(work, move, now + at));
        }
        await reviews(db, now);
      },
    };
  });
}

/** Events come in any order, and missed ones days later: the last one by the sender's clock counts. */
export async function pullMovedOn(
  { ports, row }: RequestWork,
  { pull: { number }, at }: RequestItems["review"],
): Promise<Fulfilment | undefined> {
  const now = Date.parse(at ?? "");
  const later = (await eventsOfPull(ports.db, row, number))
    .filter((other) => Date.parse(other.at ?? "") > now);
  if (later.length === 0) return undefined;
  const closed = later.some(({ kind }) => kind === "closed");
  return dropped(closed ? `#${number} was closed since` : `#${number} has a newer state`);
}
