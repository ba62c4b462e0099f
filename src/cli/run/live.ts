/** What `svc run` is doing: current step, tokens, time, result of the last call. */
import type { App } from "svc/app.ts";
import { SCREEN_TICK_MS } from "svc/core/bounds.ts";
import { oneLine } from "svc/core/plain_text.ts";
import type { Doing, Turn } from "svc/features/agent/agent.ts";
import { shownStatus } from "svc/features/agent/call_result.ts";

/** `2567`, `12.4k`. */
export function tokens(count: number): string {
  return count < 10_000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}

function elapsed(ms: number): string {
  const secs = Math.floor(ms / 1000);
  return secs < 60 ? `${secs} s` : `${Math.floor(secs / 60)} min ${secs % 60} s`;
}

type LiveLinePorts = Pick<App, "clock" | "progress" | "redact">;

/** Redraws itself each second, and at once for news, until it is disposed. */
export class LiveLine implements Disposable {
  readonly #ended = new AbortController();
  readonly #ports: LiveLinePorts;
  readonly #started: number;
  #turn = 0;
  #doing = "";
  #tokens = 0;
  #last = "";

  constructor(ports: LiveLinePorts) {
    this.#ports = ports;
    this.#started = ports.clock.monotonic();
    this.#redraw();
  }

  async #redraw(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      this.draw();
      await this.#ports.clock.sleep(SCREEN_TICK_MS, signal);
    }
  }

  draw(): void {
    this.#ports.progress.update(this.#ports.redact(this.text()));
  }

  /** `turn 3 · check_run · 12.4k tokens · 41 s · last: file_edit ok` */
  text(): string {
    return [
      this.#turn === 0 ? "" : `turn ${this.#turn}`,
      this.#doing,
      this.#tokens === 0 ? "" : `${tokens(this.#tokens)} tokens`,
      elapsed(this.#ports.clock.monotonic() - this.#started),
      this.#last === "" ? "" : `last: ${this.#last}`,
    ].filter((part) => part !== "").join(" · ");
  }

  step(text: string): void {
    this.#doing = oneLine(text);
    this.draw();
  }

  does(doing: Doing): void {
    this.#turn = doing.turn;
    if (doing.kind === "asks") this.step("asks the model");
    else this.step(doing.kind === "waits" ? "asks the model again" : doing.tool);
  }

  took({ calls, outcomes, tokensIn, tokensOut }: Turn): void {
    this.#tokens += tokensIn + tokensOut;
    const last = outcomes.at(-1);
    const name = oneLine(calls.at(-1)?.name ?? "");
    this.#last = last === undefined ? "answered in words" : `${name} ${shownStatus(last)}`;
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#ports.progress.done();
  }
}
