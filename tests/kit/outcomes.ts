/** Jobs that have ended, written through the stores as the runtime writes them. */
import type { Disposition, FailureCategory } from "svc/core/disposition.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { recordDecision } from "svc/features/routing/decision_store.ts";
import { newSettlement, recordSettlement, settle } from "svc/features/routing/settlement_store.ts";
import type { Db } from "svc/store/schema.ts";

export interface SeededEnd {
  readonly repoId: string;
  readonly role: string;
  readonly ticket?: string;
  readonly disposition: Disposition;
  /** What the role said, where it did not count. */
  readonly reported?: Disposition;
  readonly category?: FailureCategory;
  readonly reason?: string;
  readonly evidence?: "live" | "fixture";
  /** When it ended, epoch ms; it began a minute before. */
  readonly at: number;
  readonly tokens?: number;
  /** US dollars; without them its cost is unknown, or that of a fixture. */
  readonly usd?: number;
  /** A job that its decision asked for. */
  readonly next?: { readonly role: string; readonly began: boolean };
  /** What git was owed and whether it was done; `done` merges and moves the ticket to done. */
  readonly owed?: "done" | "pending" | "superseded";
  /** A rehearsal. */
  readonly applied?: boolean;
}

const MINUTE = 60_000;

/** @returns its id */
export async function endedJob(db: Db, end: SeededEnd): Promise<string> {
  const { repoId, role, disposition, at, reason = `${role} said ${disposition}` } = end;
  const start = at - MINUTE;
  const asked = { repo_id: repoId, role, trigger: "manual", source_trust: "contributor" } as const;
  const ticket = end.ticket === undefined ? {} : { ticket_id: end.ticket };
  const { job } = await enqueue(db, { ...asked, ...ticket, parallel: true }, start);
  const claimed = await claimNext(db, { owner: "seed", now: start, jobId: job.id });
  if (claimed === undefined) throw new Error(`Cannot seed a job of "${role}": it was not claimed`);
  await finish(db, claimed, {
    ...{ disposition, reason, category: end.category ?? null },
    ...{ tokens_in: end.tokens ?? 1000, tokens_out: 0, evidence: end.evidence ?? "live" },
    ...(end.usd !== undefined
      ? { cost_basis: "price", cost_usd: end.usd }
      : { cost_basis: end.evidence === "fixture" ? "fixture" : "unknown" }),
  }, at);
  const next = end.next === undefined
    ? undefined
    : (await enqueue(db, { ...asked, role: end.next.role, parallel: true }, at)).job;
  if (end.next?.began) await claimNext(db, { owner: "seed", now: at, jobId: next!.id });
  const decision = uuidV7(at);
  await recordDecision(db, {
    ...{ id: decision, repo_id: repoId, job_id: job.id, at, role, disposition, move: null },
    ...{ ticket_id: end.ticket ?? null, rule: `roles.${role}.routes.${disposition}` },
    inputs: JSON.stringify({ reported: end.reported ?? disposition, same_commit: true }),
    ...{ refused: "[]", next_role: next?.role ?? null, next_job: next?.id ?? null },
    ...{ stop: null, applied: end.applied === false ? 0 : 1 },
  });
  if (end.owed !== undefined) {
    const merge = { from: "svc/x", into: "main", commit: "0".repeat(40) };
    const owed = newSettlement({
      ...{ repoId, ticket: end.ticket, reason, actor: `agent:${role}`, merge },
      ...(end.ticket !== undefined && { move: { from: "review", to: "done" } as const }),
      by: { decision, job: job.id },
    }, at);
    await recordSettlement(db, owed);
    if (end.owed !== "pending") {
      await settle(db, owed.id, { state: end.owed, outcome: end.owed, now: at });
    }
  }
  return job.id;
}
