/** The repo that a command is about, where it does without one too. */
import type { App } from "svc/app.ts";
import { repoHolding } from "svc/platform/files/outside_repo.ts";

/** @param named as typed; undefined for the current folder. @returns undefined outside of a repo */
export async function repoAtHand(
  { git, cwd, signal }: Pick<App, "cwd" | "git" | "signal">,
  named: string | undefined,
) {
  const at = named ?? await repoHolding(cwd());
  return at === undefined ? undefined : await git.open(named ?? cwd(), { signal });
}
