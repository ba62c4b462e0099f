/** The only module that writes the `tool_approvals` table. */
import type { Db } from "svc/store/schema.ts";
import type { ToolApproval } from "./approval_table.ts";

/** False when it was approved before. */
export async function approveTool(db: Db, approval: ToolApproval): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db.insertInto("tool_approvals").values(approval)
    .onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Read anew for each call: an approval holds for one content. */
export async function isToolApproved(
  db: Db,
  { repo_id, name, sha256 }: Pick<ToolApproval, "repo_id" | "name" | "sha256">,
): Promise<boolean> {
  const found = await db.selectFrom("tool_approvals").select("name")
    .where("repo_id", "=", repo_id).where("name", "=", name).where("sha256", "=", sha256)
    .executeTakeFirst();
  return found !== undefined;
}

/** Newest first. */
export function newestApprovals(db: Db, repoId: string, limit: number): Promise<ToolApproval[]> {
  return db.selectFrom("tool_approvals").selectAll().where("repo_id", "=", repoId)
    .orderBy("approved_at", "desc").limit(limit).execute();
}
