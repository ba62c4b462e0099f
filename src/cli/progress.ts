/** One line of progress on stderr, redrawn in place and gone when the work is done. */
import type { Progress } from "svc/app.ts";
import { cutToCells } from "svc/core/terminal_text.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Sink } from "svc/platform/entrance.ts";

const FIRST_AFTER_MS = 1000;
const REDRAW_MS = 100;
const ERASE_LINE = "\r\x1b[2K";

export const silent: Progress = { update() {}, done() {} };

export function progressLine(sink: Sink, clock: Pick<Clock, "monotonic">): Progress {
  let next = clock.monotonic() + FIRST_AFTER_MS;
  let shown = false;
  return {
    update(text) {
      if (clock.monotonic() < next) return;
      next = clock.monotonic() + REDRAW_MS;
      shown = true;
      sink.write(ERASE_LINE + cutToCells(text, (sink.columns() ?? 80) - 1));
    },
    done() {
      if (shown) sink.write(ERASE_LINE);
      shown = false;
    },
  };
}
