/** Which files a merge changes in a checkout, and which uncommitted ones are in its way. */
import { FILE_WRITE_BYTES, GIT_PATHS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { protectionOf, quoted, repoPath } from "svc/core/repo_path.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { eachItem } from "./answers.ts";
import type { CallGit } from "./call.ts";
import type { JournalEntry } from "./commit_journal.ts";
import { factsOnPath } from "./merged_files.ts";
import type { GitLocation } from "./hardening.ts";
import { flaggedFiles, type IndexFlag, outsideSparse, storedIds } from "./index_flags.ts";
import { listedPath, type Status, SUBMODULE } from "./output.ts";

const SKIPPED: readonly IndexFlag[] = ["skip-worktree"];

/** Modes are octal, "000000" where there is no such file (`git diff-tree --raw`). */
export interface FileDelta {
  readonly path: string;
  readonly modeBefore: string;
  readonly mode: string;
  readonly oidBefore: string;
  readonly oid: string;
}

/** @throws Failure `refused` for a name that is not UTF-8 or leaves the work tree */
export async function changedFiles(
  git: CallGit,
  doing: string,
  before: string,
  after: string,
): Promise<FileDelta[]> {
  const found: FileDelta[] = [];
  let fields: string[] | undefined;
  const args = [
    ...["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-ext-diff", "--no-textconv"],
    ...["--ignore-submodules=none", before, after, "--"],
  ];
  await eachItem(git, { doing, args }, (item) => {
    if (fields === undefined) {
      fields = new TextDecoder().decode(item).slice(1).split(" ");
      return;
    }
    const [modeBefore = "", mode = "", oidBefore = "", oid = ""] = fields;
    fields = undefined;
    const { path, usable } = listedPath(item);
    if (!usable || found.length === GIT_PATHS) {
      const why = usable ? `there are more than ${GIT_PATHS} files` : `of the name ${quoted(path)}`;
      throw new Failure("refused", `Cannot ${doing}: ${why}`);
    }
    found.push({ path, modeBefore, mode, oidBefore, oid });
  });
  return found;
}

async function leftBelow(
  folder: Folder,
  path: string,
  removed: ReadonlySet<string>,
): Promise<string | undefined> {
  const { entries, skipped, more } = await folder.list(path);
  if (skipped + more > 0) return path;
  for (const { name, kind } of entries) {
    const below = `${path}/${name}`;
    const left = kind === "folder"
      ? await leftBelow(folder, below, removed)
      : removed.has(below)
      ? undefined
      : below;
    if (left !== undefined) return left;
  }
  return undefined;
}

/** The path that is in the way of a new file of the merge; an ignored file counts like any other. */
async function inTheWay(folder: Folder, path: string, removed: ReadonlySet<string>) {
  const facts = await factsOnPath(folder, path);
  if (facts === undefined) return undefined;
  if (facts === "blocked") {
    for (let cut = path.indexOf("/"); cut > 0; cut = path.indexOf("/", cut + 1)) {
      const above = path.slice(0, cut);
      if ((await folder.stat(above))?.kind === "folder") continue;
      return removed.has(above) ? undefined : above;
    }
  }
  if (facts !== "blocked" && facts.kind === "folder") return await leftBelow(folder, path, removed);
  return path;
}

/** Null for a file that a sparse checkout left out. @throws Failure `refused` */
async function contentBefore(folder: Folder, doing: string, path: string): Promise<string | null> {
  const facts = await folder.stat(path);
  if (facts === undefined) return null;
  if (facts.links > 1) {
    throw new Failure(
      "refused",
      `Cannot ${doing}: ${quoted(path)} is hard-linked to another file`,
      {
        remedy: `Give it a content of its own: cp --remove-destination`,
      },
    );
  }
  return (await folder.read(path, { maxBytes: FILE_WRITE_BYTES })).sha256;
}

/** What `git status` does not tell of a checkout. */
export interface HiddenFiles {
  readonly flagged: ReadonlyMap<string, readonly IndexFlag[]>;
  /** New files that a sparse checkout leaves out. */
  readonly outside: ReadonlySet<string>;
  /** Flagged files that differ from the index all the same. */
  readonly edited: ReadonlySet<string>;
}

/** Asks about the files of a merge alone. */
export async function hiddenFiles(
  git: CallGit,
  place: GitLocation,
  folder: Folder,
  { doing, changes }: { readonly doing: string; readonly changes: readonly FileDelta[] },
): Promise<HiddenFiles> {
  const flagged = await flaggedFiles(git, doing);
  const added = changes.filter(({ modeBefore }) => modeBefore === "000000");
  const outside = await outsideSparse(git, place, doing, added.map(({ path }) => path));
  const kept: FileDelta[] = [];
  for (const change of changes) {
    if (!flagged.has(change.path) || change.mode === SUBMODULE) continue;
    if (await folder.stat(change.path) !== undefined) kept.push(change);
  }
  const stored = await storedIds(git, doing, kept.map(({ path }) => path));
  const edited = kept.filter(({ path, oidBefore }) => stored.get(path) !== oidBefore);
  return { flagged, outside, edited: new Set(edited.map(({ path }) => path)) };
}

/** @returns entries with removals first, and the paths that hold something uncommitted */
export async function landingEntries(
  folder: Folder,
  doing: string,
  changes: readonly FileDelta[],
  { status, hidden }: { readonly status: Status; readonly hidden: HiddenFiles },
): Promise<{ dirty: readonly string[]; entries: readonly JournalEntry[] }> {
  const touched = new Set([...status.changes.map(({ path }) => path), ...hidden.edited]);
  const removed = new Set(changes.filter(({ mode }) => mode === "000000").map(({ path }) => path));
  const dirty: string[] = [];
  const entries: JournalEntry[] = [];
  for (const { path, modeBefore, mode, oid } of changes) {
    if (protectionOf(repoPath(path)) === "git") {
      throw new Failure("refused", `Cannot ${doing}: ${quoted(path)} is git's own on some systems`);
    }
    const isNew = modeBefore === "000000";
    const blocked = touched.has(path)
      ? path
      : isNew
      ? await inTheWay(folder, path, removed)
      : undefined;
    if (blocked !== undefined) dirty.push(blocked);
    if (dirty.length > 0) continue;
    if (mode === SUBMODULE) {
      // As with git, the submodule itself stays where it is until somebody updates it.
      entries.push({ path, before: null, entry: `${mode} ${oid}`, indexOnly: true });
      continue;
    }
    const before = isNew ? null : await contentBefore(folder, doing, path);
    const entry = removed.has(path) ? "" : `${mode} ${oid}`;
    const left = hidden.outside.has(path);
    const flags = left ? SKIPPED : hidden.flagged.get(path) ?? [];
    const indexOnly = left || (before === null && flags.includes("skip-worktree"));
    entries.push({
      ...{ path, before, entry, executable: mode === "100755" },
      ...(flags.length > 0 && { flags }),
      ...(indexOnly && { indexOnly }),
    });
  }
  return {
    dirty: [...new Set(dirty)],
    entries: entries.toSorted((a, b) => Number(a.entry !== "") - Number(b.entry !== "")),
  };
}
