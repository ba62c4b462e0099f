/** Takes back what a person decided, while nothing has followed it. */
import { Failure } from "svc/core/failure.ts";
import { endWaiver } from "svc/features/checks/waiver_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobBegunSince, jobById } from "svc/features/jobs/job_views.ts";
import { pauseLane } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import { cancelJob } from "svc/features/jobs/order_job.ts";
import { decisionById } from "svc/features/routing/decision_store.ts";
import { type Decision, PERSON_RULE } from "svc/features/routing/decision_table.ts";
import { settle, settlementOfDecision } from "svc/features/routing/settlement_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { amendTicket } from "svc/features/tickets/amend_ticket.ts";
import type { FrontEdits } from "svc/features/tickets/front_edit.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type { Db } from "svc/store/schema.ts";
import { type ActContext, acted, mustBeHost, mustRest, PERSON_UNDO_MS } from "./act_context.ts";
import type { PersonActed } from "./person_act.ts";
import {
  inputsOf,
  newDecisionId,
  type PersonInputs,
  recordPersonDecision,
  undoneBy,
} from "./person_decision.ts";

const command = (id: string) => `svc inbox undo ${id}`;

/** @throws Failure `not_found` for what no person decided */
export async function personDecision(db: Db, id: string): Promise<Decision> {
  const found = await decisionById(db, id);
  if (found?.rule === PERSON_RULE) return found;
  throw new Failure("not_found", `Cannot undo ${id}: no person decided it`, {
    remedy: "svc inbox lists what can be undone",
  });
}

const TAKEN_BACK = " took the decision back";

/** An undo that broke off has cancelled the job, and is made by the next try. */
const wasTakenBack = ({ started_at, disposition, reason }: Job) =>
  started_at === null && disposition === "cancelled" && (reason?.endsWith(TAKEN_BACK) ?? false);

/** Why it cannot be taken back any more; undefined where it can. */
export async function whyNoUndo(
  db: Db,
  decision: Decision,
  now: number,
): Promise<string | undefined> {
  const { undo, undoes } = inputsOf(decision);
  if (undo === undefined || undoes !== undefined) return "it is of those that cannot be undone";
  if (now - decision.at > PERSON_UNDO_MS) {
    return `it is more than ${PERSON_UNDO_MS / 60_000} minutes old`;
  }
  if (await undoneBy(db, decision) !== undefined) return "it is undone already";
  const next = decision.next_job === null ? undefined : await jobById(db, decision.next_job);
  if (next !== undefined && next.status !== "pending" && !wasTakenBack(next)) {
    return next.started_at === null
      ? `its next job was ended since: ${next.reason ?? "it is not said why"}`
      : `"${next.role}" has begun since`;
  }
  const { repo_id: repoId, ticket_id: ticketId, at: since } = decision;
  // Putting a ticket back queues no job: the dispatcher does that later.
  const begun = ticketId === null
    ? undefined
    : await jobBegunSince(db, { repoId, ticketId, since });
  if (begun !== undefined) return `"${begun.role}" has begun since`;
  const owed = await settlementOfDecision(db, decision.id);
  if (inputsOf(decision).act === "approve" && owed?.state !== "pending") {
    return owed?.state === "done"
      ? `it is merged; in the repo: git revert -m 1 <the merge of ${owed.merge_from}>`
      : `it is over: ${owed?.outcome ?? "something else came first"}`;
  }
  return undefined;
}

/** The ticket as it was, in a commit of its own. */
async function ticketBack(
  { repo, by }: ActContext,
  decision: Decision,
  { before, after, act }: PersonInputs,
): Promise<readonly [TicketState, TicketState] | undefined> {
  const id = decision.ticket_id!;
  const { ticket } = await repo.tickets.find(id);
  const fields = before as Record<string, FrontEdits[string]> & { readonly state?: TicketState };
  const sentBack = act === "send-back";
  // Its move may not be made yet: then there is nothing to put back.
  if (sentBack && ticket.state === "review") return undefined;
  const { state: to = "review", ...edits } = fields;
  // Times in tickets have a resolution of one second, and a quick job can move a ticket within that second.
  const from = (decision.move?.split(" → ")[1] ?? to) as TicketState;
  await amendTicket(repo, id, {
    ...{ from, to, actor: by },
    seen: sentBack ? ticket.updated : after as string,
    edits,
    what: `${ticket.state} → ${to}: took back what a person decided`,
    subject: `put ${id} back to ${to}`,
  });
  return [ticket.state, to];
}

async function takeBack(
  tx: Db,
  context: ActContext,
  decision: Decision,
  { now, inputs }: { readonly now: number; readonly inputs: PersonInputs },
): Promise<void> {
  const reason = `${context.by}${TAKEN_BACK}`;
  if (decision.next_job !== null) await cancelJob(tx, decision.next_job, reason, now);
  const owed = await settlementOfDecision(tx, decision.id);
  if (owed?.state === "pending") {
    await settle(tx, owed.id, { state: "superseded", outcome: reason, now });
  }
  if (inputs.act === "waive-checks") await endWaiver(tx, context.repo.id);
  if (inputs.act === "resume-role" || inputs.act === "resume-model") {
    const { kind, key, reason: why, category, until } = inputs.lane as Lane;
    await pauseLane(tx, {
      ...{ kind, key, reason: why },
      ...(category !== null && { category }),
      ...(until !== null && { until }),
    }, now);
  }
}

/** @throws Failure `conflict` with why it cannot be undone any more */
export async function undoDecision(
  context: ActContext,
  decision: Decision,
): Promise<PersonActed> {
  const { ports, repo, by, named } = context;
  const { db, clock, redact } = ports;
  const doing = `undo ${decision.id}`;
  mustBeHost(ports, doing, command(decision.id));
  const why = await whyNoUndo(db, decision, clock.now());
  if (why !== undefined) {
    throw new Failure("conflict", `Cannot ${doing}: ${why}`, {
      remedy: decision.ticket_id === null ? "svc inbox" : `svc tickets show ${decision.ticket_id}`,
    });
  }
  const inputs = inputsOf(decision);
  const { ticket_id: ticket } = decision;
  if (ticket !== null) await mustRest(db, repo, ticket, doing);
  const putsBack = ticket !== null && inputs.before !== undefined;
  // Asked first: where git takes no commit now, the job that waits must not be cancelled for nothing.
  if (putsBack) await repo.commits.mustTakeCommits(repo.git, doing);
  const now = clock.now();
  // A waiting job must not begin in between, so it is stopped before the ticket goes back.
  await db.transaction().execute((tx) => takeBack(tx, context, decision, { now, inputs }));
  const moved = putsBack ? await ticketBack(context, decision, inputs) : undefined;
  const id = newDecisionId(now);
  const outcome = moved === undefined
    ? `taken back: ${inputs.outcome}`
    : `${ticket} is ${moved[1]} again`;
  await db.transaction().execute(async (tx) => {
    await recordPersonDecision(tx, {
      ...{ id, repoId: repo.id, disposition: "cancelled" },
      ...(ticket !== null && { ticket }),
      inputs: {
        ...{ act: "undo", by, outcome, undoes: decision.id },
        ...named,
      },
      move: moved === undefined || moved[0] === moved[1] ? undefined : moved.join(" → "),
    }, { now, redact });
    if (moved === undefined || moved[0] === moved[1]) return;
    const data = { repo_id: repo.id, ticket_id: ticket, from: moved[0], to: moved[1] };
    await recordEvent(tx, { type: "ticket_update", repoId: repo.id, data }, now);
  });
  return acted(id, { outcome });
}
