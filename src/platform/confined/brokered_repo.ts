/** What the main thread does for a confined Worker: reads for every profile, writes and programs for host. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { type AdmittedRepos, admittedRepos } from "./admitted_repos.ts";
import { type BrokerOffer, type OfferedMethod, only } from "./broker.ts";
import { FOLDER_READS, FOLDER_WRITES, STATE_FILES } from "./brokered_verbs.ts";
import { offerGit, offerProcesses, offerTree, type SandboxedJobs } from "./brokered_work.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Folder, OpenFolder } from "svc/platform/files/folder.ts";
import type { RemoveOwn } from "svc/platform/files/remove_below.ts";
import type { CommitPlan, Commits } from "svc/platform/git/commit.ts";
import type { Git, GitRepo } from "svc/platform/git/git.ts";
import type { KeepPlan } from "svc/platform/git/leftovers.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import type { Aside, RemoteRepo, Remotes, Withdrawal } from "svc/platform/git/remotes.ts";
import type { LockRepo } from "svc/platform/git/repo_lock.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type {
  MergePlan,
  PulledMerge,
  TreeHolding,
  WorktreePlan,
  WorktreeReuse,
  Worktrees,
} from "svc/platform/git/worktrees.ts";

interface BrokerPorts {
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
  readonly removeOwn: RemoveOwn;
  readonly remotes: Remotes;
  readonly home: { readonly repos: string; readonly worktrees: string };
}

interface Confines {
  readonly profile: "observer" | "host";
  readonly repos: readonly string[];
  readonly sandboxed?: Pick<SandboxedJobs, "outside"> | undefined;
}

/** Folders and locks of one confined Worker; each costs a descriptor. */
const BROKER_HANDLES = 256;

class Handles<T extends Disposable> implements Disposable {
  readonly #things = new Map<number, T>();
  #last = 0;
  #open = true;

  add(thing: T): number {
    if (this.#open && this.#things.size < BROKER_HANDLES) {
      this.#things.set(++this.#last, thing);
      return this.#last;
    }
    thing[Symbol.dispose]();
    throw new Failure("too_busy", `Cannot hold more than ${BROKER_HANDLES} folders or locks`, {
      remedy: "Let go of some first",
    });
  }

  get(handle: unknown): T {
    const thing = this.#things.get(handle as number);
    if (thing !== undefined) return thing;
    throw new Failure("internal", "Cannot use a folder or lock that was let go of");
  }

  release(handle: unknown): void {
    const thing = this.#things.get(handle as number);
    this.#things.delete(handle as number);
    thing?.[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.#open = false;
    for (const handle of [...this.#things.keys()]) this.release(handle);
  }
}

type Methods = BrokerOffer[string];

const when = (allowed: boolean, methods: Methods): Methods => allowed ? methods : {};

function offerFolder(
  admitted: AdmittedRepos,
  folders: Handles<OpenFolder>,
  writable: boolean,
): Methods {
  type Verb = (...args: readonly unknown[]) => Promise<unknown>;
  const on = (verb: keyof Folder): OfferedMethod => ([handle, ...args]) =>
    (folders.get(handle)[verb] as Verb).apply(folders.get(handle), [...args]);
  const verbs = writable ? [...FOLDER_READS, ...FOLDER_WRITES] : FOLDER_READS;
  return {
    async open([path]) {
      const folder = await admitted.folder(path);
      return { handle: folders.add(folder), root: folder.root };
    },
    close: ([handle]) => folders.release(handle),
    ...Object.fromEntries(verbs.map((verb) => [verb, on(verb)])),
    // Bounded again: the Worker might ask for all the memory of this thread.
    read([handle, path, options]) {
      const maxBytes = Math.min((options as { maxBytes: number }).maxBytes, FILE_WRITE_BYTES);
      return folders.get(handle).read(String(path), { maxBytes });
    },
  };
}

function offerCommits(ports: BrokerPorts, admitted: AdmittedRepos, writable: boolean): Methods {
  const { commits } = ports;
  /** Opens the repo's folder itself: a handle of the Worker might be one of another repo. */
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

function offerWorktrees({ worktrees }: BrokerPorts, admitted: AdmittedRepos, writable: boolean) {
  return {
    list: async ([root]) => await worktrees.list(await admitted.repo(root)),
    obstacles: async ([root]) => await worktrees.obstacles(await admitted.repo(root)),
    submoduleChanges: async ([root, path]) =>
      await worktrees.submoduleChanges(await admitted.repo(root), String(path)),
    branches: async ([root]) => await worktrees.branches(await admitted.repo(root)),
    tip: async ([root, branch]) => await worktrees.tip(await admitted.repo(root), String(branch)),
    ahead: async ([root, from, into]) =>
      await worktrees.ahead(await admitted.repo(root), String(from), String(into)),
    patch: async ([root, from, into]) =>
      await worktrees.patch(await admitted.repo(root), String(from), String(into)),
    mark: async ([root, path]) => await worktrees.mark(await admitted.repo(root), String(path)),
    leftovers: async ([root, at]) =>
      await worktrees.leftovers(await admitted.repo(root), at as { branch: string; base: string }),
    jobsWithLeftovers: async ([root]) =>
      await worktrees.jobsWithLeftovers(await admitted.repo(root)),
    ...when(writable, {
      dropLeftovers: async ([root, jobs]) =>
        await worktrees.dropLeftovers(await admitted.repo(root), jobs as readonly string[]),
      keep: async ([root, plan]) =>
        await worktrees.keep(await admitted.repo(root), plan as KeepPlan),
      putBack: async ([root, path, spared]) =>
        await worktrees.putBack(await admitted.repo(root), String(path), spared as string[]),
      uncommit: async ([root, path, commit]) =>
        await worktrees.uncommit(await admitted.repo(root), String(path), String(commit)),
      async reuse([root, plan]) {
        const asked = plan as WorktreeReuse;
        const reused = await worktrees.reuse(await admitted.repo(root), asked);
        admitted.forget(asked.path);
        return reused;
      },
      async retire([root, path]) {
        await worktrees.retire(await admitted.repo(root), String(path));
        admitted.forget(path);
      },
      trimPool: async ([keepMs]) => await worktrees.trimPool(Number(keepMs)),
      setUp: async ([root, path, key]) =>
        await worktrees.setUp(await admitted.repo(root), String(path), String(key)),
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
      async deleteMerged([root, branch, into, merged]) {
        const repo = await admitted.repo(root);
        const commit = typeof merged === "string" ? merged : undefined;
        return await worktrees.deleteMerged(repo, String(branch), String(into), commit);
      },
      // Git can only tell by writing the tree of the merge, so this counts as a write.
      addsNothing: async ([root, from, into]) =>
        await worktrees.addsNothing(await admitted.repo(root), String(from), String(into)),
      merge: async ([root, plan]) =>
        await worktrees.merge(await admitted.repo(root), plan as MergePlan),
      mergeCommit: async ([root, plan]) =>
        await worktrees.mergeCommit(await admitted.repo(root), plan as MergePlan),
      pulled: async ([root, plan]) =>
        await worktrees.pulled(await admitted.repo(root), plan as PulledMerge),
    }),
  } satisfies Methods;
}

/** A clone is svc's own: an observer, too, has it made. */
function offerRemotes({ remotes }: BrokerPorts, admitted: AdmittedRepos, writable: boolean) {
  const of = (remote: unknown) => remote as RemoteRepo;
  return {
    clone: ([remote]) => remotes.clone(of(remote)),
    standing: async ([root, branch]) =>
      await remotes.standing(await admitted.clone(root), String(branch)),
    tipThere: async ([root, branch]) =>
      await remotes.tipThere(await admitted.clone(root), String(branch)),
    unpushed: async ([root]) => await remotes.unpushed(await admitted.clone(root)),
    hasCommit: async ([root, commit]) =>
      await remotes.hasCommit(await admitted.clone(root), String(commit)),
    handed: async ([root]) => await remotes.handed(await admitted.clone(root)),
    asides: async ([root]) => await remotes.asides(await admitted.clone(root)),
    ...when(writable, {
      fetch: async ([root, remote]) => await remotes.fetch(await admitted.clone(root), of(remote)),
      reset: async ([root, at]) =>
        await remotes.reset(await admitted.clone(root), at as { branch: string; commit: string }),
      adopt: async ([root, branch]) =>
        await remotes.adopt(await admitted.clone(root), String(branch)),
      land: async ([root, remote, expected]) =>
        await remotes.land(await admitted.clone(root), of(remote), String(expected)),
      hand: async ([root, remote, branch]) =>
        await remotes.hand(await admitted.clone(root), of(remote), String(branch)),
      withdraw: async ([root, remote, branches]) =>
        await remotes.withdraw(
          await admitted.clone(root),
          of(remote),
          branches as readonly Withdrawal[],
        ),
      dropAsides: async ([root, asides]) =>
        await remotes.dropAsides(await admitted.clone(root), asides as readonly Aside[]),
      pack: async ([root]) => await remotes.pack(await admitted.clone(root)),
    }),
  } satisfies Methods;
}

function offerLock(
  ports: BrokerPorts,
  admitted: AdmittedRepos,
  locks: Handles<Disposable>,
): Methods {
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
    async hold([root, holding]) {
      const held = await ports.worktrees.hold(await admitted.repo(root), holding as TreeHolding);
      return "lock" in held ? { handle: locks.add(held.lock) } : held;
    },
    release: ([handle]) => locks.release(handle),
  };
}

/** Uses a contained folder: a repo may bring a link of such a name. */
function offerState(ports: BrokerPorts, admitted: AdmittedRepos, writable: boolean): Methods {
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

/** Disposing it lets go of every folder and lock that the Worker held. */
export function offerRepos(
  ports: BrokerPorts,
  { profile, repos, sandboxed }: Confines,
): Disposable & {
  readonly objects: BrokerOffer;
} {
  const { worktrees, repos: clones } = ports.home;
  const admitted = admittedRepos(ports, { repos, worktrees, clones });
  const writable = profile === "host";
  const folders = new Handles<OpenFolder>();
  const locks = new Handles<Disposable>();
  return {
    objects: {
      git: offerGit(ports.git, admitted),
      folder: offerFolder(admitted, folders, writable),
      tree: offerTree(ports.readTree, admitted),
      commits: offerCommits(ports, admitted, writable),
      worktrees: offerWorktrees(ports, admitted, writable),
      remotes: offerRemotes(ports, admitted, writable),
      state: offerState(ports, admitted, writable),
      identities: only(ports.identities, ["self", "life"]),
      disk: { free: () => ports.diskFree() },
      own: { remove: ([path]) => ports.removeOwn(String(path)) },
      lock: when(writable, offerLock(ports, admitted, locks)),
      processes: when(
        writable,
        offerProcesses(ports.processes, sandboxed && { ...admitted, ...sandboxed }),
      ),
    },
    [Symbol.dispose]() {
      locks[Symbol.dispose]();
      folders[Symbol.dispose]();
    },
  };
}
