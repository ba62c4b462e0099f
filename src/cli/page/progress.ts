/** Shows what a slow command is doing: one line that a terminal redraws, or lines that come less and less often. */
import type { Progress } from "svc/app.ts";
import { cutToCells } from "svc/core/terminal_text.ts";
import { visible } from "svc/core/visible_text.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Sink } from "svc/platform/entrance.ts";

const FIRST_AFTER_MS = 1000;
const REDRAW_MS = 100;
const ERASE_LINE = "\r\x1b[2K";

/** Silence before the first line of a command; after one that it printed it may be longer. */
const FIRST_LINE_MS = 3_000;
const NEXT_LINE_MS = 10_000;
/** Each silence is twice as long as the one before, up to this. */
const MOST_SILENCE_MS = 300_000;

export const silent: Progress = { update() {}, done() {} };

export function progressLine(sink: Sink, clock: Pick<Clock, "monotonic">): Progress {
  let next = clock.monotonic() + FIRST_AFTER_MS;
  let shown = false;
  return {
    update(text) {
      if (clock.monotonic() < next) return;
      next = clock.monotonic() + REDRAW_MS;
      shown = true;
      sink.write(ERASE_LINE + cutToCells(visible(text), (sink.columns() ?? 80) - 1));
    },
    done() {
      if (shown) sink.write(ERASE_LINE);
      shown = false;
    },
  };
}

/**
 * Prints a line after a silence, then after silences that double each time, until it is told that something
 * else was printed.
 */
export class Silence implements Disposable {
  readonly #clock: Pick<Clock, "sleep">;
  #ended = new AbortController();

  constructor(clock: Pick<Clock, "sleep">) {
    this.#clock = clock;
  }

  /** Begins anew. `speak` must not throw. */
  begin(speak: () => void | Promise<void>, firstMs = NEXT_LINE_MS): void {
    this.end();
    const { signal } = this.#ended = new AbortController();
    void this.#watch(speak, firstMs, signal);
  }

  async #watch(speak: () => void | Promise<void>, firstMs: number, signal: AbortSignal) {
    for (let wait = firstMs;; wait = Math.min(2 * wait, MOST_SILENCE_MS)) {
      await this.#clock.sleep(wait, signal);
      if (signal.aborted) return;
      await speak();
    }
  }

  end(): void {
    this.#ended.abort();
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

/** For logs, pipes and plain terminals. */
export function progressLines(sink: Pick<Sink, "write">, clock: Pick<Clock, "sleep">): Progress {
  const silence = new Silence(clock);
  let at: string | undefined;
  let first = FIRST_LINE_MS;
  return {
    update(text) {
      const begun = at !== undefined;
      at = visible(text);
      if (!begun) silence.begin(() => sink.write(`${at}\n`), first);
    },
    done() {
      silence.end();
      [at, first] = [undefined, NEXT_LINE_MS];
    },
  };
}
