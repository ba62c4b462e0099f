/** The live terminal of a service: draws its status as it changes, and does what keys ask for. */
import { SCREEN_TICK_MS } from "svc/core/bounds.ts";
import type { Redact } from "svc/core/redact.ts";
import { JobBell } from "svc/features/jobs/job_bell.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Terminal, TerminalSize } from "svc/platform/terminal.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { Hand } from "./hand.ts";
import { KeyReader } from "./keys.ts";
import { screenOf, type Urls } from "./screen.ts";

/** Between two frames, however much happens; faster than an eye tells apart costs CPU only. */
const SCREEN_REDRAW_MS = 100;

/** Between two looks at the size of the window: how long a resized one may look broken. */
const SCREEN_LOOK_MS = 250;

export interface TerminalPorts {
  readonly clock: Clock;
  readonly log: Pick<Log, "write">;
  readonly redact: Redact;
  readonly terminal: Terminal;
}

export interface TerminalPlan {
  readonly service: Service;
  readonly urls: Urls;
  readonly styled: boolean;
}

/**
 * From now until the service has stopped; the terminal is then as it was before. What ends the service
 * is its own `done`. A screen that cannot be shown never stops it: the reason is thrown.
 *
 * @throws Failure `environment` when there is no terminal, or it went away
 */
export async function runTerminal(ports: TerminalPorts, plan: TerminalPlan): Promise<void> {
  const { clock, terminal } = ports;
  const { service } = plan;
  const bell = new JobBell();
  const ended = new AbortController();
  const end = () => ended.abort();
  service.done.then(end, end); // whoever started it sees why
  const hand = new Hand(ports, service, () => bell.ring());
  await terminal.take();
  const unsubscribe = service.feed.subscribe(() => bell.ring());
  try {
    const reader = new KeyReader();
    terminal.listen((typed) => reader.read(typed).forEach((action) => hand.press(action)))
      // Without keys there is still a screen, and Ctrl-C.
      .catch((thrown) => ports.log.write("warn", "the keys cannot be read", { cause: thrown }));
    while (!ended.signal.aborted) {
      const heard = bell.rings;
      const size = terminal.size();
      await draw(ports, plan, hand, size);
      await clock.sleep(SCREEN_REDRAW_MS, ended.signal);
      await changed(ports, bell, { heard, size, signal: ended.signal });
    }
  } finally {
    unsubscribe();
    await terminal.giveBack();
  }
}

const HOME = "\x1b[H";
/** Erase what an earlier frame left. At the line's end it would take its last cell along when it is full. */
const CLEAR_LINE = "\x1b[K";
const CLEAR_BELOW = "\r\n\x1b[J";
/** A terminal that knows mode 2026 shows the frame at once (synchronized output). */
const FRAME_BEGINS = "\x1b[?2026h";
const FRAME_ENDS = "\x1b[?2026l";

/** One frame whole, in one write: whatever else was printed meanwhile is gone with it. */
export function frameOf(lines: readonly string[], rows: number): string {
  const text = lines.map((line) => `${CLEAR_LINE}${line}`).join("\r\n");
  return `${FRAME_BEGINS}${HOME}${text}${lines.length < rows ? CLEAR_BELOW : ""}${FRAME_ENDS}`;
}

async function draw(
  { clock, redact, terminal }: TerminalPorts,
  { service, urls, styled }: TerminalPlan,
  { help, notice }: Hand,
  size: TerminalSize,
): Promise<void> {
  const status = await service.status();
  const said = notice === undefined ? {} : { notice };
  const lines = screenOf(status, {
    ...size,
    now: clock.now(),
    urls,
    help,
    styled,
    redact,
    ...said,
  });
  await terminal.draw(frameOf(lines, size.rows));
}

/** Until something happened, the window has another size, or the ages on the screen are a second old. */
async function changed(
  { clock, terminal }: TerminalPorts,
  bell: JobBell,
  { heard, size, signal }: { heard: number; size: TerminalSize; signal: AbortSignal },
): Promise<void> {
  const until = clock.monotonic() + SCREEN_TICK_MS - SCREEN_REDRAW_MS;
  while (bell.rings === heard && !signal.aborted && clock.monotonic() < until) {
    await bell.wait(heard, clock, SCREEN_LOOK_MS, signal);
    const { columns, rows } = terminal.size();
    if (columns !== size.columns || rows !== size.rows) return;
  }
}
