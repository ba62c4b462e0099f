/**
 * Whole-program scripts, in the txtar form of Go's testscript: commands, then files behind
 * `-- name --` lines. Each script runs in a fresh folder with a fresh home.
 *
 *   svc args…            runs svc; `! svc …` expects a failure, `? svc …` either; `=3 svc …` that exit status
 *   stdin file           the next svc reads it;  `stdin "text"`;  `stdin file 'text'` ends the input once svc said the text
 *   stdout 'regex'       the last output matches; `! stdout 'regex'` does not; stderr likewise
 *   cmp stdout file      the last output is the file, byte for byte
 *   json 'expression'    a JavaScript expression over `$` (the parsed stdout) is true
 *   env NAME=value       sets a variable for what follows; `env PATH=$BIN:$PATH` puts svc on PATH
 *   cd folder            changes the working directory
 *   exec program args…   any program, expected to succeed; `! exec …` to fail
 *   exists path, ! exists path
 *   tree name / same name   remembers the content of the whole folder / it is unchanged since
 */
import assert from "node:assert/strict";
import { within } from "./within.ts";

export interface Script {
  readonly comment: string;
  readonly lines: readonly { readonly at: number; readonly text: string }[];
  readonly files: ReadonlyMap<string, string>;
}

export function parseScript(text: string): Script {
  const [head = "", ...parts] = text.split(/^-- (.+) --\n/m);
  const files = new Map<string, string>();
  for (let at = 0; at < parts.length; at += 2) files.set(parts[at]!.trim(), parts[at + 1] ?? "");
  const numbered = head.split("\n").map((text, index) => ({ at: index + 1, text: text.trim() }));
  return {
    comment: numbered.filter(({ text }) => text.startsWith("#")).map(({ text }) => text).join("\n"),
    lines: numbered.filter(({ text }) => text !== "" && !text.startsWith("#")),
    files,
  };
}

/** Splits like a shell without expansions: single and double quotes group, `$NAME` is replaced. */
export function words(line: string, vars: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  for (const [, single, double, bare] of line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)) {
    const fill = (text: string) => text.replace(/\$([A-Z_]+)/g, (all, name) => vars[name] ?? all);
    found.push(single ?? fill(double ?? bare!));
  }
  return found;
}

/** Deno's own cache; a program run from source must not look for it in a fresh home. */
export function denoDir(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`;
}

/** Nobody listens at port 9 (discard): a request on loopback that goes by this proxy fails. */
export const DEAD_PROXY = { HTTP_PROXY: "http://127.0.0.1:9", ALL_PROXY: "http://127.0.0.1:9" };

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const repoRoot = decodeURIComponent(new URL("../..", import.meta.url).pathname);

/**
 * From source by default; `SVC_BIN` names a built program instead. A portable one borrows its runtime, unless
 * it `unpacks` it into the home, as for its user.
 */
export function svcCommand({ unpacks = false } = {}): readonly [string, ...string[]] {
  const built = Deno.env.get("SVC_BIN");
  if (!built) return [Deno.execPath(), "run", "-A", "--quiet", `${repoRoot}main.ts`];
  const program = built.startsWith("/") ? built : `${repoRoot}${built}`;
  return unpacks ? [program] : [...withRuntime, program];
}

const withRuntime = [
  `${repoRoot}tests/kit/with_runtime.sh`,
  `${repoRoot}dist/shared-home`,
] as const;

/** As after the first start, so that nothing more appears in a home that is only looked at. */
async function startedBefore(SVC_HOME: string): Promise<void> {
  if (!Deno.env.get("SVC_BIN")) return;
  const [program, lender] = withRuntime;
  await new Deno.Command(program, { args: [lender, "true"], env: { SVC_HOME } }).output();
}

/** A folder with a program `svc`, as an installation makes one. */
async function putOnPath(folder: string): Promise<void> {
  const words = svcCommand().map((word) => `'${word}'`).join(" ");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(`${folder}/svc`, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
}

/** @param then is called once, when the words were said */
async function textOf(
  output: ReadableStream<Uint8Array<ArrayBuffer>>,
  words = "",
  then = () => {},
): Promise<string> {
  let text = "";
  for await (const part of output.pipeThrough(new TextDecoderStream())) {
    const before = text.includes(words);
    text += part;
    if (!before && text.includes(words)) then();
  }
  return text;
}

export class ScriptRun {
  #last: Ran = { code: 0, stdout: "", stderr: "" };
  #stdin = "";
  #endsAfter = "";
  #cwd: string;
  readonly #trees = new Map<string, string>();
  readonly env: Record<string, string>;

  constructor(readonly folder: string) {
    this.#cwd = `${folder}/work`;
    const path = Deno.env.get("PATH") ?? "/usr/bin:/bin";
    this.env = {
      PATH: path,
      HOME: `${folder}/home`,
      SVC_HOME: `${folder}/home/.svc`,
      DENO_DIR: denoDir(),
      LANG: "C.UTF-8",
      TZ: "UTC",
      WORK: `${folder}/work`,
      BIN: `${folder}/bin`,
      ROOT: repoRoot.replace(/\/$/, ""),
      DENO: Deno.execPath(),
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "Test",
      GIT_AUTHOR_EMAIL: "test@example.invalid",
      GIT_COMMITTER_NAME: "Test",
      GIT_COMMITTER_EMAIL: "test@example.invalid",
    };
  }

  async #spawn(program: string, args: readonly string[]): Promise<Ran> {
    const child = new Deno.Command(program, {
      args: [...args],
      cwd: this.#cwd,
      env: this.env,
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stdin = child.stdin.getWriter();
    // A program that never reads its input closes the pipe first; that is its right.
    const close = () => stdin.close().catch(() => {});
    const written = stdin.write(new TextEncoder().encode(this.#stdin)).catch(() => {});
    const said = textOf(child.stdout, this.#endsAfter, close);
    const ended = Promise.all([said, textOf(child.stderr), child.status]);
    await written;
    if (this.#endsAfter === "") await close();
    this.#stdin = this.#endsAfter = "";
    const [stdout, stderr, { code }] = await within(ended, () => `no end of ${args.join(" ")}`);
    return { code, stdout, stderr };
  }

  async step(text: string, files: ReadonlyMap<string, string>): Promise<void> {
    const [first = "", ...tail] = words(text, this.env);
    const negated = first === "!";
    const wanted = /^=\d+$/.test(first) ? Number(first.slice(1)) : undefined;
    const [verb = "", ...args] = negated || first === "?" || wanted !== undefined
      ? tail
      : [first, ...tail];
    if (verb === "svc" || verb === "exec") {
      const [program, ...before] = verb === "svc" ? svcCommand() : [args.shift()!];
      this.#last = await this.#spawn(program!, [...before, ...args]);
      const ok = wanted !== undefined
        ? this.#last.code === wanted
        : first === "?" || (this.#last.code === 0) !== negated;
      assert.ok(ok, `exit status ${this.#last.code}`);
      return;
    }
    await this.#check(verb, args, negated, files);
  }

  async #check(
    verb: string,
    args: readonly string[],
    negated: boolean,
    files: ReadonlyMap<string, string>,
  ): Promise<void> {
    const [one = "", two = ""] = args;
    if (verb === "stdout" || verb === "stderr") {
      assert.equal(new RegExp(one, "m").test(this.#last[verb]), !negated, `${verb} against ${one}`);
    } else if (verb === "cmp") {
      assert.equal(this.#last[one as "stdout" | "stderr"], files.get(two));
    } else if (verb === "json") {
      const value = JSON.parse(this.#last.stdout);
      assert.equal(Boolean(new Function("$", `return ${one}`)(value)), !negated, `json ${one}`);
    } else if (verb === "env") {
      const cut = one.indexOf("=");
      if (cut === -1) delete this.env[one];
      else this.env[one.slice(0, cut)] = one.slice(cut + 1);
    } else if (verb === "cd") this.#cwd = one.startsWith("/") ? one : `${this.#cwd}/${one}`;
    else if (verb === "stdin") [this.#stdin, this.#endsAfter] = [files.get(one) ?? one, two];
    else if (verb === "exists") {
      const path = one.startsWith("/") ? one : `${this.#cwd}/${one}`;
      assert.equal(await Deno.lstat(path).then(() => true, () => false), !negated, path);
    } else if (verb === "tree") this.#trees.set(one, await treeHash(this.folder));
    else if (verb === "same") assert.equal(await treeHash(this.folder), this.#trees.get(one));
    else throw new Error(`unknown verb "${verb}"`);
  }

  /** What the last program printed, for a failing script's report. */
  transcript(): string {
    const { code, stdout, stderr } = this.#last;
    return `exit ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}`;
  }
}

/** One line per entry: kind, mode, path, link target or SHA-256 of the content. */
export async function treeHash(folder: string): Promise<string> {
  const lines: string[] = [];
  const walk = async (path: string) => {
    const entries = await Array.fromAsync(Deno.readDir(path));
    for (const { name } of entries.sort((a, b) => a.name < b.name ? -1 : 1)) {
      const at = `${path}/${name}`;
      const facts = await Deno.lstat(at);
      const mode = (facts.mode ?? 0).toString(8);
      if (facts.isSymlink) lines.push(`link ${mode} ${at} ${await Deno.readLink(at)}`);
      else if (facts.isDirectory) {
        lines.push(`folder ${mode} ${at}`);
        await walk(at);
      } else {
        const sum = await crypto.subtle.digest("SHA-256", await Deno.readFile(at));
        lines.push(`file ${mode} ${at} ${new Uint8Array(sum).toHex()}`);
      }
    }
  };
  await walk(folder);
  return lines.join("\n");
}

/** Runs one script; the error names the line and shows the last output. */
export async function runScript(name: string, text: string): Promise<void> {
  const script = parseScript(text);
  const folder = await Deno.makeTempDir({ prefix: "svc-script-" });
  try {
    await Deno.mkdir(`${folder}/home`);
    await Deno.mkdir(`${folder}/work`);
    await startedBefore(`${folder}/home/.svc`);
    await putOnPath(`${folder}/bin`);
    for (const [path, content] of script.files) {
      const at = `${folder}/work/${path}`;
      await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
      await Deno.writeTextFile(at, content);
    }
    const run = new ScriptRun(await Deno.realPath(folder));
    for (const { at, text } of script.lines) {
      await run.step(text, script.files).catch((thrown) => {
        const why = thrown instanceof Error ? thrown.message : String(thrown);
        throw new Error(`${name}:${at}: ${text}\n${why}\n${run.transcript()}`);
      });
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
