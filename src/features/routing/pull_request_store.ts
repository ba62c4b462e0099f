/** The only module that writes the `pull_requests` table. */
import type { Db } from "svc/store/schema.ts";
import type { PullRequestRow } from "./pull_request_table.ts";

export function pullRequestOf(db: Db, settlementId: string): Promise<PullRequestRow | undefined> {
  return db.selectFrom("pull_requests").selectAll().where("settlement_id", "=", settlementId)
    .executeTakeFirst();
}

/** Numbers of those that svc handed this branch in with, by whichever settlement. */
export async function pullRequestsOfBranch(
  db: Db,
  { repo_id, branch }: { readonly repo_id: string; readonly branch: string },
): Promise<ReadonlySet<number>> {
  const rows = await db.selectFrom("pull_requests")
    .innerJoin("settlements", "settlements.id", "pull_requests.settlement_id")
    .select("pull_requests.number")
    .where("settlements.repo_id", "=", repo_id).where("settlements.merge_from", "=", branch)
    .execute();
  return new Set(rows.flatMap(({ number }) => number ?? []));
}

/** The ticket whose work was last handed in with that number; null and undefined where there is none. */
export async function ticketOfPullRequest(
  db: Db,
  { repo_id, number }: { readonly repo_id: string; readonly number: number },
): Promise<string | null | undefined> {
  const row = await db.selectFrom("pull_requests")
    .innerJoin("settlements", "settlements.id", "pull_requests.settlement_id")
    .select("settlements.ticket_id")
    .where("settlements.repo_id", "=", repo_id).where("pull_requests.number", "=", number)
    .orderBy("settlements.created_at", "desc").limit(1).executeTakeFirst();
  return row?.ticket_id;
}

/** Without `number` the stored one stays. */
export async function notePullRequest(
  db: Db,
  settlementId: string,
  { number, askAt }: { readonly number?: number; readonly askAt: number },
): Promise<void> {
  const known = number === undefined ? {} : { number };
  await db.insertInto("pull_requests")
    .values({ settlement_id: settlementId, number: number ?? null, ask_at: askAt })
    .onConflict((conflict) =>
      conflict.column("settlement_id").doUpdateSet({ ...known, ask_at: askAt })
    )
    .execute();
}

/** The code host may be asked again at once. */
export async function askAgainNow(
  db: Db,
  settlementIds: readonly string[],
  now: number,
): Promise<void> {
  if (settlementIds.length === 0) return;
  await db.updateTable("pull_requests").set({ ask_at: now })
    .where("settlement_id", "in", [...settlementIds]).execute();
}
