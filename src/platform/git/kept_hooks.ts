/**
 * Keeps a repo's hooks as they are while a set-up runs in one of its linked work trees. Tools such as Husky, lefthook
 * and simple-git-hooks install hooks from scripts of packages (npm's `prepare`). They write what all work trees share:
 * `core.hooksPath` of the repo's config, and the files of its `hooks` folder, over the person's own.
 */
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Ended, Processes, Run } from "svc/platform/process/process.ts";
import { hardened } from "./hardening.ts";

const KEY = "core.hooksPath";

/** Names in a folder of hooks; git knows some 28, and brings half of them as samples. */
const MOST_HOOKS = 100;
const HOOK_BYTES = 1024 * 1024;
const CONFIG_BYTES = 1024 * 1024;

interface KeptHook {
  /** What a link says; a hook is often one, to a script of the project. */
  readonly link?: string;
  /** Where its bytes are, behind the link; undefined where it leads nowhere. */
  readonly real?: string;
  readonly bytes?: Uint8Array;
  readonly mode: number;
}

interface KeptState {
  readonly config: Uint8Array;
  readonly hooks: ReadonlyMap<string, KeptHook>;
}

function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

type HookFiles = Pick<Files, "read" | "writeAtomic" | "makeFolder">;

async function hookAt(files: HookFiles, path: string): Promise<KeptHook | undefined> {
  const facts = await Deno.lstat(path);
  if (facts.isDirectory) return undefined;
  const link = facts.isSymlink ? await Deno.readLink(path) : undefined;
  const real = await Deno.realPath(path).catch(() => undefined);
  const behind = real === undefined ? undefined : await Deno.stat(real);
  const mode = (behind?.mode ?? 0o755) & 0o777;
  const kept = { mode, ...(link !== undefined && { link }) };
  if (real === undefined || !behind?.isFile || behind.size > HOOK_BYTES) return kept;
  return { ...kept, real, bytes: await files.read(real, { maxBytes: HOOK_BYTES }) };
}

async function hooksIn(files: HookFiles, folder: string): Promise<Map<string, KeptHook>> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".sample")) names.push(name);
    if (names.length > MOST_HOOKS) throw new Failure("environment", "Too many hooks to keep");
  }
  const hooks = new Map<string, KeptHook>();
  for (const name of names.sort()) {
    const hook = await hookAt(files, `${folder}/${name}`);
    if (hook !== undefined) hooks.set(name, hook);
  }
  return hooks;
}

const isAbsent = (thrown: unknown) => thrown instanceof Deno.errors.NotFound;

async function stateOf(files: HookFiles, commonDir: string): Promise<KeptState> {
  const config = await files.read(`${commonDir}/config`, { maxBytes: CONFIG_BYTES });
  const hooks = await hooksIn(files, `${commonDir}/hooks`).catch((thrown) => {
    if (isAbsent(thrown)) return new Map<string, KeptHook>();
    throw thrown;
  });
  return { config, hooks };
}

function isSame(one: KeptHook, other: KeptHook | undefined): boolean {
  if (other === undefined || one.link !== other.link || one.mode !== other.mode) return false;
  if (one.bytes === undefined || other.bytes === undefined) return one.bytes === other.bytes;
  return equalBytes(one.bytes, other.bytes);
}

async function putBackHook(files: HookFiles, path: string, kept: KeptHook): Promise<void> {
  const { link, real, bytes, mode } = kept;
  if (link !== undefined) {
    const now = await Deno.readLink(path).catch(() => undefined);
    if (now !== link) {
      await Deno.remove(path).catch((thrown) => {
        if (!isAbsent(thrown)) throw thrown;
      });
      await Deno.symlink(link, path);
    }
  }
  if (bytes !== undefined) await files.writeAtomic(real ?? path, bytes, { mode });
}

/** A link leads where it led: what was written through it is put back there. */
async function putBackHooks(
  files: HookFiles,
  folder: string,
  before: ReadonlyMap<string, KeptHook>,
  now: ReadonlyMap<string, KeptHook>,
): Promise<string[]> {
  const changed: string[] = [];
  for (const name of now.keys()) {
    if (before.has(name)) continue;
    await Deno.remove(`${folder}/${name}`);
    changed.push(`hooks/${name}`);
  }
  for (const [name, kept] of before) {
    if (isSame(kept, now.get(name))) continue;
    await files.makeFolder(folder);
    await putBackHook(files, `${folder}/${name}`, kept);
    changed.push(`hooks/${name}`);
  }
  return changed;
}

class Keeper {
  readonly #processes: Processes;
  readonly #files: HookFiles;
  /** By git's folder. Set-ups that run at a time share what was there before the first of them. */
  readonly #kept = new Map<string, { readonly before: Promise<KeptState>; users: number }>();

  constructor(processes: Processes, files: HookFiles) {
    this.#processes = processes;
    this.#files = files;
  }

  async run(command: Run, commonDir: string): Promise<Ended> {
    const kept = this.#kept.get(commonDir) ??
      { before: stateOf(this.#files, commonDir), users: 0 };
    this.#kept.set(commonDir, kept);
    kept.users += 1;
    try {
      const before = await kept.before.catch(() => undefined);
      const ended = await this.#processes.run(command);
      const putBack = before === undefined ? [] : await this.#putBack(command, commonDir, before);
      return putBack.length === 0 ? ended : { ...ended, putBack };
    } finally {
      kept.users -= 1;
      if (kept.users === 0) this.#kept.delete(commonDir);
    }
  }

  async #putBack(command: Run, commonDir: string, before: KeptState): Promise<string[]> {
    try {
      const now = await stateOf(this.#files, commonDir);
      const named = await this.#putBackPath(command, commonDir, before.config, now.config);
      const folder = `${commonDir}/hooks`;
      return [...named, ...await putBackHooks(this.#files, folder, before.hooks, now.hooks)];
    } catch (cause) {
      throw new Failure("environment", "Cannot put back the git hooks that a set-up changed", {
        remedy: `Look at core.hooksPath and the hooks folder in ${quoted(commonDir)}`,
        cause,
      });
    }
  }

  async #putBackPath(
    command: Run,
    commonDir: string,
    before: Uint8Array,
    now: Uint8Array,
  ): Promise<string[]> {
    if (equalBytes(before, now)) return [];
    const value = await this.#hooksPath(command, before);
    const found = await this.#hooksPath(command, now);
    // Nobody but a set-up sets it meanwhile, but a person may take it away.
    if (found === undefined || found === value) return [];
    const how = value === undefined ? ["--unset-all", KEY] : ["--replace-all", KEY, value];
    await this.#git(command, ["config", "--file", `${commonDir}/config`, ...how]);
    return [KEY];
  }

  async #hooksPath(command: Run, config: Uint8Array): Promise<string | undefined> {
    const asked = ["config", "--file", "-", "-z", "--get", KEY];
    const { code, stdout } = await this.#git(command, asked, config);
    return code === 0 ? capturedText(stdout).replace(/\0$/, "") : undefined;
  }

  async #git({ env, cwd }: Run, args: readonly string[], stdin?: Uint8Array): Promise<Ended> {
    const ended = await this.#processes.run({
      program: "git",
      args,
      cwd: "/",
      env: hardened(env.PATH ?? "", undefined),
      refuseUnder: [cwd],
      ...(stdin && { stdin }),
    });
    if (ended.code === 0 || (ended.code === 1 && stdin !== undefined)) return ended;
    throw new Failure("environment", `Cannot read or set ${KEY}: ${capturedText(ended.stderr)}`);
  }
}

/** True for a tree of `git worktree`: a checkout has git's folder in it, and a submodule's lies elsewhere. */
async function isLinked(tree: string, commonDir: string): Promise<boolean> {
  const text = await Deno.readTextFile(`${tree}/.git`).catch(() => "");
  const gitDir = /^gitdir: (.+)$/m.exec(text)?.[1];
  return gitDir !== undefined && gitDir.startsWith(`${commonDir}/worktrees/`);
}

/** Programs of other steps run as they did. */
export function keepingHooks(processes: Processes, files: HookFiles): Processes {
  const keeper = new Keeper(processes, files);
  return {
    async run(command) {
      const { step, tree, commonDir } = command.contain ?? {};
      if (step !== "set_up" || tree === undefined || commonDir === undefined) {
        return await processes.run(command);
      }
      return await isLinked(tree, commonDir)
        ? await keeper.run(command, commonDir)
        : await processes.run(command);
    },
    sweep: (tag) => processes.sweep(tag),
  };
}
