/** Shows a run on stderr: a line for each turn and what it is at, or everything with --debug. */
import { counted } from "svc/core/counted.ts";
import type { App } from "svc/app.ts";
import { oneLine, plainLines } from "svc/core/plain_text.ts";
import { type RedactedStream, redactedStream } from "svc/core/redact_stream.ts";
import { cells, cutToCells, type Tone, toneText } from "svc/core/terminal_text.ts";
import { duration } from "svc/core/time.ts";
import type { Turn } from "svc/features/agent/agent.ts";
import { shownStatus } from "svc/features/agent/call_result.ts";
import type { ManualWatch } from "svc/runtime/run/manual_run.ts";
import { LiveLine, tokens } from "./live.ts";
import { styledOn } from "svc/cli/page/page.ts";

/** Lines of one tool's answer that --debug shows. */
const DEBUG_LINES = 20;

type WatchPorts = Pick<App, "clock" | "env" | "progress" | "redact" | "stderr">;

interface WatchOptions {
  readonly debug: boolean;
  /** Shows nothing unless --debug is given, since the output is for a program. */
  readonly json: boolean;
  readonly plain: boolean;
}

const WARNS: ReadonlySet<string> = new Set(["denied", "refused"]);

type Toned = (tone: Tone, text: string) => string;

function turnLine(
  { turn, calls, outcomes, tokensIn, tokensOut, elapsedMs }: Turn,
  toned: Toned,
): string {
  const did = outcomes.map((outcome, at) => {
    const status = shownStatus(outcome);
    const tone = status === "ok" ? "good" : WARNS.has(status) ? "warn" : "bad";
    return `${oneLine(calls[at]?.name ?? "") || "?"} ${toned(tone, status)}`;
  });
  const used = `(${tokens(tokensIn + tokensOut)} tokens, ${duration(elapsedMs)})`;
  return `turn ${turn}: ${did.join(", ") || "answered in words"} ${toned("dim", used)}`;
}

/** Redacts the stream, since a secret may be split between two pieces; nothing in it may move the cursor. */
class Streamed {
  readonly #stream: RedactedStream;
  readonly #write: (text: string) => void;
  #open = false;

  constructor({ redact, stderr }: Pick<WatchPorts, "redact" | "stderr">) {
    this.#write = (text) => {
      if (text === "") return;
      stderr.write(text);
      this.#open = !text.endsWith("\n");
    };
    this.#stream = redactedStream(redact, (text) => this.#write(redact(plainLines(text))));
  }

  push(delta: string): void {
    this.#stream.push(delta);
  }

  end(): void {
    this.#stream.end();
    if (this.#open) this.#write("\n");
  }
}

/** Disposing it removes the live line from the terminal. */
export function watchRun(app: WatchPorts, asked: WatchOptions): ManualWatch & Disposable {
  const { debug, json, plain } = asked;
  const { stderr, redact, env, progress } = app;
  if (json && !debug) return { [Symbol.dispose]() {} };
  const styled = !plain && styledOn(stderr, env);
  const streamed = new Streamed(app);
  const live = debug ? undefined : new LiveLine(app);
  const cut = stderr.terminal && !plain;
  const toned: Toned = (tone, text) => toneText(styled, tone, text);
  const write = (line: string) => {
    progress.done();
    streamed.end();
    stderr.write(redact(`${line}\n`));
    live?.draw();
  };
  /** A line that must be cut has no colours: the cut would drop the sequence that ends them. */
  const fitted = (turn: Turn) => {
    const line = turnLine(turn, toned);
    const columns = cut && stderr.columns() || Infinity;
    return cells(line) <= columns ? line : cutToCells(turnLine(turn, (_, text) => text), columns);
  };
  const onTurn = (turn: Turn) => {
    live?.took(turn);
    write(fitted(turn));
    if (!debug) return;
    for (const { tool, text } of turn.outcomes) {
      const lines = plainLines(text).split("\n");
      const more = lines.length > DEBUG_LINES
        ? [`… ${counted(lines.length - DEBUG_LINES, "more line")}`]
        : [];
      for (const line of [...lines.slice(0, DEBUG_LINES), ...more]) {
        write(`${toned("dim", `${oneLine(tool)} |`)} ${line}`);
      }
    }
  };
  return {
    onJob: ({ job, trace }) => write(`job ${job}, trace ${trace}`),
    onTurn,
    onDoing(doing) {
      live?.does(doing);
      if (doing.kind !== "waits") return;
      write(`${toned("warn", "waits")} ${duration(doing.waitMs)}: ${oneLine(doing.why)}`);
    },
    onNote: (text) => write(`${toned("warn", "note:")} ${oneLine(text)}`),
    onStep: (text) => debug ? write(oneLine(text)) : live?.step(text),
    ...(debug && { onText: (delta: string) => streamed.push(delta) }),
    [Symbol.dispose]() {
      streamed.end();
      live?.[Symbol.dispose]();
    },
  };
}
