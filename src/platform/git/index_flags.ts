/** Files that the index tells git not to look at: assume-unchanged, skip-worktree, sparse checkouts. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { eachItem, items, lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { GitLocation } from "./hardening.ts";

/** git-update-index(1); `git status` says nothing of a file with one of them. */
export type IndexFlag = "skip-worktree" | "assume-unchanged";

const decoder = new TextDecoder();

/** By path; files without a flag are left out (`git ls-files -v`: "S" is skipped, lower case is assumed). */
export async function flaggedFiles(
  git: CallGit,
  doing: string,
  below: readonly string[] = [],
): Promise<Map<string, readonly IndexFlag[]>> {
  const flagged = new Map<string, readonly IndexFlag[]>();
  const args = ["ls-files", "-v", "-z", "--", ...below];
  await eachItem(git, { doing, args }, (item) => {
    const text = decoder.decode(item);
    const tag = text[0]!;
    const flags: IndexFlag[] = [];
    if (tag.toUpperCase() === "S") flags.push("skip-worktree");
    if (tag !== tag.toUpperCase()) flags.push("assume-unchanged");
    if (flags.length > 0) flagged.set(text.slice(2), flags);
  });
  return flagged;
}

/** What git would store for the files as they are now, by path; conversions of line ends take part. */
export async function storedIds(
  git: CallGit,
  doing: string,
  paths: readonly string[],
): Promise<Map<string, string>> {
  // The names are parted by line feeds, and `-z` is not known.
  const plain = paths.filter((path) => !path.includes("\n"));
  if (plain.length === 0) return new Map();
  const ids = await items(
    git,
    {
      doing,
      args: ["hash-object", "--stdin-paths"],
      stdin: new TextEncoder().encode(plain.map((path) => `${path}\n`).join("")),
    },
    (item) => decoder.decode(item),
    "LF",
  );
  return new Map(plain.map((path, at) => [path, ids[at] ?? ""]));
}

/** The file with the rules of a sparse checkout; undefined where the checkout is whole. */
async function sparseRules(
  git: CallGit,
  { gitDir }: GitLocation,
  doing: string,
): Promise<string | undefined> {
  const rules = `${gitDir}/info/sparse-checkout`;
  if (!await Deno.lstat(rules).then(({ isFile }) => isFile, () => false)) return undefined;
  const args = ["config", "--includes", "--type=bool", "--get", "core.sparseCheckout"];
  return await lineOf(git, doing, args, [0, 1]) === "true" ? rules : undefined;
}

/**
 * Whoever reads those folders would take what the checkout leaves out for missing.
 * @returns the folders below which git keeps files that a sparse checkout leaves out
 */
export async function leftOut(
  git: CallGit,
  place: GitLocation,
  folders: readonly string[],
): Promise<readonly string[]> {
  const doing = `read the index of ${quoted(place.root)}`;
  if (await sparseRules(git, place, doing) === undefined) return [];
  const found = new Set<string>();
  for (const [path, flags] of await flaggedFiles(git, doing, folders)) {
    const folder = folders.find((folder) => path.startsWith(`${folder}/`));
    if (folder === undefined || found.has(folder) || !flags.includes("skip-worktree")) continue;
    const there = await Deno.lstat(`${place.root}/${path}`).then(() => true, () => false);
    if (!there) found.add(folder);
  }
  return [...found];
}

interface SparseRepo {
  readonly root: string;
  readonly leftOut: (folders: readonly string[]) => Promise<readonly string[]>;
}

/** @throws Failure `conflict` for any of them */
export async function refuseLeftOut(
  { root, leftOut }: SparseRepo,
  folders: readonly string[],
): Promise<void> {
  const out = await leftOut(folders);
  if (out.length === 0) return;
  const { why, remedy } = leftOutFault(root, out);
  throw new Failure("conflict", `Cannot open ${quoted(root)}: ${why}`, { remedy });
}

export const leftOutFault = (root: string, folders: readonly string[]) => ({
  why: `the sparse checkout leaves out ${folders.join(" and ")}, which svc reads`,
  remedy: `git -C ${shellWord(root)} sparse-checkout add ${folders.join(" ")}`,
});

/**
 * The paths that a sparse checkout leaves out. Its rules are spelled and read as those of gitignore(5), "ignored" meaning
 * that a file is there (git-sparse-checkout(1), INTERNALS); git 2.39 has no `check-rules` yet.
 */
export async function outsideSparse(
  git: CallGit,
  place: GitLocation,
  doing: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  const rules = paths.length === 0 ? undefined : await sparseRules(git, place, doing);
  if (rules === undefined) return new Set();
  const outside = new Set<string>();
  // Four for each: source, line, pattern, path; a pattern of another file says nothing here.
  let fields: string[] = [];
  await eachItem(git, {
    doing,
    args: [
      // check-ignore refuses literal pathspecs, though it takes paths; "./" keeps a leading ":" literal.
      ...["--no-literal-pathspecs", "-c", `core.excludesFile=${rules}`],
      ...["check-ignore", "--no-index", "--verbose", "--non-matching", "-z", "--stdin"],
    ],
    stdin: new TextEncoder().encode(paths.map((path) => `./${path}\0`).join("")),
    answers: [0, 1],
  }, (item) => {
    fields.push(decoder.decode(item));
    if (fields.length < 4) return;
    const [source, , pattern = "", path = ""] = fields;
    fields = [];
    const inside = source === rules ? !pattern.startsWith("!") : source !== "";
    if (!inside) outside.add(path.slice(2));
  });
  return outside;
}
