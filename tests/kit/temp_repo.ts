/** Temporary folders and real git repos that remove themselves. */

export interface TempFolder extends AsyncDisposable {
  /** Real, absolute. */
  readonly path: string;
  /** Writes a file below the folder, with the folders it needs. */
  write(
    file: string,
    content: string | Uint8Array,
    options?: { readonly executable?: boolean },
  ): Promise<void>;
  read(file: string): Promise<string>;
}

export interface TempRepo extends TempFolder {
  /** Runs plain git, as a user would; gives its standard output. @throws when git fails */
  git(...args: string[]): Promise<string>;
  /** Writes the files, stages everything and commits; gives the commit's id. */
  commit(message: string, files?: Files): Promise<string>;
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface RepoPlan {
  readonly files?: Files;
  /** Commits `files`; without it they are left untracked. */
  readonly commit?: boolean;
  /** "main" unless said otherwise. */
  readonly branch?: string;
}

export async function tempFolder(prefix = "svc-test-"): Promise<TempFolder> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix }));
  return {
    path,
    async write(file, content, { executable = false } = {}) {
      const target = `${path}/${file}`;
      await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
      if (typeof content === "string") await Deno.writeTextFile(target, content);
      else await Deno.writeFile(target, content);
      if (executable) await Deno.chmod(target, 0o755);
    },
    read: (file) => Deno.readTextFile(`${path}/${file}`),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** Neither the user's nor the machine's configuration; a fixed author and date. */
const GIT_ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  LC_ALL: "C",
  HOME: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  // Each commit would start a process that finds nothing to do.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};

export interface PlainGit {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Plain git, with no hardening at all; a failure is an answer. */
export async function plainGit(
  cwd: string,
  args: readonly string[],
  options: { readonly env?: Record<string, string> } = {},
): Promise<PlainGit> {
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: [...args],
    cwd,
    env: { ...GIT_ENV, ...options.env },
    clearEnv: true,
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** A repo around a folder that is already there. */
export function repoIn(folder: TempFolder): TempRepo {
  const git = async (...args: string[]) => {
    const { code, stdout, stderr } = await plainGit(folder.path, args);
    if (code !== 0) throw new Error(`git ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return {
    ...folder,
    git,
    async commit(message, files = {}) {
      for (const [file, content] of Object.entries(files)) await folder.write(file, content);
      await git("add", "--all");
      await git("commit", "--quiet", "--allow-empty", "--message", message);
      return (await git("rev-parse", "HEAD")).trim();
    },
  };
}

/**
 * ```ts
 * await using repo = await tempRepo({ files: { "a.txt": "one" }, commit: true });
 * await repo.git("mv", "a.txt", "b.txt");
 * ```
 */
export async function tempRepo(plan: RepoPlan = {}): Promise<TempRepo> {
  const repo = repoIn(await tempFolder());
  await repo.git("init", "--quiet", "--initial-branch", plan.branch ?? "main");
  if (plan.commit) {
    await repo.commit("first", plan.files);
  } else {
    for (const [file, content] of Object.entries(plan.files ?? {})) await repo.write(file, content);
  }
  return repo;
}
