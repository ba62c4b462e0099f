/** The only module that writes the outbox of anonymous reports, and how far they have come. */
import type { Db } from "svc/store/schema.ts";
import { type MadeReport, makeReport } from "./make_report.ts";
import type { OutboxState, QueuedReport } from "./outbox_table.ts";
import type { ReportState } from "./report_state_table.ts";

/** Reports that wait at most; while it is full the next one covers a longer time. */
export const OUTBOX_REPORTS = 64;

/** Settled reports that stay, so that a person can read what was sent. */
const OUTBOX_SETTLED = 32;

export async function reportState(db: Db): Promise<ReportState> {
  return await db.selectFrom("telemetry_state").selectAll().executeTakeFirstOrThrow();
}

export function pendingReports(db: Db): Promise<QueuedReport[]> {
  return db.selectFrom("telemetry_outbox").selectAll().where("state", "=", "pending")
    .orderBy("queued_at").orderBy("report_id").execute();
}

/** Newest first; older ones are forgotten. */
export function settledReports(db: Db): Promise<QueuedReport[]> {
  return db.selectFrom("telemetry_outbox").selectAll().where("state", "<>", "pending")
    .orderBy("settled_at", "desc").orderBy("report_id").execute();
}

export interface OutboxCounts {
  readonly counts: Readonly<Record<OutboxState, number>>;
  /** Epoch ms; null before the first. */
  readonly lastSentAt: number | null;
  readonly lastQueuedAt: number | null;
}

export async function outboxCounts(db: Db): Promise<OutboxCounts> {
  const rows = await db.selectFrom("telemetry_outbox").select(["state", "queued_at", "settled_at"])
    .execute();
  const count = (state: OutboxState) => rows.filter((row) => row.state === state).length;
  const newest = (times: readonly (number | null)[]) =>
    times.reduce<number | null>((last, at) => at !== null && at > (last ?? 0) ? at : last, null);
  return {
    counts: { pending: count("pending"), sent: count("sent"), refused: count("refused") },
    lastSentAt: newest(rows.map((row) => row.state === "sent" ? row.settled_at : null)),
    lastQueuedAt: newest(rows.map((row) => row.queued_at)),
  };
}

export type Exported =
  | { readonly kind: "queued"; readonly made: MadeReport }
  | { readonly kind: "nothing" }
  | { readonly kind: "full" };

interface ExportPlan {
  readonly now: number;
  readonly target: string;
}

/** Makes the next report and queues it, so that no job is counted twice, whoever else does the same. */
export async function exportReport(db: Db, { now, target }: ExportPlan): Promise<Exported> {
  return await db.transaction().execute(async (tx): Promise<Exported> => {
    if ((await pendingReports(tx)).length >= OUTBOX_REPORTS) return { kind: "full" };
    const made = await makeReport(tx, { state: await reportState(tx), now, target });
    if (made === undefined) return { kind: "nothing" };
    await tx.insertInto("telemetry_outbox").values({
      report_id: made.id,
      body: made.body,
      queued_at: now,
      state: "pending",
      settled_at: null,
    }).execute();
    await tx.updateTable("telemetry_state").set({ reported_until: made.until }).execute();
    return { kind: "queued", made };
  });
}

/** False when another process took this turn meanwhile. */
export async function takeLook(db: Db, seen: ReportState, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("telemetry_state").set({ looked_at: now })
    .where("looked_at", "is not distinct from", seen.looked_at).executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function forgetSettled(db: Db): Promise<void> {
  const kept = db.selectFrom("telemetry_outbox").select("report_id")
    .where("state", "<>", "pending").orderBy("settled_at", "desc").orderBy("report_id")
    .limit(OUTBOX_SETTLED);
  await db.deleteFrom("telemetry_outbox").where("state", "<>", "pending")
    .where("report_id", "not in", kept).execute();
}

/** A report that another process settled meanwhile stays as it is. */
export async function settleReport(
  db: Db,
  id: string,
  { state, now }: { readonly state: Exclude<OutboxState, "pending">; readonly now: number },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.updateTable("telemetry_outbox").set({ state, settled_at: now })
      .where("report_id", "=", id).where("state", "=", "pending").execute();
    await tx.updateTable("telemetry_state").set({ failures: 0, retry_at: null }).execute();
    await forgetSettled(tx);
  });
}

/** @param retryAt epoch ms */
export async function recordSendFailure(db: Db, retryAt: number): Promise<void> {
  await db.updateTable("telemetry_state")
    .set(({ eb }) => ({ failures: eb("failures", "+", 1), retry_at: retryAt })).execute();
}
