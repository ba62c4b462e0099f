/** Tells what git has begun in a work tree and not ended, from files of its folder where these are all there is. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { together } from "svc/core/together.ts";
import { lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { exists } from "./place.ts";
import { hasRefFiles } from "./refs.ts";

export type GitOperation = "rebase" | "am" | "merge" | "cherry-pick" | "revert" | "bisect";

function textOr(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** One listing instead of an lstat(2) for each name: this runs whenever a repo is opened. */
function namesIn(gitDir: string): ReadonlySet<string> {
  try {
    return new Set([...Deno.readDirSync(gitDir)].map(({ name }) => name));
  } catch (thrown) {
    throw new Failure("environment", `Cannot look at "${gitDir}"`, { cause: thrown });
  }
}

/** Between two commits of a series only the list of remaining ones tells. */
function inSeries(gitDir: string): GitOperation | undefined {
  const left = textOr(`${gitDir}/sequencer/todo`);
  if (left === "") return undefined;
  return /^[ \t]*revert\b/m.test(left) ? "revert" : "cherry-pick";
}

/** `CHERRY_PICK_HEAD` and `REVERT_HEAD` are refs, so a reftable holds them; `MERGE_HEAD` is always a file (gitglossary(7)). */
async function inReftable(git: CallGit, root: string): Promise<GitOperation | undefined> {
  const doing = `look for a begun operation in ${quoted(root)}`;
  const isRef = async (name: string) =>
    await lineOf(git, doing, ["show-ref", "--verify", "--quiet", name], [0, 1]) !== undefined;
  const [picks, reverts] = await together(isRef("CHERRY_PICK_HEAD"), isRef("REVERT_HEAD"));
  return picks ? "cherry-pick" : reverts ? "revert" : undefined;
}

export async function operationOf(
  git: CallGit,
  place: GitLocation,
): Promise<GitOperation | undefined> {
  const { root, gitDir } = place;
  const names = namesIn(gitDir);
  if (names.has("rebase-merge")) return "rebase";
  if (names.has("rebase-apply")) {
    return exists(`${gitDir}/rebase-apply/applying`) ? "am" : "rebase";
  }
  if (names.has("MERGE_HEAD")) return "merge";
  if (names.has("CHERRY_PICK_HEAD")) return "cherry-pick";
  if (names.has("REVERT_HEAD")) return "revert";
  const one = hasRefFiles(place) ? undefined : await inReftable(git, root);
  return one ?? (names.has("sequencer") ? inSeries(gitDir) : undefined) ??
    (names.has("BISECT_LOG") ? "bisect" : undefined);
}

/** What a person can do about it. `--abort` discards what they have resolved so far, so it comes second. */
export function wayOutOf(operation: GitOperation, root: string): string {
  const git = `git -C ${shellWord(root)}`;
  return operation === "bisect"
    ? `${git} bisect reset`
    : `Finish it, or give it up: ${git} ${operation} --abort`;
}
