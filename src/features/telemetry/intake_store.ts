/** The only module that writes what a collector took. */
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { listed, REPORT_CATEGORIES, REPORT_MODELS, REPORT_ROLES } from "./report_terms.ts";
import type { ReportCategory, ReportModel, ReportRole } from "./report_terms.ts";

/** Reports of one database at most: some 2 GiB, and more than a year of 2,000 senders. */
export const INTAKE_REPORTS = 1_000_000;

const FORGOTTEN_AT_ONCE = 1_000;

/** `seen`: the same bytes came before; `taken`: other bytes came with this id. */
export type TakenReport = "stored" | "seen" | "taken" | "full";

/** When it returns "stored", the report outlives a power cut. */
export async function takeReport(
  db: Db,
  { id, body }: { readonly id: string; readonly body: string },
  { now, most = INTAKE_REPORTS }: { readonly now: number; readonly most?: number },
): Promise<TakenReport> {
  return await db.transaction().execute(async (tx): Promise<TakenReport> => {
    const before = await tx.selectFrom("telemetry_intake").select("body")
      .where("report_id", "=", id).executeTakeFirst();
    if (before !== undefined) return before.body === body ? "seen" : "taken";
    // The oldest go first, so that no more are there than lie between the first id and the last.
    const { rows: [held] } = await sql<{ count: number | null }>`SELECT
      (SELECT max(id) FROM telemetry_intake) - (SELECT min(id) FROM telemetry_intake) + 1 AS count`
      .execute(tx);
    if ((held?.count ?? 0) >= most) return "full";
    await tx.insertInto("telemetry_intake").values({ report_id: id, received_at: now, body })
      .execute();
    return "stored";
  });
}

/** @param before epoch ms @returns how many went */
export async function forgetReports(db: Db, before: number): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const some = db.selectFrom("telemetry_intake").select("id").where("received_at", "<", before)
      .orderBy("received_at").limit(FORGOTTEN_AT_ONCE);
    const { numDeletedRows } = await db.deleteFrom("telemetry_intake").where("id", "in", some)
      .executeTakeFirst();
    forgotten += Number(numDeletedRows);
    if (numDeletedRows < BigInt(FORGOTTEN_AT_ONCE)) return forgotten;
  }
}

/** Reduced to what several senders can have in common. */
export interface MinimizedPattern {
  readonly role: ReportRole;
  readonly model: ReportModel;
  readonly category: ReportCategory;
  readonly reports: number;
  readonly jobs: number;
  /** Newest first. */
  readonly versions: readonly string[];
}

interface PatternRow {
  readonly role: unknown;
  readonly model: unknown;
  readonly category: unknown;
  readonly reports: number;
  readonly jobs: number;
  readonly versions: string;
}

const VERSION = /^\d{1,4}\.\d{1,4}\.\d{1,4}$/;

/** Patterns of at least so many reports, the most frequent first. @param since epoch ms */
export async function repeatedPatterns(
  db: Db,
  { since, least }: { readonly since: number; readonly least: number },
): Promise<MinimizedPattern[]> {
  const { rows } = await sql<PatternRow>`SELECT failure.value ->> 'role' AS role,
    failure.value ->> 'model' AS model, failure.value ->> 'category' AS category,
    count(DISTINCT intake.report_id) AS reports, sum(failure.value ->> 'count') AS jobs,
    json_group_array(DISTINCT intake.body ->> 'tool_version') AS versions
    FROM telemetry_intake AS intake, json_each(intake.body, '$.failures') AS failure
    WHERE intake.received_at >= ${since}
    GROUP BY 1, 2, 3 HAVING reports >= ${least}
    ORDER BY reports DESC, jobs DESC, category, role, model`.execute(db);
  // Another program may have written to the file.
  return rows.map(({ role, model, category, reports, jobs, versions }) => ({
    role: listed(REPORT_ROLES, role, "custom"),
    model: listed(REPORT_MODELS, model, "none"),
    category: listed(REPORT_CATEGORIES, category, "other"),
    reports,
    jobs,
    versions: (JSON.parse(versions) as unknown[])
      .filter((text) => typeof text === "string" && VERSION.test(text)).map(String)
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true })),
  }));
}

export interface IntakeCounts {
  readonly reports: number;
}

/** @param since epoch ms */
export async function intakeCounts(db: Db, since = 0): Promise<IntakeCounts> {
  const row = await db.selectFrom("telemetry_intake").select(sql<number>`count(*)`.as("reports"))
    .where("received_at", ">=", since).executeTakeFirstOrThrow();
  return { reports: row.reports };
}
