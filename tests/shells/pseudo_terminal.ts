/** An interactive shell under a pseudo-terminal, driven by keys and by what it prints (`script` of util-linux). */
import { signalled } from "tests/kit/signalled.ts";

/** Longer than any completion takes on a busy machine; only a failing test waits this long. */
const DEADLINE_MS = 20_000;

export interface Start {
  /** Program and arguments as one line of sh. */
  readonly line: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

// deno-lint-ignore no-control-regex -- escape sequences are what a terminal is sent
const ESCAPES = /\x1b(?:\[[0-9;?<>=]*[A-Za-z]|[()][0-9A-B]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[=>])/g;

export class PseudoTerminal implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #keys: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #reading: Promise<void>;
  #screen = "";
  #from = 0;
  #printed = Promise.withResolvers<void>();
  #ended = false;

  constructor({ line, cwd, env }: Start) {
    this.#child = new Deno.Command("script", {
      args: ["--quiet", "--flush", "--command", `stty cols 120 rows 60; exec ${line}`, "/dev/null"],
      cwd,
      env: { ...env },
      clearEnv: true,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.#keys = this.#child.stdin.getWriter();
    this.#reading = this.#read();
  }

  async #read(): Promise<void> {
    for await (const text of this.#child.stdout.pipeThrough(new TextDecoderStream())) {
      this.#screen += text;
      this.#printed.resolve();
      this.#printed = Promise.withResolvers();
    }
    this.#ended = true;
    this.#printed.resolve();
  }

  /** All of it, escape sequences included. */
  get printed(): string {
    return this.#screen;
  }

  async type(keys: string): Promise<void> {
    await this.#keys.write(new TextEncoder().encode(keys));
  }

  /** Waits for text printed since the last call; gives it without escape sequences up to the match's end. */
  async seen(pattern: RegExp): Promise<RegExpExecArray> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#ended = true;
      late.resolve();
    }, DEADLINE_MS);
    try {
      for (;;) {
        const printed = this.#printed.promise;
        const text = this.#screen.replace(ESCAPES, "").slice(this.#from);
        const found = pattern.exec(text);
        if (found !== null) {
          this.#from += found.index + found[0].length;
          return found;
        }
        if (this.#ended) throw new Error(`Cannot find ${pattern} in what was printed:\n${text}`);
        await Promise.race([printed, late.promise]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Ctrl-U wipes the line that a failed test has begun. A shell that stays all the same is ended.
    await this.type("\x15exit\r").catch(() => {});
    const timer = setTimeout(() => signalled(this.#child, "SIGTERM"), DEADLINE_MS);
    await this.#child.status;
    clearTimeout(timer);
    await this.#reading;
    await this.#keys.abort().catch(() => {});
  }
}
