/** Sources of files for a secret scan: the work tree, the index, or what a push would send. */
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { together } from "svc/core/together.ts";
import type { Blob, GitRepo } from "svc/platform/git/git.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { ScanSources, SourceFile } from "./secret_scan.ts";

interface TreeReadPorts {
  readonly readTree: ReadTree;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** Tracked files, and untracked ones that git does not ignore, with their content on disk. */
export function workTree(
  repo: GitRepo,
  { readTree, signal, progress }: TreeReadPorts,
): ScanSources {
  return {
    async each(visit, expect) {
      const { paths, skipped } = await repo.listFiles();
      expect?.(paths.length);
      for (const path of skipped) visit({ path, skipped: "unreadable" });
      await readTree(
        {
          root: repo.root,
          paths,
          maxBytes: SECRET_FILE_BYTES,
          signal,
          progress: (done) => progress(`scanning ${done} of ${paths.length} files`),
        },
        (path, content) =>
          visit(
            typeof content === "string" ? { path, skipped: content } : { path, bytes: content },
          ),
      );
    },
  };
}

interface Entry {
  readonly oid: string;
  readonly path: string;
}

function sourceFile(path: string, blob: Blob): SourceFile {
  if (blob.state === "read") return { path, bytes: blob.bytes };
  return { path, skipped: blob.state };
}

/** Contents of git's objects, each under its path. */
export async function blobs(
  repo: Pick<GitRepo, "catFiles">,
  entries: readonly Entry[],
  visit: (file: SourceFile) => void,
): Promise<void> {
  await objects(repo, { messages: [], entries }, visit);
}

const SYMLINK = "120000";

export function staged(repo: GitRepo): ScanSources {
  return {
    async each(visit, expect) {
      const { paths, skipped } = await repo.stagedFiles();
      expect?.(paths.length);
      for (const path of skipped) visit({ path, skipped: "unreadable" });
      const wanted = new Set(paths);
      const entries = (await repo.indexEntries()).filter(({ path }) => wanted.has(path));
      const files = entries.filter(({ mode }) => mode !== SYMLINK);
      for (const { path, mode } of entries) {
        if (mode === SYMLINK) visit({ path, skipped: "symlink" });
      }
      await blobs(repo, files, visit);
    },
  };
}

/** Where a secret was found, in place of a path. */
export const MESSAGE = "the commit message";
export const HEADERS = "the headers of a commit or tag";

/** Index after the line end that follows the headers (gitformat-commit: an empty line ends them). */
function afterHeaders(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
    if (bytes[at + 1] === 10) return at + 1;
  }
  return bytes.length;
}

/** A commit or tag as git stores it: every header, and the message also after a NUL. */
function message(blob: Blob, visit: (file: SourceFile) => void): void {
  if (blob.state !== "read") return visit({ path: MESSAGE, skipped: blob.state });
  const cut = afterHeaders(blob.bytes);
  visit({ path: HEADERS, bytes: blob.bytes.subarray(0, cut) });
  visit({ path: MESSAGE, bytes: blob.bytes.subarray(cut + 1) });
}

/** Commits and tags, by their ids, then contents, all from one process of git. */
export async function objects(
  repo: Pick<GitRepo, "catFiles">,
  { messages, entries }: {
    readonly messages: readonly string[];
    readonly entries: readonly Entry[];
  },
  visit: (file: SourceFile) => void,
): Promise<void> {
  let at = -messages.length;
  await repo.catFiles(
    [...messages, ...entries.map(({ oid }) => oid)],
    (blob) => {
      const entry = entries[at++];
      if (entry === undefined) message(blob, visit);
      else visit(sourceFile(entry.path, blob));
    },
    SECRET_FILE_BYTES,
  );
}

/** Contents and messages that a push would send and the remote does not have. */
export function outgoing(repo: GitRepo, tips: readonly string[], remote: string): ScanSources {
  return {
    async each(visit, expect) {
      const [messages, entries] = await together(
        repo.outgoingMessages(tips, remote),
        repo.outgoing(tips, remote),
      );
      expect?.(2 * messages.length + entries.length);
      await objects(repo, { messages, entries }, visit);
    },
  };
}

const ZERO = /^0+$/;

/** Reads the standard input of a pre-push hook (githooks(5)); a deleted ref has no tip. */
export function pushedTips(input: string): string[] {
  const tips = input.split("\n").flatMap((line) => {
    const fields = line.trim().split(" ");
    // What was pushed stands first as it was typed, such as "HEAD@{1 day ago}".
    const local = fields.length < 4 ? undefined : fields.at(-3);
    return local === undefined || ZERO.test(local) ? [] : [local];
  });
  return [...new Set(tips)];
}
