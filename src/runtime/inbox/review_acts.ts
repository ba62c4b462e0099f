/** A person approves work or sends it back, by naming the very commit that they have seen. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { commitMakers } from "svc/features/jobs/commit_store.ts";
import { orderFor, queueJob, trustOfTicket } from "svc/features/jobs/order_job.ts";
import {
  newSettlement,
  pendingSettlements,
  recordSettlement,
  settle,
} from "svc/features/routing/settlement_store.ts";
import type { Settlement } from "svc/features/routing/settlement_table.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import { teamTip } from "svc/runtime/job/hand_over.ts";
import { faultOf } from "svc/runtime/settle/branch_guard.ts";
import type { Db } from "svc/store/schema.ts";
import {
  type ActContext,
  acted,
  cancelWaiting,
  mustBeHost,
  mustRest,
  saidIn,
  UNDO_TIME,
} from "./act_context.ts";
import type { PersonAct, PersonActed } from "./person_act.ts";
import { lastDecided, newDecisionId, recordPersonDecision } from "./person_decision.ts";
import { roleFor } from "svc/features/routing/choose.ts";

type Approve = Extract<PersonAct, { act: "approve" }>;
type SendBack = Extract<PersonAct, { act: "send-back" }>;

/** Characters of a commit's id that a person may type. */
const COMMIT_CHARS = 12;

interface SeenWork {
  readonly ticket: Ticket;
  readonly branch: string;
  readonly commit: string;
  /** The approval that waits, such as for the word of a person. */
  readonly owed: Settlement | undefined;
}

const reviewCommand = (id: string) => `svc tickets review ${id}`;

/** @throws Failure `conflict` for what is not in review, or where another commit was seen */
async function seenWork(
  { ports, repo }: ActContext,
  { ticket: id, commit }: Pick<Approve, "commit" | "ticket">,
  doing: string,
): Promise<SeenWork> {
  const { db } = ports;
  const { ticket } = await repo.tickets.find(id);
  const who = await lastDecided(db, repo.id, id);
  const refuse = (why: string, remedy = `svc tickets show ${id}`) =>
    new Failure("conflict", `Cannot ${doing}: ${why}`, { remedy });
  if (ticket.state !== "review") {
    throw refuse(`it is settled already${who}; ${id} is ${ticket.state}`);
  }
  const { branch } = ticket;
  if (branch === undefined) throw refuse("it has no branch that could be judged");
  await mustRest(db, repo, id, doing);
  const tip = await teamTip(ports, repo, branch);
  if (tip === undefined) throw refuse(`its branch ${quoted(branch)} is gone`);
  const same = commit.length >= COMMIT_CHARS && tip.startsWith(commit.toLowerCase());
  if (!same) {
    const moved = `${quoted(branch)} is at ${tip.slice(0, COMMIT_CHARS)}`;
    throw refuse(
      `you saw ${commit.slice(0, COMMIT_CHARS)}, and ${moved} by now`,
      reviewCommand(id),
    );
  }
  const owed = (await pendingSettlements(db, repo.id)).find(({ ticket_id }) => ticket_id === id);
  return { ticket, branch, commit: tip, owed };
}

/** The decision that this one replaces no longer counts. Call it in a transaction. */
async function inPlaceOf(
  tx: Db,
  owed: Settlement | undefined,
  { outcome, now, doing }: {
    readonly outcome: string;
    readonly now: number;
    readonly doing: string;
  },
): Promise<void> {
  if (owed === undefined) return;
  if (await settle(tx, owed.id, { state: "superseded", outcome, now })) return;
  throw new Failure("conflict", `Cannot ${doing}: its merge was made a moment ago`, {
    remedy: `svc tickets show ${owed.ticket_id}`,
  });
}

/** Two people act at once: the second sees what the first has stored. */
async function mustBeFirst(tx: Db, repoId: string, { ticket, owed }: SeenWork, doing: string) {
  const now = (await pendingSettlements(tx, repoId)).find(({ ticket_id }) =>
    ticket_id === ticket.id
  );
  if (now?.id === owed?.id) return;
  const who = await lastDecided(tx, repoId, ticket.id);
  throw new Failure("conflict", `Cannot ${doing}: it is settled already${who}`, {
    remedy: `svc tickets show ${ticket.id}`,
  });
}

/** Secrets, protected files and unknown authors keep it out, whoever approves it. */
async function mustPassGuard(
  { ports, repo }: ActContext,
  { branch, commit }: SeenWork,
  doing: string,
): Promise<void> {
  const into = `refs/heads/${repo.baseBranch}`;
  const commits = await repo.git.commitsSince(commit, into);
  if (commits.length === 0) {
    throw new Failure(
      "conflict",
      `Cannot ${doing}: ${quoted(branch)} adds nothing to ${repo.baseBranch}`,
      {
        remedy: "svc tickets list --state review",
      },
    );
  }
  const makers = await commitMakers(ports.db, { repo_id: repo.id, branch });
  const { manifest } = await repo.manifest();
  const fault = await faultOf(ports, repo, manifest, { head: commit, into, commits, makers });
  if (fault === undefined) return;
  throw new Failure("conflict", `Cannot ${doing}: ${fault}`, {
    remedy: "Send it back, or commit the change as a person",
  });
}

/** @throws Failure `refused`, `conflict`, `not_found`, `usage` */
export async function approveWork(context: ActContext, order: Approve): Promise<PersonActed> {
  const { ports, repo, by, named } = context;
  const { ticket: id } = order;
  const doing = `approve ${id}`;
  mustBeHost(ports, doing, reviewCommand(id));
  const note = saidIn(ports, doing, order.note);
  const work = await seenWork(context, order, doing);
  if (work.owed !== undefined && !work.owed.waits_for?.startsWith("your word:")) {
    const waits = work.owed.waits_for ?? "its turn";
    throw new Failure(
      "conflict",
      `Cannot ${doing}: it is approved already, and waits for ${waits}`,
      {
        remedy: `svc tickets show ${id}`,
      },
    );
  }
  await mustPassGuard(context, work, doing);
  const { db, clock, redact } = ports;
  const { branch, commit, owed } = work;
  const now = clock.now();
  const decision = newDecisionId(now);
  const outcome = `${id} is approved at ${commit.slice(0, COMMIT_CHARS)}; its merge follows`;
  const undo = `${UNDO_TIME}, until it is merged`;
  await db.transaction().execute(async (tx) => {
    await mustBeFirst(tx, repo.id, work, doing);
    await inPlaceOf(tx, owed, { outcome: `approved anew by ${by}`, now, doing });
    await cancelWaiting(tx, repo.id, id, { reason: `${by} approved it`, now });
    await recordPersonDecision(tx, {
      ...{ id: decision, repoId: repo.id, ticket: id, disposition: "approved" },
      inputs: {
        ...{ act: "approve", by, outcome, undo, branch, head: commit },
        ...(note !== "" && { said: note }),
        ...named,
      },
      move: "review → done",
    }, { now, redact });
    const reason = `${by} approved ${commit.slice(0, COMMIT_CHARS)}`;
    await recordSettlement(
      tx,
      newSettlement({
        ...{ repoId: repo.id, ticket: id, move: { from: "review", to: "done" }, actor: by },
        reason: note === "" ? reason : `${reason}: ${note}`,
        by: { decision },
        merge: { from: branch, into: repo.baseBranch, commit },
      }, now),
    );
  });
  return acted(decision, { outcome, undo });
}

/** @throws Failure as `approveWork`; `usage` where nothing is said */
export async function sendBackWork(context: ActContext, order: SendBack): Promise<PersonActed> {
  const { ports, repo, by, named } = context;
  const { ticket: id } = order;
  const doing = `send ${id} back`;
  mustBeHost(ports, doing, reviewCommand(id));
  const note = saidIn(ports, doing, order.note);
  if (note === "") {
    throw new Failure("usage", `Cannot ${doing}: what is to be changed is not said`, {
      remedy: `svc tickets send-back ${id} --commit <commit> "…"`,
    });
  }
  const work = await seenWork(context, order, doing);
  const { manifest } = await repo.manifest();
  const role = manifest && roleFor({ ...work.ticket, state: "in-progress" }, manifest);
  const goesOn = role !== undefined && manifest?.dispatch.mode !== "manual";
  const { db, clock, redact } = ports;
  const { branch, commit, ticket, owed } = work;
  const now = clock.now();
  const decision = newDecisionId(now);
  const then = goesOn ? `"${role}" goes on with it` : "nobody goes on with it by itself";
  const outcome = `${id}: review → in-progress; ${then}`;
  const undo = `${UNDO_TIME}, until its next job begins`;
  await db.transaction().execute(async (tx) => {
    await mustBeFirst(tx, repo.id, work, doing);
    await inPlaceOf(tx, owed, { outcome: `sent back by ${by}`, now, doing });
    await cancelWaiting(tx, repo.id, id, { reason: `${by} sent it back`, now });
    const trust = trustOfTicket(ticket);
    const order = goesOn
      ? orderFor({ id: repo.id, manifest }, { role, ticket, trust, trigger: "route", decision })
      : undefined;
    const job = order && (await queueJob(tx, order, { now, profile: "host" })).job.id;
    await recordPersonDecision(tx, {
      ...{ id: decision, repoId: repo.id, ticket: id, disposition: "changes_requested" },
      inputs: {
        ...{ act: "send-back", by, outcome, undo, branch, head: commit, said: note },
        ...named,
        before: { rework: ticket.rework },
      },
      move: "review → in-progress",
      next: job === undefined ? undefined : { role: role!, job },
      stop: job === undefined ? then : undefined,
    }, { now, redact });
    await recordSettlement(
      tx,
      newSettlement({
        ...{ repoId: repo.id, ticket: id, move: { from: "review", to: "in-progress" } },
        ...{ actor: by, reason: note, by: { decision } },
      }, now),
    );
  });
  return acted(decision, { outcome, undo });
}
