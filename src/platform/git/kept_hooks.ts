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

/** Behind the name of a hook, for what stood there after a set-up; git runs no such file. */
const ASIDE = ".set-up";

/** What the installers of hooks ask for first; the CI that lefthook asks for would change what other scripts do. */
const NO_HOOKS = { HUSKY: "0", HUSKY_SKIP_INSTALL: "1", SKIP_INSTALL_SIMPLE_GIT_HOOKS: "1" };

/** A link is often one to a script of the project, which a person may be editing: what lies behind it is left alone. */
type KeptHook =
  | { readonly link: string }
  | { readonly mode: number; readonly bytes: Uint8Array | undefined };

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
  if (facts.isSymlink) return { link: await Deno.readLink(path) };
  if (!facts.isFile) return undefined;
  const mode = (facts.mode ?? 0o755) & 0o777;
  if (facts.size > HOOK_BYTES) return { mode, bytes: undefined };
  return { mode, bytes: await files.read(path, { maxBytes: HOOK_BYTES }) };
}

async function hooksIn(files: HookFiles, folder: string): Promise<Map<string, KeptHook>> {
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".sample") && !name.endsWith(ASIDE)) names.push(name);
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
  if (other === undefined) return false;
  if ("link" in one || "link" in other) {
    return "link" in one && "link" in other && one.link === other.link;
  }
  if (one.mode !== other.mode) return false;
  if (one.bytes === undefined || other.bytes === undefined) return one.bytes === other.bytes;
  return equalBytes(one.bytes, other.bytes);
}

/** In svc's own hooks (`guardrails/hooks.ts`). */
const OWN = "svc internal hook";

const textOf = (hook: KeptHook | undefined) =>
  hook !== undefined && "bytes" in hook ? new TextDecoder().decode(hook.bytes) : "";

/** Nothing of svc is left in its hook: a person's lines alone, or the hook that svc had moved away. */
function isTakenOut(hook: KeptHook, place: KeptHook | undefined, others: readonly KeptHook[]) {
  const text = textOf(place);
  const lines = new Set(textOf(hook).split("\n"));
  return text.split("\n").every((line) => lines.has(line)) ||
    others.some((other) => textOf(other) === text);
}

/**
 * True where svc installed its hooks, or eject took them out, while the set-up ran. Both move hooks, too, and what is
 * put back would lose one.
 */
function isBySvc(
  before: ReadonlyMap<string, KeptHook>,
  now: ReadonlyMap<string, KeptHook>,
): boolean {
  const isOwn = (hook: KeptHook | undefined) => textOf(hook).includes(OWN);
  const others = [...before.values()].filter((hook) => !isOwn(hook));
  return [...now].some(([name, hook]) => isOwn(hook) && !isOwn(before.get(name))) ||
    [...before].some(([name, hook]) =>
      isOwn(hook) && !isOwn(now.get(name)) && isTakenOut(hook, now.get(name), others)
    );
}

/** A person may have written it meanwhile, and not the set-up: it is kept. */
async function putAside(path: string): Promise<void> {
  await Deno.rename(path, `${path}${ASIDE}`).catch((thrown) => {
    if (!isAbsent(thrown)) throw thrown;
  });
}

/** @returns what was changed, as people call it */
async function putBackHooks(
  files: HookFiles,
  folder: string,
  before: ReadonlyMap<string, KeptHook>,
  now: ReadonlyMap<string, KeptHook>,
): Promise<string[]> {
  if (isBySvc(before, now)) return [];
  const changed: string[] = [];
  for (const name of new Set([...before.keys(), ...now.keys()])) {
    const [kept, found] = [before.get(name), now.get(name)];
    if (kept === undefined ? found === undefined : isSame(kept, found)) continue;
    // Too large to be held, so it stays as it is.
    if (kept !== undefined && "bytes" in kept && kept.bytes === undefined) continue;
    const path = `${folder}/${name}`;
    await putAside(path);
    await files.makeFolder(folder);
    if (kept !== undefined && "link" in kept) await Deno.symlink(kept.link, path);
    else if (kept?.bytes !== undefined) {
      await files.writeAtomic(path, kept.bytes, { mode: kept.mode });
    }
    changed.push(
      found === undefined ? `hooks/${name}` : `hooks/${name} (kept as hooks/${name}${ASIDE})`,
    );
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
      const env = { ...command.env, ...NO_HOOKS };
      const ended = await this.#processes.run({ ...command, env });
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
    return [`${KEY} (it was set to ${quoted(found)})`];
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
