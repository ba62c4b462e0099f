/** Finds what a work tree has not committed, also in files that git is told not to look at, and takes it back. */
import { quoted } from "svc/core/repo_path.ts";
import { capturedBytes } from "svc/core/head_tail.ts";
import { joinBytes } from "svc/core/bytes.ts";
import { together } from "svc/core/together.ts";
import { eachItem, lineOf } from "./answers.ts";
import type { CallGit } from "./call.ts";
import { flaggedFiles } from "./index_flags.ts";
import { type ListedPath, listedPath, nulItems, statusEntry } from "./output.ts";
import { patternOf } from "./worktree_mark.ts";

export interface UncommittedFile extends ListedPath {
  /** The path as git stores it, which need not be UTF-8. */
  readonly name: Uint8Array;
  readonly tracked: boolean;
  /** Bytes; 0 for one that is gone, and where the name is not UTF-8. */
  readonly size: number;
}

export interface UncommittedFiles {
  readonly files: readonly UncommittedFile[];
  /** Why some of it is not among the files, a line each. */
  readonly notes: readonly string[];
}

const STATUS = [
  ...["status", "--porcelain=v2", "-z", "--no-renames", "--no-ahead-behind"],
  ...["--untracked-files=all", "--ignore-submodules=dirty"],
];

const encoder = new TextEncoder();

async function entriesOf(git: CallGit, doing: string) {
  const entries: NonNullable<ReturnType<typeof statusEntry>>[] = [];
  await eachItem(git, { doing, args: STATUS }, (item) => {
    const entry = statusEntry(item);
    if (entry !== undefined) entries.push(entry);
  });
  return entries;
}

const infoOf = (path: string) => Deno.lstat(path).catch(() => undefined);

async function fileNamed(root: string, name: Uint8Array, tracked: boolean) {
  const { path, usable } = listedPath(name);
  const info = usable ? await infoOf(`${root}/${path}`) : undefined;
  return { name, path, usable, tracked, size: info?.isFile ? info.size : 0 };
}

/** Files below a nested repo, without its git folder; what git ignores there is left out. */
async function nestedFiles(git: CallGit, doing: string, root: string, folder: string) {
  const found: string[] = [];
  const walk = async (path: string) => {
    for await (const { name, isDirectory } of Deno.readDir(`${root}/${path}`)) {
      if (name.toLowerCase() === ".git") continue;
      if (isDirectory) await walk(`${path}/${name}`);
      else found.push(`${path}/${name}`);
    }
  };
  await walk(folder);
  const ignored = await ignoredAmong(git, doing, found);
  return found.filter((path) => !ignored.has(path));
}

async function ignoredAmong(
  git: CallGit,
  doing: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const { stdout } = await git({
    doing,
    // As in index_flags.ts: check-ignore refuses literal pathspecs, and "./" keeps a ":" literal.
    args: ["--no-literal-pathspecs", "check-ignore", "--no-index", "-z", "--stdin"],
    stdin: encoder.encode(paths.map((path) => `./${path}\0`).join("")),
    maxOutputBytes: 64 * 1024 * 1024,
    answers: [0, 1],
  });
  const decoder = new TextDecoder();
  return new Set(nulItems(capturedBytes(stdout)).map((item) => decoder.decode(item).slice(2)));
}

/** @param git of the tree, with an index that says what it holds */
export async function uncommittedFiles(
  git: CallGit,
  doing: string,
  root: string,
): Promise<UncommittedFiles> {
  const files = new Map<string, UncommittedFile>();
  const notes: string[] = [];
  const add = (file: UncommittedFile) => files.set(`${file.path}\0${file.name}`, file);
  const [entries, flagged] = await together(entriesOf(git, doing), flaggedFiles(git, doing));
  for (const { kind, nested, name } of entries) {
    const folder = listedPath(name);
    if (!nested) add(await fileNamed(root, name, kind !== "untracked"));
    else if (folder.usable) {
      notes.push(
        `${quoted(folder.path)}: a repo of its own; its files are kept, its history is not`,
      );
      for (const path of await nestedFiles(git, doing, root, folder.path)) {
        add(await fileNamed(root, encoder.encode(path), false));
      }
    } else notes.push(`${quoted(folder.path)}: a repo of its own, whose name is not UTF-8`);
  }
  // Git says nothing of those; one that is not there may be left out of a sparse checkout.
  for (const path of flagged.keys()) {
    if (await infoOf(`${root}/${path}`) === undefined) continue;
    add(await fileNamed(root, encoder.encode(path), true));
  }
  return { files: [...files.values()], notes };
}

/** More are not named to git, whose command line has an end; nothing is removed then. */
const SPARED_PATHS = 1_000;

/**
 * Makes every file as the last commit says and removes those that git neither tracks nor ignores.
 * @param spared paths that stay as they are
 */
export async function putBack(
  git: CallGit,
  doing: string,
  spared: ReadonlySet<string>,
): Promise<void> {
  const entries = (await entriesOf(git, doing))
    .filter(({ name }) => !spared.has(listedPath(name).path));
  const tracked = entries.filter(({ kind }) => kind !== "untracked");
  if (tracked.length > 0) {
    await git({
      doing,
      args: [
        ...["restore", "--quiet", "--source=HEAD", "--staged", "--worktree"],
        ...["--pathspec-from-file=-", "--pathspec-file-nul"],
      ],
      stdin: joinBytes(tracked.flatMap(({ name }) => [name, new Uint8Array(1)])),
    });
  }
  if (entries.length === tracked.length || spared.size > SPARED_PATHS) return;
  const kept = [...spared].flatMap((path) => ["-e", patternOf(path)]);
  await git({ doing, args: ["clean", "-ffdq", ...kept] });
}

/** The branch of HEAD moves, and nothing else. False where its tip is another one, or has no one parent. */
export async function takeCommitBack(
  git: CallGit,
  doing: string,
  commit: string,
): Promise<boolean> {
  const [tip, parent, ...more] =
    (await lineOf(git, doing, ["rev-list", "--parents", "--max-count=1", "HEAD", "--"]))!
      .split(" ");
  if (tip !== commit || parent === undefined || more.length > 0) return false;
  await git({ doing, args: ["update-ref", "-m", `svc: ${doing}`, "HEAD", parent, commit] });
  return true;
}
