/** The live screen of a service: draws its status as it changes, and carries out what keys ask for. */
import { SCREEN_TICK_MS } from "svc/core/bounds.ts";
import type { Redact } from "svc/core/redact.ts";
import { WakeUp } from "svc/features/jobs/wake_up.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Terminal, TerminalSize } from "svc/platform/terminal.ts";
import type { Service } from "svc/runtime/service/plan.ts";
import { KeyActions } from "./key_actions.ts";
import { KeyReader } from "./keys.ts";
import { screenOf } from "./screen.ts";
import type { ScreenUrls } from "./screen_view.ts";

/** Least time between two frames: more often would cost CPU and not be seen. */
const SCREEN_REDRAW_MS = 100;

/** Time between two checks of the window's size: so long may a resized window look broken. */
const SCREEN_LOOK_MS = 250;

export interface TerminalPorts {
  readonly clock: Clock;
  readonly log: Pick<Log, "write">;
  readonly redact: Redact;
  readonly terminal: Terminal;
}

interface TerminalPlan {
  readonly service: Service;
  readonly urls: ScreenUrls;
  readonly database: string | undefined;
  readonly styled: boolean;
}

/** A failing screen does not stop the service. @throws Failure `environment` when there is no terminal, or it went away */
export async function runTerminal(ports: TerminalPorts, plan: TerminalPlan): Promise<void> {
  const { clock, terminal } = ports;
  const { service } = plan;
  const wakeUp = new WakeUp();
  const ended = new AbortController();
  const end = () => ended.abort();
  service.done.then(end, end); // whoever started the service sees the error
  const actions = new KeyActions(ports, service, () => wakeUp.send());
  await terminal.take();
  const unsubscribe = service.feed.subscribe(() => wakeUp.send());
  try {
    const reader = new KeyReader();
    terminal.listen((typed) => reader.read(typed).forEach((action) => actions.press(action)))
      // Without keys the screen and Ctrl-C still work.
      .catch((thrown) => ports.log.write("warn", "the keys cannot be read", { cause: thrown }));
    while (!ended.signal.aborted) {
      const seen = wakeUp.count;
      const size = terminal.size();
      await draw(ports, plan, actions, size);
      await clock.sleep(SCREEN_REDRAW_MS, ended.signal);
      await changed(ports, wakeUp, { seen, size, signal: ended.signal });
    }
  } finally {
    unsubscribe();
    await terminal.giveBack();
  }
}

const HOME = "\x1b[H";
/** Erases an earlier frame's text. It goes before the line: after a full line it would erase the last cell. */
const CLEAR_LINE = "\x1b[K";
const CLEAR_BELOW = "\r\n\x1b[J";
/** Terminals that know mode 2026 (synchronized output) show the whole frame at once. */
const FRAME_BEGINS = "\x1b[?2026h";
const FRAME_ENDS = "\x1b[?2026l";

/** A whole frame in one write, which overwrites anything else that was printed meanwhile. */
function frameOf(lines: readonly string[], rows: number): string {
  const text = lines.map((line) => `${CLEAR_LINE}${line}`).join("\r\n");
  return `${FRAME_BEGINS}${HOME}${text}${lines.length < rows ? CLEAR_BELOW : ""}${FRAME_ENDS}`;
}

async function draw(
  { clock, redact, terminal }: TerminalPorts,
  { service, urls, database, styled }: TerminalPlan,
  { help, notice }: KeyActions,
  size: TerminalSize,
): Promise<void> {
  const status = await service.status();
  const lines = screenOf(status, {
    ...size,
    now: clock.now(),
    urls,
    database,
    help,
    styled,
    redact,
    ...(notice !== undefined && { notice }),
  });
  await terminal.draw(frameOf(lines, size.rows));
}

/** Waits until something happens, the window has another size, or the ages on the screen are a second old. */
async function changed(
  { clock, terminal }: TerminalPorts,
  wakeUp: WakeUp,
  { seen, size, signal }: { seen: number; size: TerminalSize; signal: AbortSignal },
): Promise<void> {
  const until = clock.monotonic() + SCREEN_TICK_MS - SCREEN_REDRAW_MS;
  while (wakeUp.count === seen && !signal.aborted && clock.monotonic() < until) {
    await wakeUp.wait(seen, clock, SCREEN_LOOK_MS, signal);
    const { columns, rows } = terminal.size();
    if (columns !== size.columns || rows !== size.rows) return;
  }
}
