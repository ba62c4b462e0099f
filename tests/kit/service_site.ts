/** `svc start` and `svc serve` as living programs: their first line, what they say, how they end. */
import type { Ran } from "./run_site.ts";
import { svcCommand } from "./script.ts";
import { within } from "./within.ts";
import { signalled } from "tests/kit/signalled.ts";

export interface Serving extends AsyncDisposable {
  readonly pid: number;
  /** The first line of `--json`; rejects with what was said when there is none. */
  // deno-lint-ignore no-explicit-any -- the shape of what was printed is what tests look at
  readonly first: Promise<any>;
  /** Resolves with the first line on stderr, past or to come, that fits; rejects when there is none. */
  said(fits: RegExp): Promise<string>;
  signal(name: Deno.Signal): void;
  /** The last line of `--json` is what `json()` gives. */
  readonly ended: Promise<Ran>;
}

export interface ServingPlan {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Lines as they come, kept; whoever waits for one is told when the stream ends without it. */
class Lines {
  readonly all: string[] = [];
  readonly #waiting = new Set<() => void>();
  #over = false;

  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    let open = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (open + text).split("\n");
      open = lines.pop() ?? "";
      this.all.push(...lines);
      this.#waiting.forEach((wake) => wake());
    }
    if (open !== "") this.all.push(open);
    this.#over = true;
    this.#waiting.forEach((wake) => wake());
  }

  end(): string {
    return `what ends:\n${this.all.slice(-30).join("\n")}`;
  }

  async find(fits: (line: string) => boolean): Promise<string> {
    for (;;) {
      const found = this.all.find(fits);
      if (found !== undefined) return found;
      if (this.#over) throw new Error(`it ended after:\n${this.all.join("\n")}`);
      await new Promise<void>((wake) => {
        const once = () => {
          this.#waiting.delete(once);
          wake();
        };
        this.#waiting.add(once);
      });
    }
  }
}

export function serving({ cwd, env, args }: ServingPlan): Serving {
  const [program, ...before] = svcCommand();
  const child = new Deno.Command(program, {
    args: [...before, ...args],
    ...{ cwd, env, clearEnv: true, stdin: "null", stdout: "piped", stderr: "piped" },
  }).spawn();
  const [out, err] = [new Lines(), new Lines()];
  const read = Promise.all([out.read(child.stdout), err.read(child.stderr)]);
  const ended = Promise.all([child.status, read]).then(([{ code }]): Ran => ({
    code,
    stdout: out.all.join("\n"),
    stderr: err.all.join("\n"),
    json: () => JSON.parse(out.all.at(-1) ?? ""),
  }));
  const first = within(out.find(() => true), () => err.end()).then(JSON.parse).catch((thrown) => {
    throw new Error(`no first line: ${thrown}\n${err.all.join("\n")}`);
  });
  first.catch(() => {}); // whoever awaits it sees it
  return {
    pid: child.pid,
    first,
    said: (fits) => within(err.find((line) => fits.test(line)), () => `no ${fits} in ${err.end()}`),
    signal: (name) => child.kill(name),
    ended,
    async [Symbol.asyncDispose]() {
      signalled(child, "SIGKILL");
      await ended;
    },
  };
}
