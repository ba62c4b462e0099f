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
  /** True for the git folder that the work trees of an admitted repo share. */
  owns(commonDir: string): Promise<boolean>;
  forget(root: unknown): void;
}

interface AdmissionPorts {
  readonly git: Git;
  folder(root: string): Promise<OpenFolder>;
  readonly signal: AbortSignal;
}

const inside = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** `repos` are real paths; svc's own `worktrees` of an admitted repo are admitted too. */
export function admittedRepos(
  { git, folder, signal }: AdmissionPorts,
  { repos, worktrees }: { readonly repos: readonly string[]; readonly worktrees: string },
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

  async function commonDirs(): Promise<ReadonlySet<string>> {
    const found = await Promise.all(
      repos.map((root) => git.open(root).then(({ commonDir }) => commonDir, () => undefined)),
    );
    lacking = found.includes(undefined);
    return new Set(found.filter((commonDir) => commonDir !== undefined));
  }

  const ownWorktrees = () => Deno.realPath(worktrees).catch(() => worktrees);
  const owns = async (commonDir: string) => {
    if ((await (shared ??= commonDirs())).has(commonDir)) return true;
    if (!lacking) return false;
    // A missing repo may have come back, such as with a disk that is mounted again.
    return (await (shared = commonDirs())).has(commonDir);
  };

  async function open(path: unknown, interruptible: boolean): Promise<GitRepo> {
    if (typeof path !== "string") refuse(path);
    // For a path that does not exist, git gives the message, if the path is allowed at all.
    const real = await Deno.realPath(path).catch(() => path);
    const own = await ownWorktrees();
    if (![...repos, own].some((folder) => inside(real, folder))) refuse(path);
    const repo = await git.open(real, interruptible ? { signal } : {});
    // A nested repo, or a work tree of another one, may lie inside an admitted folder.
    const admitted = repos.includes(repo.root) ||
      (repo.root.startsWith(`${own}/`) && await owns(repo.commonDir));
    if (!admitted) refuse(path);
    opened.set(keyOf(repo.root, interruptible), repo);
    return repo;
  }

  return {
    open,
    repo: async (root, interruptible = false) =>
      opened.get(keyOf(String(root), interruptible)) ?? await open(root, interruptible),

    async folder(path) {
      if (typeof path !== "string") refuse(path);
      const real = await Deno.realPath(path).catch(() => path);
      if (!repos.includes(real) && (await open(real, false)).root !== real) refuse(path);
      const held = await folder(real);
      if (held.root === real) return held;
      held[Symbol.dispose]();
      refuse(path);
    },

    owns,

    forget(root) {
      for (const interruptible of [true, false]) opened.delete(keyOf(String(root), interruptible));
    },
  };
}
