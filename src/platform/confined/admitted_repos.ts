/** The repos that a confined Worker may name, opened by the main thread. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { Git, GitRepo } from "svc/platform/git/git.ts";

export interface AdmittedRepos {
  /** Only the path counts of what a Worker says. @throws Failure `refused` for any other repo */
  open(path: unknown, interruptible: boolean): Promise<GitRepo>;
  /** Opens it if needed; `root` is as `open` gave it. */
  repo(root: unknown, interruptible?: boolean): Promise<GitRepo>;
  folder(path: unknown): Promise<OpenFolder>;
  /** A clone of svc's own: the checkout of no person. @throws Failure `refused` for any other repo */
  clone(root: unknown): Promise<GitRepo>;
  /** True for the git folder that the work trees of an admitted repo share. */
  owns(commonDir: string): Promise<boolean>;
  forget(root: unknown): void;
}

interface AdmissionPorts {
  readonly git: Git;
  folder(root: string): Promise<OpenFolder>;
  readonly signal: AbortSignal;
}

/** Sync: it takes some 10 us, awaiting it 100, and each repo is opened several times in a job. */
function realOr(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}

const inside = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

interface Admission {
  /** Real paths. */
  readonly repos: readonly string[];
  /** svc's own; those of an admitted repo are admitted too. */
  readonly worktrees: string;
  /** Folder of svc's own clones, which are all admitted. */
  readonly clones: string;
}

export function admittedRepos(
  { git, folder, signal }: AdmissionPorts,
  { repos, worktrees, clones }: Admission,
): AdmittedRepos {
  const opened = new Map<string, GitRepo>();
  let shared: Promise<ReadonlySet<string>> | undefined;
  let lacking = false;

  const keyOf = (root: string, interruptible: boolean) => `${interruptible} ${root}`;

  function refuse(path: unknown): never {
    const to = repos.length === 0 ? "no repo" : repos.map(quoted).join(", ");
    throw new Failure(
      "refused",
      `Cannot open ${quoted(String(path))}: this run is confined to ${to}`,
      { remedy: repos[0] === undefined ? "Name a repo" : `Use a path inside ${quoted(repos[0])}` },
    );
  }

  const ownClones = () => realOr(clones);
  /** As `cloneRoot` says: the id's folder, and the clone in it. */
  const isClone = (root: string, own: string) =>
    root.startsWith(`${own}/`) && /^[0-9a-f]{12}\/\w[\w.-]*$/.test(root.slice(own.length + 1));

  async function commonDirs(): Promise<ReadonlySet<string>> {
    const found = await Promise.all(
      repos.map((root) => git.open(root).then(({ commonDir }) => commonDir, () => undefined)),
    );
    lacking = found.includes(undefined);
    return new Set(found.filter((commonDir) => commonDir !== undefined));
  }

  const ownWorktrees = () => realOr(worktrees);
  const owns = async (commonDir: string) => {
    const ofClone = commonDir.endsWith("/.git") &&
      isClone(commonDir.slice(0, -"/.git".length), ownClones());
    if (ofClone) return true;
    if ((await (shared ??= commonDirs())).has(commonDir)) return true;
    if (!lacking) return false;
    // A missing repo may have come back, such as with a disk that is mounted again.
    return (await (shared = commonDirs())).has(commonDir);
  };

  async function open(path: unknown, interruptible: boolean): Promise<GitRepo> {
    if (typeof path !== "string") refuse(path);
    // For a path that does not exist, git gives the message, if the path is allowed at all.
    const real = realOr(path);
    const [own, cloned] = [ownWorktrees(), ownClones()];
    if (![...repos, own, cloned].some((folder) => inside(real, folder))) refuse(path);
    const repo = await git.open(real, interruptible ? { signal } : {});
    // A nested repo, or a work tree of another one, may lie inside an admitted folder.
    const admitted = repos.includes(repo.root) || isClone(repo.root, cloned) ||
      (repo.root.startsWith(`${own}/`) && await owns(repo.commonDir));
    if (!admitted) refuse(path);
    opened.set(keyOf(repo.root, interruptible), repo);
    return repo;
  }

  const repo = async (root: unknown, interruptible = false) =>
    opened.get(keyOf(String(root), interruptible)) ?? await open(root, interruptible);

  return {
    open,
    repo,

    async folder(path) {
      if (typeof path !== "string") refuse(path);
      const real = realOr(path);
      if (!repos.includes(real) && (await open(real, false)).root !== real) refuse(path);
      const held = await folder(real);
      if (held.root === real) return held;
      held[Symbol.dispose]();
      refuse(path);
    },

    async clone(root) {
      const found = await repo(root);
      return isClone(found.root, ownClones()) ? found : refuse(root);
    },

    owns,

    forget(root) {
      for (const interruptible of [true, false]) opened.delete(keyOf(String(root), interruptible));
    },
  };
}
