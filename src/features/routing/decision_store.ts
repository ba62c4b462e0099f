/** The only module that writes the `decisions` table. */
import { DEMOTION_DENIED_JOBS } from "svc/core/bounds.ts";
import type { Disposition } from "svc/core/disposition.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { answerLater, sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import type { CheckedWork } from "./checked_work.ts";
import { type Decision, PERSON_RULE } from "./decision_table.ts";

export async function recordDecision(db: Db, decision: Decision): Promise<void> {
  await db.insertInto("decisions").values(decision).modifyEnd(answerLater).execute();
}

/** @param named only `[0-9a-f-]` */
function decisionsNamed(db: Db, named: string): Promise<Decision[]> {
  const likes = [`${named}%`, `%${named}`];
  return db.selectFrom("decisions").selectAll()
    .where((is) =>
      is.or(likes.flatMap((like) => [is("id", "like", like), is("job_id", "like", like)]))
    )
    .orderBy("at").orderBy("id").limit(100).execute();
}

export function decisionById(db: Db, id: string): Promise<Decision | undefined> {
  return db.selectFrom("decisions").selectAll().where("id", "=", id).executeTakeFirst();
}

export function decisionsOfJob(db: Db, jobId: string): Promise<Decision[]> {
  return db.selectFrom("decisions").selectAll().where("job_id", "=", jobId)
    .orderBy("at").orderBy("id").execute();
}

/** What followed the job's end by the rules; what a person decided about it later is left out. */
export async function decisionOfJob(db: Db, jobId: string): Promise<Decision | undefined> {
  return (await decisionsOfJob(db, jobId)).findLast(({ rule }) => rule !== PERSON_RULE);
}

/** How the checks ended on the work that the job ended with. */
export async function checksOfJob(db: Db, jobId: string): Promise<CheckedWork | undefined> {
  const { checks, red_before = [] } = JSON.parse(
    (await decisionOfJob(db, jobId))?.inputs ?? "{}",
  ) as { readonly checks?: string; readonly red_before?: readonly string[] };
  return checks === undefined ? undefined : { checks, redBefore: red_before };
}

export function recentDecisions(
  db: Db,
  { repoId, limit }: { readonly repoId?: string; readonly limit: number },
): Promise<Decision[]> {
  const all = db.selectFrom("decisions").selectAll();
  return (repoId === undefined ? all : all.where("repo_id", "=", repoId))
    .orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
}

export async function rehearsals(
  db: Db,
  repoId: string,
): Promise<{ readonly role: string; readonly ticket_id: string; readonly at: number }[]> {
  const rows = await db.selectFrom("decisions").select(["role", "ticket_id", "at"])
    .where("repo_id", "=", repoId).where("applied", "=", 0).where("ticket_id", "is not", null)
    .execute();
  return rows.flatMap(({ role, ticket_id, at }) =>
    ticket_id === null ? [] : { role, ticket_id, at }
  );
}

/**
 * Epoch ms, newest first. Rehearsals do not count, nor work that came from outside: in both every change is denied, and
 * a stranger's words must take no trust from a role.
 */
export async function policyDeniedAt(
  db: Db,
  { repoId, role, since }: {
    readonly repoId: string;
    readonly role: string;
    readonly since: number;
  },
): Promise<number[]> {
  const rows = await db.selectFrom("decisions").select("at")
    .where("repo_id", "=", repoId).where("at", ">", since).where("role", "=", role)
    .where("disposition", "=", "policy_denied").where("applied", "=", 1)
    .where(({ exists, not, selectFrom }) =>
      not(exists(
        selectFrom("denials").select("id").where("part", "=", "source_trust")
          .whereRef("denials.job_id", "=", "decisions.job_id"),
      ))
    )
    .orderBy("at", "desc").limit(DEMOTION_DENIED_JOBS).execute();
  return rows.map(({ at }) => at);
}

/** @param jobs ids, some hundred at most */
export function decisionsOfJobs(db: Db, jobs: readonly string[]): Promise<Decision[]> {
  return db.selectFrom("decisions").selectAll().where("job_id", "in", [...jobs])
    .orderBy("at", "desc").orderBy("id", "desc").execute();
}

export interface RouteCount {
  readonly role: string;
  readonly disposition: Disposition;
  readonly rule: string;
  readonly count: number;
  /** Epoch ms. */
  readonly last_at: number;
  readonly last_job: string;
}

/** What people decided, newest first. @param since epoch ms */
export function personDecisions(
  db: Db,
  repoId: string,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<Decision[]> {
  return db.selectFrom("decisions").selectAll()
    .where("repo_id", "=", repoId).where("at", ">=", since).where("rule", "=", PERSON_RULE)
    .orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
}

/** What people decided in any repo and what holds a word, newest first. @param word without `%` */
export function personDecisionsSaying(db: Db, word: string, since: number): Promise<Decision[]> {
  return db.selectFrom("decisions").selectAll()
    .where("repo_id", "in", (all) => all.selectFrom("repos").select("id")) // for the index
    .where("at", ">=", since).where("rule", "=", PERSON_RULE).where("inputs", "like", `%${word}%`)
    .orderBy("at", "desc").orderBy("id", "desc").execute();
}

/** What people decided about the ticket, newest first. */
export function personDecisionsOn(
  db: Db,
  repoId: string,
  ticketId: string,
  limit: number,
): Promise<Decision[]> {
  return db.selectFrom("decisions").selectAll()
    .where("repo_id", "=", repoId).where("ticket_id", "=", ticketId)
    .where("rule", "=", PERSON_RULE)
    .orderBy("at", "desc").orderBy("id", "desc").limit(limit).execute();
}

/** Includes rehearsals, and nothing that a person decided. @param since epoch ms */
export async function routeCounts(db: Db, repoId: string, since: number): Promise<RouteCount[]> {
  const { rows } = await sql<RouteCount>`SELECT role, disposition, rule, count, last_at, last_job
    FROM (SELECT role, disposition, rule, at AS last_at, job_id AS last_job,
        count(*) OVER (PARTITION BY role, disposition, rule) AS count,
        row_number() OVER (PARTITION BY role, disposition, rule ORDER BY at DESC, id DESC) AS nth
      FROM decisions INDEXED BY decisions_by_repo
      WHERE repo_id = ${repoId} AND at >= ${since} AND rule <> ${PERSON_RULE}) AS counted
    WHERE nth = 1 ORDER BY role, disposition, rule`.execute(db);
  return rows;
}

const SHORTEST = 6;

/** @throws Failure `not_found`; `usage` for no id; `conflict` when several jobs fit */
export async function findDecisions(db: Db, named: string): Promise<Decision[]> {
  if (!new RegExp(`^[0-9a-f-]{${SHORTEST},36}$`).test(named)) {
    throw new Failure(
      "usage",
      `Cannot explain ${quoted(named)}: it is no id of a job or decision`,
      {
        remedy: `Give the id, or at least ${SHORTEST} characters of its begin or end`,
      },
    );
  }
  const found = await decisionsNamed(db, named);
  const jobs = new Set(found.map(({ job_id }) => job_id));
  if (jobs.size > 1) {
    throw new Failure(
      "conflict",
      `Cannot tell which job ${quoted(named)} means: ${jobs.size} fit`,
      {
        remedy: `Give more of it: ${[...jobs].slice(0, 3).join(", ")}`,
      },
    );
  }
  if (found.length > 0) return found;
  throw new Failure("not_found", `Cannot find a decision or job ${quoted(named)}`, {
    remedy: "Pass --db when it ran under another database",
  });
}

export async function forgetDecisions(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("decisions").where("id", "in", [...ids]).execute();
}
