/** Reinstalls svc by its own `make update-tool`, in a source checkout that a person named. */
import { shellWord } from "svc/core/shell_word.ts";
import { CHILD_TIMEOUT_MAX_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Entrance, Env } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Git } from "svc/platform/git/git.ts";
import { howItEnded, type Processes } from "svc/platform/process/process.ts";

interface ReinstallPorts {
  readonly env: Pick<Env, "all">;
  readonly runtime: Pick<Entrance["runtime"], "root">;
  readonly processes: Pick<Processes, "run">;
  readonly progress: { update(text: string): void; done(): void };
  readonly signal: AbortSignal;
}

/** What `make update-tool` builds from. */
const PARTS = ["Makefile", "VERSION", "main.ts", "tools/install.ts"];

/** @param branch that must be checked out @throws Failure `usage`, `conflict` for another branch */
export async function mustBeCheckout(
  { files, git, signal }: {
    readonly files: Pick<Files, "stat">;
    readonly git: Git;
    readonly signal: AbortSignal;
  },
  source: string,
  branch: string | undefined,
): Promise<void> {
  for (const part of PARTS) {
    if (await files.stat(`${source}/${part}`) !== undefined) continue;
    throw new Failure("usage", `Cannot build svc in ${quoted(source)}: there is no ${part}`, {
      remedy: "Name a source checkout of svc: svc update tool --source <folder>",
    });
  }
  if (branch === undefined) return;
  const now = (await git.open(source, { signal })).branch;
  if (now === branch) return;
  throw new Failure(
    "conflict",
    `Cannot install ${branch}: ${quoted(source)} is on ${now ?? "no branch"}`,
    { remedy: `git -C ${shellWord(source)} switch ${shellWord(branch)}` },
  );
}

/** First line of `svc version`; null where there is none that runs. */
export async function installedVersion(
  { env, processes, files, signal }: ReinstallPorts & { readonly files: Pick<Files, "stat"> },
  dir: string,
): Promise<string | null> {
  const program = `${dir}/svc`;
  if (await files.stat(program) === undefined) return null;
  try {
    const ran = await processes.run({
      ...{ program, args: ["version"], cwd: "/", env: env.all(), signal },
    });
    const [line = ""] = capturedText(ran.stdout).split("\n");
    return ran.code === 0 && line !== "" ? line : "an svc that does not run";
  } catch (thrown) {
    if (Failure.from(thrown).code === "interrupted") throw thrown;
    return "an svc that does not run";
  }
}

/** As a person types it. */
export function makeLine(
  { source, dir }: { readonly source: string; readonly dir: string },
): string {
  return `make -C ${shellWord(source)} update-tool INSTALL_DIR=${shellWord(dir)}`;
}

/**
 * The build runs in the person's own environment, with their proxies and caches; svc's own cache is not meant
 * for what it fetches.
 */
function buildEnv(
  { env, runtime }: Pick<ReinstallPorts, "env" | "runtime">,
): Readonly<Record<string, string>> {
  const { DENO_DIR, ...rest } = env.all();
  if (DENO_DIR === undefined || DENO_DIR.startsWith(runtime.root)) return rest;
  return { ...rest, DENO_DIR };
}

/** @throws Failure `environment` with the last line that the build said */
export async function reinstall(
  { env, runtime, processes, progress, signal }: ReinstallPorts,
  { source, dir }: { readonly source: string; readonly dir: string },
): Promise<void> {
  progress.update("building svc");
  const ended = await processes.run({
    program: "make",
    args: ["--no-print-directory", "update-tool", `INSTALL_DIR=${dir}`],
    cwd: source,
    env: buildEnv({ env, runtime }),
    timeoutMs: CHILD_TIMEOUT_MAX_MS,
    signal,
  });
  progress.done();
  if (ended.cancelled) throw new Failure("interrupted", "Cannot reinstall svc: interrupted");
  if (ended.code === 0) return;
  const said = capturedText(ended.stderr).trim().split("\n").at(-1) || howItEnded(ended);
  throw new Failure("environment", `Cannot reinstall svc: ${said}`, {
    remedy: `See all that it says: ${makeLine({ source, dir })}`,
  });
}
