/** What HEAD stands for: read from git's own small files where they tell, asked of git where they do not. */
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { CallGit } from "./call.ts";
import type { Place } from "./hardening.ts";
import { tipOf } from "./landing.ts";
import { pointerIn } from "./place.ts";

/** What `HEAD` of reftable names: the refs are then kept in another way (git-refs). */
const NO_FILE = ".invalid";

/** Undefined where the file does not tell: a detached HEAD, a name out of the ordinary, no file. */
function branchInFile({ gitDir }: Place): string | undefined {
  const head = pointerIn(`${gitDir}/HEAD`);
  const named = /^ref: refs\/heads\/([\w./-]+)$/.exec(head ?? "")?.[1];
  return named === NO_FILE || named?.includes("..") ? undefined : named;
}

/** Undefined when HEAD is detached. */
export async function branchOf(git: CallGit, place: Place): Promise<string | undefined> {
  const named = branchInFile(place);
  if (named !== undefined) return named;
  const { code, stdout } = await git({
    doing: `read HEAD of ${quoted(place.root)}`,
    args: ["symbolic-ref", "--quiet", "HEAD"],
    answers: [0, 1],
  });
  return code === 1 ? undefined : capturedText(stdout).trim().replace(/^refs\/heads\//, "");
}

/**
 * The full id of HEAD; undefined before the first commit. Git replaces the file of a branch as a whole
 * (gitrepository-layout(5)), so what it holds is what the branch is; of a packed branch there is none.
 */
export async function headTip(
  git: CallGit,
  place: Place,
  doing: string,
): Promise<string | undefined> {
  const branch = branchInFile(place);
  const id = branch && pointerIn(`${place.commonDir}/refs/heads/${branch}`);
  return id && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id) ? id : await tipOf(git, doing);
}
