/** Makes the next anonymous report from the ended jobs of a database: counts by closed lists, nothing else. */
import { DB_BUSY_MS } from "svc/core/bounds.ts";
import { sha256 } from "svc/core/digest.ts";
import { VERSION } from "svc/core/version.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { Report } from "./report.ts";
import type { ReportState } from "./report_state_table.ts";
import {
  listed,
  REPORT_ARCH,
  REPORT_CATEGORIES,
  REPORT_COUNT,
  REPORT_DISPOSITIONS,
  REPORT_DURATIONS,
  REPORT_OS,
  REPORT_ROLES,
  REPORT_VERSION,
  type ReportDuration,
  type ReportModel,
} from "./report_terms.ts";

/** No report looks further back, the first one neither. */
const WINDOW_MS = 30 * 24 * 60 * 60 * 1000;

interface ReportPlan {
  readonly state: Pick<ReportState, "key" | "reported_until">;
  /** Epoch ms. */
  readonly now: number;
  /** As Deno names this machine: `x86_64-unknown-linux-gnu`. */
  readonly target: string;
}

export interface MadeReport {
  readonly id: string;
  /** The bytes that are sent, as text. */
  readonly body: string;
  readonly jobs: number;
  /** Epoch ms: the next report begins there. */
  readonly until: number;
}

interface CountedRow {
  readonly role: unknown;
  readonly basis: unknown;
  readonly disposition: unknown;
  readonly category: unknown;
  readonly duration: ReportDuration | null;
  readonly count: number;
}

const NAMES = Object.keys(REPORT_DURATIONS) as ReportDuration[];

const durationCase = sql.raw(
  Object.entries(REPORT_DURATIONS).map(([name, seconds]) =>
    Number.isFinite(seconds)
      ? `WHEN finished_at - started_at < ${seconds * 1000} THEN '${name}'`
      : `WHEN started_at IS NOT NULL THEN '${name}'`
  ).join(" "),
);

/** Both ends in epoch ms; the second belongs to the window. */
async function countedRows(db: Db, [from, until]: readonly [number, number]) {
  const { rows } = await sql<CountedRow>`SELECT role, cost_basis AS basis, disposition, category,
    CASE ${durationCase} END AS duration, count(*) AS count
    FROM jobs WHERE finished_at > ${from} AND finished_at <= ${until} AND disposition IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

const MODELS: Readonly<Record<string, ReportModel>> = {
  local: "local",
  price: "cloud",
  unknown: "cloud",
  fixture: "fixture",
};

function allowed({ role, basis, disposition, category, duration, count }: CountedRow) {
  return {
    role: listed(REPORT_ROLES, role, "custom"),
    model: typeof basis === "string" && Object.hasOwn(MODELS, basis) ? MODELS[basis]! : "none",
    disposition: listed(REPORT_DISPOSITIONS, disposition, "other"),
    category: category === null ? undefined : listed(REPORT_CATEGORIES, category, "other"),
    duration,
    count,
  } as const;
}

type Allowed = ReturnType<typeof allowed>;

/** Rows with equal keys as one, in a fixed order. */
function summed<T extends object>(rows: readonly Allowed[], keyOf: (row: Allowed) => T) {
  const groups = Map.groupBy(rows, (row) => JSON.stringify(keyOf(row)));
  return [...groups].sort(([a], [b]) => a < b ? -1 : 1).map(([, group]) => ({
    ...keyOf(group[0]!),
    count: sumOf(group),
  }));
}

const sumOf = (rows: readonly Allowed[]) =>
  Math.min(REPORT_COUNT, rows.reduce((sum, { count }) => sum + count, 0));

function jobRows(rows: readonly Allowed[]): Report["jobs"] {
  return summed(rows, ({ role, model }) => ({ role, model })).map((row) => {
    const own = rows.filter(({ role, model }) => role === row.role && model === row.model);
    const durations = NAMES.map((
      name,
    ) => [name, sumOf(own.filter((one) => one.duration === name))]);
    return { ...row, durations: Object.fromEntries(durations) };
  });
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The same jobs have the same id, so that a preview shows what will go; nobody without the key can make it. */
async function idOf(key: string, from: number, facts: Omit<Report, "report_id">): Promise<string> {
  const text = `${key} ${from} ${JSON.stringify(facts)}`;
  const hex = (await sha256(new TextEncoder().encode(text))).slice(0, 32);
  // A UUIDv8 (RFC 9562 section 5.8).
  const marked = `${hex.slice(0, 12)}8${hex.slice(13, 16)}a${hex.slice(17)}`;
  return marked.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** What `undefined` means, in words. */
export const NOTHING_TO_REPORT =
  "There is nothing to report: no job has ended since the last report; " +
  `one that ended less than ${DB_BUSY_MS / 1000} s ago comes into the next`;

/** Undefined when no job has ended since the last report, or only just now. */
export async function makeReport(
  db: Db,
  { state, now, target }: ReportPlan,
): Promise<MadeReport | undefined> {
  // A job that ends now may be stored only after the wait for a lock.
  const until = now - DB_BUSY_MS;
  // A time ahead is that of a clock set back since.
  const before = Math.min(state.reported_until ?? 0, until);
  const from = Math.max(before, until - WINDOW_MS);
  const rows = (await countedRows(db, [from, until])).map(allowed);
  if (rows.length === 0) return undefined;
  const [arch, , os] = target.split("-");
  const failed = rows.filter(({ category }) => category !== undefined);
  const facts = {
    schema_version: REPORT_VERSION,
    tool_version: VERSION.split("-")[0]!,
    os: listed(REPORT_OS, os, "other"),
    arch: listed(REPORT_ARCH, arch, "other"),
    window: { from: dayOf(from), to: dayOf(until) },
    jobs: jobRows(rows),
    outcomes: summed(rows, ({ role, disposition }) => ({ role, disposition })),
    failures: summed(
      failed,
      ({ role, model, category }) => ({ role, model, category: category! }),
    ),
  } as const;
  const id = await idOf(state.key, before, facts);
  const { schema_version, ...rest } = facts;
  const report: Report = { schema_version, report_id: id, ...rest };
  return { id, body: JSON.stringify(report), jobs: sumOf(rows), until };
}
