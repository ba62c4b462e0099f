/** What the main thread does for a confined Worker: reads for any, writes and programs for the host profile. */
import { BROKER_BATCH_BYTES, FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { type Admitted, admittedRepos } from "./admitted_repos.ts";
import { type Method, type Offer, only } from "./broker.ts";
import {
  FOLDER_READS,
  FOLDER_WRITES,
  GIT_READS,
  STATE_FILES,
  USER_SETTINGS,
} from "./brokered_verbs.ts";
import { offerProcesses, offerTree } from "./brokered_work.ts";
import type { Clock } from "svc/platform/clock.ts";
import { Handles } from "./broker_handles.ts";
import type { Folder, OpenFolder } from "svc/platform/files/folder.ts";
import type { CommitPlan, Commits } from "svc/platform/git/commit.ts";
import type { Blob, Git, GitRepo } from "svc/platform/git/git.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { type Identities } from "svc/platform/process/identity.ts";
import type { LockRepo } from "svc/platform/git/repo_lock.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { MergePlan, WorktreePlan, Worktrees } from "svc/platform/git/worktrees.ts";

/** What the broker works with; all of the main thread. */
export interface BrokerPorts {
  readonly git: Git;
  readonly commits: Commits;
  readonly worktrees: Worktrees;
  readonly processes: Processes;
  readonly readTree: ReadTree;
  readonly lockRepo: LockRepo;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly identities: Identities;
  diskFree(): Promise<number>;
  folder(root: string): Promise<OpenFolder>;
  readonly home: { readonly worktrees: string };
}

export interface Confines {
  readonly profile: "observer" | "host";
  /** Real paths. */
  readonly repos: readonly string[];
}

type Methods = Offer[string];

/** Gives the methods only where they may be had. */
const when = (allowed: boolean, methods: Methods): Methods => allowed ? methods : {};

function offerGit({ git }: BrokerPorts, admitted: Admitted): Methods {
  type Verb = (...args: readonly unknown[]) => Promise<unknown>;
  const verbs = GIT_READS.map((verb): [string, Method] => [
    verb,
    async ([root, interruptible, ...args]) =>
      await ((await admitted.repo(root, interruptible === true))[verb] as Verb)(...args),
  ]);
  return {
    version: () => git.version(),
    userSetting([key]) {
      if (USER_SETTINGS.includes(String(key))) return git.userSetting(String(key));
      throw new Failure("refused", `Cannot read your git setting ${quoted(String(key))}`);
    },
    async open([path, interruptible]): Promise<RepoFacts> {
      const repo = await admitted.open(path, interruptible === true);
      const { root, gitDir, commonDir, branch, operation } = repo;
      return { root, gitDir, commonDir, branch, operation };
    },
    ...Object.fromEntries(verbs),
    async catFiles([root, interruptible, oids, maxBytes], { emit, signal }) {
      const repo = await admitted.repo(root, interruptible === true);
      let [blobs, bytes]: [Blob[], number] = [[], 0];
      const flush = async () => {
        if (blobs.length > 0) await emit(blobs);
        [blobs, bytes] = [[], 0];
      };
      await repo.catFiles(oids as readonly string[], async (blob) => {
        if (signal.aborted) throw new Failure("interrupted", "Cannot read objects: given up");
        // A view of a larger buffer would cross the port with all of it.
        blobs.push(blob.state === "read" ? { ...blob, bytes: blob.bytes.slice() } : blob);
        bytes += blob.state === "read" ? blob.bytes.length : 0;
        if (bytes >= BROKER_BATCH_BYTES) await flush();
      }, maxBytes as number | undefined);
      await flush();
    },
  };
}

function offerFolder(admitted: Admitted, folders: Handles<OpenFolder>, writable: boolean): Methods {
  type Verb = (...args: readonly unknown[]) => Promise<unknown>;
  const on = (verb: keyof Folder): Method => ([handle, ...args]) =>
    (folders.get(handle)[verb] as Verb).apply(folders.get(handle), [...args]);
  const verbs = writable ? [...FOLDER_READS, ...FOLDER_WRITES] : FOLDER_READS;
  return {
    async open([path]) {
      const folder = await admitted.folder(path);
      return { handle: folders.add(folder), root: folder.root };
    },
    close: ([handle]) => folders.release(handle),
    ...Object.fromEntries(verbs.map((verb) => [verb, on(verb)])),
    // The Worker is not trusted with the memory of this thread either.
    read([handle, path, options]) {
      const maxBytes = Math.min((options as { maxBytes: number }).maxBytes, FILE_WRITE_BYTES);
      return folders.get(handle).read(String(path), { maxBytes });
    },
  };
}

function offerCommits(ports: BrokerPorts, admitted: Admitted, writable: boolean): Methods {
  const { commits } = ports;
  /** In a folder of this thread's own: the Worker's handle may be one of another repo. */
  const inFolder =
    (work: (repo: GitRepo, folder: Folder, plan: unknown) => Promise<unknown>) =>
    async ([root, plan]: readonly unknown[]) => {
      const repo = await admitted.repo(root);
      using folder = await ports.folder(repo.root);
      return await work(repo, folder, plan);
    };
  type Paths = Parameters<Commits["commitPaths"]>[2];
  return {
    tip: async ([root]) => await commits.tip(await admitted.repo(root)),
    mustTakeCommits: async ([root, doing]) =>
      await commits.mustTakeCommits(await admitted.repo(root), String(doing)),
    namesEverAdded: async ([root, under, seen]) =>
      await commits.namesEverAdded(
        await admitted.repo(root),
        String(under),
        seen as readonly string[],
      ),
    ...when(writable, {
      commit: inFolder((repo, folder, plan) => commits.commit(repo, folder, plan as CommitPlan)),
      commitPaths: inFolder((repo, folder, plan) =>
        commits.commitPaths(repo, folder, plan as Paths)
      ),
      recover: inFolder((repo, folder) => commits.recover(repo, folder)),
    }),
  };
}

function offerWorktrees({ worktrees }: BrokerPorts, admitted: Admitted, writable: boolean) {
  return {
    list: async ([root]) => await worktrees.list(await admitted.repo(root)),
    tip: async ([root, branch]) => await worktrees.tip(await admitted.repo(root), String(branch)),
    ahead: async ([root, from, into]) =>
      await worktrees.ahead(await admitted.repo(root), String(from), String(into)),
    patch: async ([root, from, into]) =>
      await worktrees.patch(await admitted.repo(root), String(from), String(into)),
    ...when(writable, {
      async add([root, plan]) {
        const made = await worktrees.add(await admitted.repo(root), plan as WorktreePlan);
        admitted.forget(made.path);
        return made;
      },
      async remove([root, path, options]) {
        const discard = (options as { discard?: unknown } | undefined)?.discard === true;
        await worktrees.remove(await admitted.repo(root), String(path), { discard });
        admitted.forget(path);
      },
      async move([root, from, to]) {
        const moved = await worktrees.move(await admitted.repo(root), String(from), String(to));
        for (const path of [from, to]) admitted.forget(path);
        return moved;
      },
      deleteMerged: async ([root, branch, into]) =>
        await worktrees.deleteMerged(await admitted.repo(root), String(branch), String(into)),
      // Git can only tell by writing the tree of the merge.
      addsNothing: async ([root, from, into]) =>
        await worktrees.addsNothing(await admitted.repo(root), String(from), String(into)),
      merge: async ([root, plan]) =>
        await worktrees.merge(await admitted.repo(root), plan as MergePlan),
    }),
  } satisfies Methods;
}

function offerLock(ports: BrokerPorts, admitted: Admitted, locks: Handles<Disposable>): Methods {
  return {
    async take([root, doing, waitMs], { signal }) {
      const lock = await ports.lockRepo(await admitted.repo(root), {
        doing: String(doing),
        clock: ports.clock,
        signal,
        ...(typeof waitMs === "number" && { waitMs }),
      });
      return { handle: locks.add(lock), path: lock.path };
    },
    release: ([handle]) => locks.release(handle),
  };
}

/** Through a contained folder: a repo may bring a link of such a name. */
function offerState(ports: BrokerPorts, admitted: Admitted, writable: boolean): Methods {
  async function at<T>(path: unknown, work: (folder: Folder, name: string) => Promise<T>) {
    const [, above = "", name = ""] = /^(.*)\/([^/]+)$/s.exec(String(path)) ?? [];
    if (!STATE_FILES.includes(name) || !await admitted.owns(above)) {
      throw new Failure("refused", `Cannot use ${quoted(String(path))}: it is no state of svc`);
    }
    using folder = await ports.folder(above);
    return await work(folder, name);
  }
  return {
    stat: ([path]) => at(path, (folder, name) => folder.stat(name)),
    read: ([path, maxBytes]) =>
      at(
        path,
        (folder, name) =>
          folder.read(name, { maxBytes: Math.min(maxBytes as number, FILE_WRITE_BYTES) }),
      ),
    ...when(writable, {
      write: ([path, bytes]) =>
        at(path, (folder, name) => folder.write(name, bytes as Uint8Array, { mode: 0o600 })),
    }),
  };
}

/** A repo without its verbs: data that can cross the port. */
export type RepoFacts = Pick<GitRepo, "root" | "gitDir" | "commonDir" | "branch" | "operation">;

/** Disposing it lets go of every folder and lock that the Worker held. */
export function offerRepos(ports: BrokerPorts, { profile, repos }: Confines): Disposable & {
  readonly objects: Offer;
} {
  const admitted = admittedRepos(ports, { repos, worktrees: ports.home.worktrees });
  const writable = profile === "host";
  const folders = new Handles<OpenFolder>();
  const locks = new Handles<Disposable>();
  return {
    objects: {
      git: offerGit(ports, admitted),
      folder: offerFolder(admitted, folders, writable),
      tree: offerTree(ports.readTree, admitted),
      commits: offerCommits(ports, admitted, writable),
      worktrees: offerWorktrees(ports, admitted, writable),
      state: offerState(ports, admitted, writable),
      identities: only(ports.identities, ["self", "life"]),
      disk: { free: () => ports.diskFree() },
      lock: when(writable, offerLock(ports, admitted, locks)),
      processes: when(writable, offerProcesses(ports.processes)),
    },
    [Symbol.dispose]() {
      locks[Symbol.dispose]();
      folders[Symbol.dispose]();
    },
  };
}
