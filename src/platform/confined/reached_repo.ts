/** The usual ports of repos and programs for a confined Worker: each of their calls goes to the broker. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { type Reach, reach } from "./broker.ts";
import { FOLDER_READS, FOLDER_WRITES, GIT_READS, STATE_FILES } from "./brokered_verbs.ts";
import type { BrokeredRepo, OutputEvent, PlainRun, TreeEvent } from "./brokered_work.ts";
import type { FileFacts } from "svc/platform/files/disk.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { FileContent, Folder, OpenFolder } from "svc/platform/files/folder.ts";
import type { Removed } from "svc/platform/files/remove_below.ts";
import type { Commits } from "svc/platform/git/commit.ts";
import type { Blob, Git, GitRepo } from "svc/platform/git/git.ts";
import type { ChildInput, Ended, Processes } from "svc/platform/process/process.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import type { LockRepo } from "svc/platform/git/repo_lock.ts";
import { terminalOver } from "svc/platform/terminal.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { HeldTree, Worktrees } from "svc/platform/git/worktrees.ts";

function reachGit(call: Reach): Git {
  return {
    version: () => call("git", "version", []),
    userSetting: (key) => call("git", "userSetting", [key]),
    async open(path, { signal, index } = {}) {
      if (index !== undefined) {
        throw new Failure("refused", `Cannot use the index ${quoted(index)} in a confined run`);
      }
      const interruptible = signal !== undefined;
      const facts = await call<BrokeredRepo>("git", "open", [path, interruptible], { signal });
      const at = [facts.root, interruptible];
      const verbs = Object.fromEntries(
        GIT_READS.map((verb) => [
          verb,
          (...args: readonly unknown[]) => call("git", verb, [...at, ...args], { signal }),
        ]),
      );
      return {
        ...facts,
        ...verbs as Pick<GitRepo, typeof GIT_READS[number]>,
        async catFiles(oids, visit, maxBytes) {
          await call("git", "catFiles", [...at, oids, maxBytes], {
            signal,
            async onEvent(blobs) {
              for (const blob of blobs as readonly Blob[]) await visit(blob);
            },
          });
        },
      };
    },
  };
}

async function reachFolder(call: Reach, path: string): Promise<OpenFolder> {
  type FolderHandle = { readonly handle: number; readonly root: string };
  const { handle, root } = await call<FolderHandle>("folder", "open", [path]);
  const verbs = [...FOLDER_READS, ...FOLDER_WRITES].map((verb) => [
    verb,
    (...args: readonly unknown[]) => call("folder", verb, [handle, ...args]),
  ]);
  return {
    ...Object.fromEntries(verbs) as Folder,
    root,
    // Calls arrive in order, so none comes after this one.
    [Symbol.dispose]: () => void call("folder", "close", [handle]),
  };
}

const reachTree = (call: Reach): ReadTree => async (plan, visit) => {
  const { root, paths, maxBytes, signal, progress, stamps } = plan;
  let done = 0;
  const read = call("tree", "read", [root, paths, maxBytes, stamps], {
    signal,
    onEvent(event) {
      for (const [path, content, stamp] of event as TreeEvent) visit(path, content, stamp);
      progress?.(done += (event as TreeEvent).length);
    },
  });
  await read.catch((thrown) => {
    throw signal.aborted ? signal.reason : thrown;
  });
};

/** Ignores the caller's folder: the broker opens one of the same root for itself. */
function reachCommits(call: Reach): Commits {
  return {
    commit: ({ root }, _, plan) => call("commits", "commit", [root, plan]),
    commitPaths: ({ root }, _, plan) => call("commits", "commitPaths", [root, plan]),
    recover: ({ root }) => call("commits", "recover", [root]),
    tip: ({ root }) => call("commits", "tip", [root]),
    mustTakeCommits: ({ root }, doing) => call("commits", "mustTakeCommits", [root, doing]),
    namesEverAdded: ({ root }, under, seen) =>
      call("commits", "namesEverAdded", [root, under, seen]),
  };
}

const reachLock = (call: Reach): LockRepo => async ({ root }, { doing, signal, waitMs }) => {
  type HeldLock = { readonly handle: number; readonly path: string };
  const { handle, path } = await call<HeldLock>("lock", "take", [root, doing, waitMs], { signal });
  return { path, [Symbol.dispose]: () => void call("lock", "release", [handle]) };
};

/** The broker keeps no more than one part for a child that does not read. */
async function feedAcross(call: Reach, fed: string, input: ChildInput): Promise<void> {
  for (let open = true; open;) {
    const bytes = await input.read();
    open = bytes !== undefined;
    await call("processes", "feed", [fed, bytes]);
  }
}

function reachProcesses(call: Reach): Processes {
  return {
    async run({ signal, onOutput, input, ...run }) {
      const cancelled = signal?.aborted === true;
      const fed = input && crypto.randomUUID();
      const plain: PlainRun = {
        ...run,
        cancelled,
        streamed: onOutput !== undefined,
        ...(fed !== undefined && { fed }),
      };
      const ended = call<Ended>("processes", "run", [plain], {
        signal,
        async onEvent(event) {
          const { chunk, stream } = event as OutputEvent;
          await onOutput?.(chunk, stream);
        },
      });
      // The call itself tells what went wrong with the child.
      if (input !== undefined) feedAcross(call, fed!, input).catch(() => {});
      return await ended;
    },
    sweep: (tag) => call("processes", "sweep", [tag]),
  };
}

function reachWorktrees(call: Reach): Worktrees {
  const ask = <T>(verb: keyof Worktrees, ...args: readonly unknown[]) =>
    call<T>("worktrees", verb, args);
  return {
    add: ({ root }, plan) => ask("add", root, plan),
    list: ({ root }) => ask("list", root),
    obstacles: ({ root }) => ask("obstacles", root),
    submoduleChanges: ({ root }, path) => ask("submoduleChanges", root, path),
    remove: ({ root }, path, options) => ask("remove", root, path, options),
    retire: ({ root }, path) => ask("retire", root, path),
    trimPool: (keepMs) => ask("trimPool", keepMs),
    async hold({ root }, holding) {
      type Answer = { readonly handle: number } | Exclude<HeldTree, { lock: Disposable }>;
      const held = await call<Answer>("lock", "hold", [root, holding]);
      if (!("handle" in held)) return held;
      return {
        lock: { [Symbol.dispose]: () => void call("lock", "release", [held.handle]) },
      };
    },
    reuse: ({ root }, plan) => ask("reuse", root, plan),
    mark: ({ root }, path) => ask("mark", root, path),
    setUp: ({ root }, path, key) => ask("setUp", root, path, key),
    move: ({ root }, from, to) => ask("move", root, from, to),
    keep: ({ root }, plan) => ask("keep", root, plan),
    leftovers: ({ root }, at) => ask("leftovers", root, at),
    jobsWithLeftovers: ({ root }) => ask("jobsWithLeftovers", root),
    dropLeftovers: ({ root }, jobs) => ask("dropLeftovers", root, jobs),
    putBack: ({ root }, path, spared) => ask("putBack", root, path, spared),
    uncommit: ({ root }, path, commit) => ask("uncommit", root, path, commit),
    branches: ({ root }) => ask("branches", root),
    deleteMerged: ({ root }, branch, into, merged) =>
      ask("deleteMerged", root, branch, into, merged),
    merge: ({ root }, plan) => ask("merge", root, plan),
    mergeCommit: ({ root }, plan) => ask("mergeCommit", root, plan),
    pulled: ({ root }, plan) => ask("pulled", root, plan),
    tip: ({ root }, branch) => ask("tip", root, branch),
    addsNothing: ({ root }, from, into) => ask("addsNothing", root, from, into),
    ahead: ({ root }, from, into) => ask("ahead", root, from, into),
    patch: ({ root }, from, into) => ask("patch", root, from, into),
  };
}

function reachRemotes(call: Reach): Remotes {
  const ask = <T>(verb: keyof Remotes, ...args: readonly unknown[]) =>
    call<T>("remotes", verb, args);
  return {
    branchOf: (url, named) => ask("branchOf", url, named),
    clone: (remote) => ask("clone", remote),
    fetch: ({ root }, remote) => ask("fetch", root, remote),
    reset: ({ root }, at) => ask("reset", root, at),
    land: ({ root }, remote, expected) => ask("land", root, remote, expected),
    hand: ({ root }, remote, branch) => ask("hand", root, remote, branch),
    standing: ({ root }, branch) => ask("standing", root, branch),
    tipThere: ({ root }, branch) => ask("tipThere", root, branch),
    adopt: ({ root }, branch) => ask("adopt", root, branch),
    unpushed: ({ root }) => ask("unpushed", root),
    hasCommit: ({ root }, commit) => ask("hasCommit", root, commit),
    handed: ({ root }) => ask("handed", root),
    withdraw: ({ root }, remote, branches) => ask("withdraw", root, remote, branches),
    asides: ({ root }) => ask("asides", root),
    dropAsides: ({ root }, asides) => ask("dropAsides", root, asides),
    pack: ({ root }) => ask("pack", root),
  };
}

/** svc's files in a git folder go through the broker, every other path as this Worker may. */
function reachFiles(call: Reach, local: Files): Files {
  const isState = (path: string) => STATE_FILES.includes(path.slice(path.lastIndexOf("/") + 1));
  return {
    ...local,
    stat: (path) =>
      isState(path) ? call<FileFacts | undefined>("state", "stat", [path]) : local.stat(path),
    async readText(path, options) {
      if (!isState(path)) return await local.readText(path, options);
      const { bytes, truncated } = await call<FileContent>("state", "read", [
        path,
        options.maxBytes,
      ]);
      if (!truncated) return new TextDecoder("utf-8", { fatal: !options.lossy }).decode(bytes);
      throw new Failure("environment", `Cannot read ${quoted(path)}: it is too large`);
    },
    async writeAtomic(path, content, options) {
      if (!isState(path)) return await local.writeAtomic(path, content, options);
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await call("state", "write", [path, bytes]);
    },
  };
}

export function reachRepos(port: MessagePort, local: Files) {
  const call = reach(port);
  return {
    git: reachGit(call),
    folder: (path: string) => reachFolder(call, path),
    readTree: reachTree(call),
    commits: reachCommits(call),
    lockRepo: reachLock(call),
    processes: reachProcesses(call),
    worktrees: reachWorktrees(call),
    remotes: reachRemotes(call),
    files: reachFiles(call, local),
    terminal: terminalOver({
      take: () => call("terminal", "take", []),
      takeKeys: () => call("terminal", "takeKeys", []),
      giveBack: () => call("terminal", "giveBack", []),
    }),
    diskFree: () => call<number>("disk", "free", []),
    removeOwn: (path: string) => call<Removed>("own", "remove", [path]),
    identities: {
      self: () => call("identities", "self", []),
      life: (other) => call("identities", "life", [other]),
    } satisfies Identities,
  };
}
