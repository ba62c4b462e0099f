/** Reads HEAD from git's own small files, or where they do not tell, with a call of git. */
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import { lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { pointerIn } from "./place.ts";
import { NO_FILE, refInFiles } from "./refs.ts";

/** Undefined for a detached HEAD, an unusual name, no file. */
function branchInFile({ gitDir }: GitLocation): string | undefined {
  const head = pointerIn(`${gitDir}/HEAD`);
  const named = /^ref: refs\/heads\/([\w./-]+)$/.exec(head ?? "")?.[1];
  return named === NO_FILE || named?.includes("..") ? undefined : named;
}

export async function branchOf(git: CallGit, place: GitLocation): Promise<string | undefined> {
  const named = branchInFile(place);
  if (named !== undefined) return named;
  const { code, stdout } = await git({
    doing: `read HEAD of ${quoted(place.root)}`,
    args: ["symbolic-ref", "--quiet", "HEAD"],
    answers: [0, 1],
  });
  return code === 1 ? undefined : capturedText(stdout).trim().replace(/^refs\/heads\//, "");
}

export const askedTip = (git: CallGit, doing: string) =>
  lineOf(git, doing, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], [0, 1]);

/** As `askedTip`, from git's files where these tell it. */
export async function headTip(
  git: CallGit,
  place: GitLocation,
  doing: string,
): Promise<string | undefined> {
  const branch = branchInFile(place);
  const id = branch && refInFiles(place, `refs/heads/${branch}`)?.id;
  return id ?? await askedTip(git, doing);
}
