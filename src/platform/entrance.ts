/** The few effects that every start needs; kept small, because `svc version` pays for each line of it. */

import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import type { Modules } from "svc/modules.gen.ts";
import type { Authority } from "./confined/give_up.ts";
import { consoleSize } from "./console_size.ts";

/** From the root of the program, without extension; `deno task gen` adds those that are loaded. */
export type ModulePath = keyof Modules;

export interface Sink {
  readonly terminal: boolean;
  columns(): number | undefined;
  /**
   * A reader that is gone (EPIPE) ends the output silently: the work itself is already done. What standard error
   * cannot take is left out, and the next text is tried. @throws Failure `environment` where standard output fails
   */
  write(text: string): void;
}

export interface Env {
  get(name: string): string | undefined;
  /** A copy; child processes get an allow-list of it, never all of it. */
  all(): Readonly<Record<string, string>>;
  /** Removes a secret once it is read, so that no child or dump finds it. */
  forget(name: string): void;
}

export interface Entrance {
  readonly env: Env;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly stdinTerminal: boolean;
  readInput(): Promise<string>;
  /** Only one caller may read it. */
  input(): ReadableStream<Uint8Array>;
  /** For writers that must not block on a slow reader; a write fails when the reader is gone. */
  output(): WritableStream<Uint8Array>;
  /** Requests to loopback bypass any proxy (`keepLoopbackOffProxies`). */
  readonly fetch: typeof fetch;
  readonly cwd: () => string;
  /** For the whole process, and for good. @returns why the internet is still within reach */
  giveUp(authority: Authority): Promise<string | undefined>;
  readonly runtime: {
    readonly deno: string;
    readonly target: string;
    readonly pid: number;
    readonly build: "source" | "portable" | "compiled";
    readonly root: string;
  };
  /** The specifier is computed on purpose: Deno's static graph, paid at every start, has literal ones. */
  load<M extends ModulePath>(module: M): Promise<Modules[M]>;
  url(module: ModulePath | "main"): string;
}

/** How the failure begins of an output that has no place any more. */
export const UNWRITABLE = "Cannot write the output";

function unwritable(cause: unknown): Failure {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Failure("environment", `${UNWRITABLE}: ${why}`, {
    cause,
    remedy: "Point the output at a place that can be written and has room",
  });
}

function sink(stream: typeof Deno.stdout | typeof Deno.stderr): Sink {
  const encoder = new TextEncoder();
  let open = true;
  return {
    terminal: stream.isTerminal(),
    columns: () => stream.isTerminal() ? consoleSize().columns : undefined,
    write(text) {
      let bytes = encoder.encode(text);
      while (open && bytes.length > 0) {
        try {
          bytes = bytes.subarray(stream.writeSync(bytes));
        } catch (thrown) {
          if (thrown instanceof Deno.errors.WouldBlock) continue;
          const gone = thrown instanceof Deno.errors.BrokenPipe;
          // What is said there is not what was asked for: no service ends because a disk has no room for it.
          if (stream === Deno.stderr && !gone) return;
          open = false;
          if (!gone) throw unwritable(thrown);
        }
      }
    },
  };
}

export const denoEnv: Env = {
  get: (name) => Deno.env.get(name),
  all: () => Deno.env.toObject(),
  forget: (name) => Deno.env.delete(name),
};

/** Deno's paths are text. @throws Failure `environment` for a path that is none, and where the folder was removed */
function currentFolder(): string {
  try {
    return Deno.cwd();
  } catch (cause) {
    const text = cause instanceof Deno.errors.InvalidData;
    const why = text ? "its path is not UTF-8" : "it was removed, or may not be looked at";
    throw new Failure("environment", `Cannot run in the current folder: ${why}`, {
      cause,
      remedy: text ? "Rename the folder on the path that is not: pwd | cat -v" : "cd",
    });
  }
}

function buildOf(mainUrl: string): Entrance["runtime"]["build"] {
  if (Deno.build.standalone) return "compiled";
  return mainUrl.endsWith(".ts") ? "source" : "portable";
}

/** Deno remembers that a part was not there: only another start finds it again. */
function partGone(thrown: unknown, { build, root }: Pick<Entrance["runtime"], "build" | "root">) {
  if ((thrown as { code?: unknown } | undefined)?.code !== "ERR_MODULE_NOT_FOUND") return thrown;
  const mend = build === "portable"
    ? `rm -rf ${shellWord(root)}, then start svc again: it unpacks itself anew`
    : "Install svc again, and start it again";
  return new Failure(
    "environment",
    `Cannot go on until svc is started again: a part of it is gone from "${root}"`,
    {
      cause: thrown,
      remedy: mend,
      waits: true,
    },
  );
}

/** `mainUrl` is `import.meta.url` of the entry file: `.ts` from source, `.js` when built. */
export function denoEntrance(mainUrl: string): Entrance {
  const extension = mainUrl.slice(mainUrl.lastIndexOf("."));
  const url = (module: string) => new URL(`./${module}${extension}`, mainUrl).href;
  const at = {
    build: buildOf(mainUrl),
    root: decodeURIComponent(new URL(".", mainUrl).pathname),
  };
  const load: Entrance["load"] = (module) =>
    import(url(module)).catch((thrown) => {
      throw partGone(thrown, at);
    });
  return {
    env: denoEnv,
    stdout: sink(Deno.stdout),
    stderr: sink(Deno.stderr),
    stdinTerminal: Deno.stdin.isTerminal(),
    input: () => Deno.stdin.readable,
    output: () => Deno.stdout.writable,
    readInput: () => new Response(Deno.stdin.readable).text(),
    fetch,
    cwd: currentFolder,
    async giveUp(authority) {
      const { giveUp } = await load("src/platform/confined/give_up");
      return giveUp(authority);
    },
    runtime: {
      deno: Deno.version.deno,
      target: Deno.build.target,
      pid: Deno.pid,
      ...at,
    },
    load,
    url,
  };
}

/** Literal loopback, and the name that RFC 6761 section 6.3 reserves for it. */
const LOOPBACK = ["127.0.0.0/8", "::1", "localhost", ".localhost"];

/** Deno would send requests to this machine's servers through HTTP_PROXY: prompts and keys would leave it, and
 * servers that route on the raw target answer 404. Call it before the first fetch; no child sees it. */
export function keepLoopbackOffProxies(): void {
  // Deno reads the lower-case name only where the other is absent.
  const listed = Deno.env.get("NO_PROXY") ?? Deno.env.get("no_proxy") ?? "";
  Deno.env.set("NO_PROXY", [...(listed === "" ? [] : [listed]), ...LOOPBACK].join(","));
}
