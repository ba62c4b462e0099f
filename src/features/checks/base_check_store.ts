/** The only module that writes the `base_checks` table. */
import { sha256 } from "svc/core/digest.ts";
import type { Db } from "svc/store/schema.ts";
import type { BaseCheck } from "./base_check_table.ts";

interface NamedCommand {
  readonly run: readonly string[];
  readonly timeout_seconds: number;
}

/**
 * Identifies what is run: with another command, time limit or set-up it is another check. It always runs at a
 * tree's root.
 */
export async function definitionOfCheck(
  { run, timeout_seconds }: NamedCommand,
  setup: readonly NamedCommand[],
): Promise<string> {
  const said = JSON.stringify([run, timeout_seconds, setup.map((step) => step.run)]);
  return await sha256(new TextEncoder().encode(said));
}

/** The newer one counts where two jobs asked at once. */
export async function recordBaseCheck(db: Db, check: BaseCheck): Promise<void> {
  const { outcome, said, checked_at } = check;
  await db.insertInto("base_checks").values(check)
    .onConflict((conflict) =>
      conflict.columns(["repo_id", "commit_id", "definition"])
        .doUpdateSet({ outcome, said, checked_at })
    ).execute();
}

/** What is known about a commit, even if the check was renamed since. */
export function baseChecksAt(
  db: Db,
  { repoId, commit }: { readonly repoId: string; readonly commit: string },
): Promise<BaseCheck[]> {
  return db.selectFrom("base_checks").selectAll()
    .where("repo_id", "=", repoId).where("commit_id", "=", commit).execute();
}

export async function forgetBaseChecksOf(db: Db, repoId: string): Promise<void> {
  await db.deleteFrom("base_checks").where("repo_id", "=", repoId).execute();
}

/** A check that is asked for again is run again. @param before epoch ms */
export async function forgetBaseChecks(db: Db, before: number): Promise<void> {
  await db.deleteFrom("base_checks").where("checked_at", "<", before).execute();
}
