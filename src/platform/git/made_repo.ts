/** A new repo of svc's own making, with commits that it is given; nothing of the user's git config counts in it. */
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Processes } from "svc/platform/process/process.ts";

interface MadeRepoPorts {
  readonly files: Pick<Files, "makeFolder" | "writeAtomic">;
  readonly processes: Processes;
  /** Where git is looked for. */
  readonly path: string;
  readonly signal: AbortSignal;
}

/** Texts by path. */
type FileTexts = Readonly<Record<string, string>>;

export interface MadeRepo {
  readonly root: string;
  /** Adds or replaces these files in one commit on the branch that is checked out. */
  commit(files: FileTexts, message: string): Promise<void>;
  /** Makes a branch of the present commit, and checks it out. */
  branch(name: string): Promise<void>;
  checkOut(branch: string): Promise<void>;
  /** The file as a branch has it; undefined where it has none. */
  show(branch: string, path: string): Promise<string | undefined>;
}

const PERSON = { name: "svc smoke test", email: "smoke@localhost" };

/** @param root an absolute path; missing folders are made */
export async function madeRepo(ports: MadeRepoPorts, root: string): Promise<MadeRepo> {
  const { files, processes, signal } = ports;
  const env = {
    PATH: ports.path,
    HOME: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C",
  };
  const ask = (args: readonly string[]) =>
    processes.run({ program: "git", args, cwd: root, env, signal });
  const git = async (...args: readonly string[]) => {
    const { code, stderr } = await ask(args);
    signal.throwIfAborted();
    if (code === 0) return;
    throw new Failure("environment", `Cannot make a repo for a smoke test: git ${args[0]} failed`, {
      cause: new Error(capturedText(stderr)),
      remedy: "git --version",
    });
  };
  await files.makeFolder(root);
  await git("init", "--quiet", "--initial-branch", "main");
  await git("config", "user.name", PERSON.name);
  await git("config", "user.email", PERSON.email);
  return {
    root,
    async commit(texts, message) {
      for (const [path, text] of Object.entries(texts)) {
        const at = `${root}/${path}`;
        await files.makeFolder(at.slice(0, at.lastIndexOf("/")));
        await files.writeAtomic(at, text, { mode: 0o644 });
      }
      await git("add", "--all");
      await git("commit", "--quiet", "--message", message);
    },
    branch: (name) => git("checkout", "--quiet", "-b", name),
    checkOut: (branch) => git("checkout", "--quiet", branch),
    async show(branch, path) {
      const { code, stdout } = await ask(["show", `${branch}:${path}`]);
      return code === 0 ? capturedText(stdout) : undefined;
    },
  };
}
