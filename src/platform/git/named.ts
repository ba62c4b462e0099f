/** Commits by the names that people give them: a branch wins over a tag of the same name. */
import { Failure } from "svc/core/failure.ts";
import { gitRef, isObjectId } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Ended } from "svc/platform/process/process.ts";
import type { CallGit, GitCall } from "./call.ts";
import type { GitLocation } from "./hardening.ts";
import { refInFiles } from "./refs.ts";

/** Best first. @throws Failure `usage` for a malformed name */
export function candidates(name: string): readonly string[] {
  return [`refs/heads/${gitRef(name)}`, name];
}

/** One process for all; `revisions` are made of `gitRef`s, since git reads one a line. */
export async function commitsAt(
  git: CallGit,
  doing: string,
  revisions: readonly string[],
): Promise<(string | undefined)[]> {
  const { stdout } = await git({
    doing,
    args: ["cat-file", "--batch-check=%(objectname)"],
    stdin: new TextEncoder().encode(revisions.map((one) => `${one}^{commit}\n`).join("")),
  });
  // Anything else says "missing" or "ambiguous" (git-cat-file(1), "BATCH OUTPUT").
  const lines = capturedText(stdout).split("\n");
  return revisions.map((_, at) => isObjectId(lines[at] ?? "") ? lines[at] : undefined);
}

export function noCommit(doing: string, name: string, what = "branch or commit"): Failure {
  return new Failure("conflict", `Cannot ${doing}: there is no ${what} ${quoted(name)}`, {
    remedy: "Look at what there is: git branch --all",
  });
}

/** A whole id is not looked up: the call that takes it fails for an unknown one. @throws Failure `conflict` */
export async function commitOf(git: CallGit, doing: string, name: string): Promise<string> {
  if (isObjectId(name)) return name;
  const found = (await commitsAt(git, doing, candidates(name))).find((id) => id !== undefined);
  if (found === undefined) throw noCommit(doing, name);
  return found;
}

export async function branchTip(
  git: CallGit,
  place: GitLocation,
  doing: string,
  branch: string,
): Promise<string | undefined> {
  const ref = `refs/heads/${gitRef(branch)}`;
  const told = refInFiles(place, ref);
  return told === undefined ? (await commitsAt(git, doing, [ref]))[0] : told.id;
}

/** As `branchTip` and `commitOf` by one process at most; undefined for what there is not. */
export async function tipAndCommit(
  git: CallGit,
  place: GitLocation,
  doing: string,
  branch: string,
  name: string,
): Promise<readonly [tip: string | undefined, commit: string | undefined]> {
  const inFiles = (named: string) => refInFiles(place, `refs/heads/${gitRef(named)}`);
  const known = inFiles(branch);
  const commit = isObjectId(name) ? name : inFiles(name)?.id;
  if (known !== undefined && commit !== undefined) return [known.id, commit];
  const names = isObjectId(name) ? [] : candidates(name);
  const [tip, ...found] = await commitsAt(git, doing, [`refs/heads/${gitRef(branch)}`, ...names]);
  return [tip, isObjectId(name) ? name : found.find((id) => id !== undefined)];
}

/** Most names are branches, which git looks up itself; each is looked up first only when that fails.
 * @throws Failure `conflict` when there is no such commit */
export async function onCommits(
  git: CallGit,
  call: Omit<GitCall, "args" | "answers">,
  names: readonly [string, string],
  argsOf: (...revisions: [string, string]) => readonly string[],
): Promise<Ended> {
  const { doing } = call;
  const [one, other] = names;
  if (!isObjectId(one) || !isObjectId(other)) {
    const usual = (name: string) => isObjectId(name) ? name : `${candidates(name)[0]}^{commit}`;
    const args = argsOf(usual(one), usual(other));
    const ended = await git({ ...call, args, answers: [0, 128] });
    if (ended.code === 0) return ended;
  }
  const args = argsOf(await commitOf(git, doing, one), await commitOf(git, doing, other));
  return await git({ ...call, args });
}
