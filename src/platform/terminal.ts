/** The terminal as a screen, or for its keys alone. Only the main thread takes it: Deno keeps the earlier mode per thread, so
 * nobody could undo the change of a Worker that died. The Worker only draws and reads keys. */
import { Failure } from "svc/core/failure.ts";
import type { BrokerOffer } from "svc/platform/confined/broker.ts";
import { consoleSize } from "./console_size.ts";
import { inForeground } from "./process/foreground.ts";

/** xterm (invisible-island.net/xterm/ctlseqs): alternate screen, no cursor, no wrapping, marked pastes. */
const TAKE = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h";
const GIVE_BACK = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface Terminal {
  /** As a screen. @throws Failure `environment` when there is no terminal, or another job of the shell has it */
  take(): Promise<void>;
  /** For its keys alone; lines go on. @throws Failure as `take` */
  takeKeys(): Promise<void>;
  giveBack(): Promise<void>;
  /** A Worker gets no SIGWINCH, so ask again. */
  size(): TerminalSize;
  /** A stopped terminal never blocks the thread. */
  draw(text: string): Promise<void>;
  /** Until the terminal is gone; it cannot be cancelled. */
  listen(heard: (typed: string) => void): Promise<void>;
}

let taken: "screen" | "keys" | undefined;

/** A service suspended by a slip of the hand would lose the leases of its jobs. */
function ignoreSuspend(): void {}

/** Ctrl-C still gives SIGINT. */
function takeTerminal(as: "screen" | "keys"): void {
  if (taken !== undefined) return;
  const doing = as === "screen" ? "show the live screen" : "hear keys";
  const cannot = (why: string) =>
    new Failure("environment", `Cannot ${doing}: ${why}`, { remedy: "Add --plain" });
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) throw cannot("this is no terminal");
  if (!inForeground()) throw cannot("svc runs in the background of this terminal");
  taken = as;
  Deno.stdin.setRaw(true, { cbreak: true });
  Deno.addSignalListener("SIGTSTP", ignoreSuspend);
  if (as === "screen") writeAll(TAKE);
}

/** For the main thread. Never throws; does nothing when nothing is taken. */
export function restoreTerminal(): void {
  if (taken === undefined) return;
  const leave = taken === "screen" ? [() => writeAll(GIVE_BACK)] : [];
  taken = undefined;
  for (const step of [...leave, () => Deno.stdin.setRaw(false)]) {
    try {
      step();
    } catch {
      continue;
    }
  }
  Deno.removeSignalListener("SIGTSTP", ignoreSuspend);
}

function writeAll(text: string): void {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}

export const OFFERED_TERMINAL: BrokerOffer[string] = {
  take: () => takeTerminal("screen"),
  takeKeys: () => takeTerminal("keys"),
  giveBack: () => restoreTerminal(),
};

type TerminalOwner = Pick<Terminal, "take" | "takeKeys" | "giveBack">;

const THIS_THREAD: TerminalOwner = {
  // deno-lint-ignore require-await -- a failure is a rejection, as through the broker
  take: async () => takeTerminal("screen"),
  // deno-lint-ignore require-await -- likewise
  takeKeys: async () => takeTerminal("keys"),
  // deno-lint-ignore require-await -- likewise
  giveBack: async () => restoreTerminal(),
};

export function terminalOver(owner: TerminalOwner = THIS_THREAD): Terminal {
  const encoder = new TextEncoder();
  return {
    take: () => owner.take(),
    takeKeys: () => owner.takeKeys(),
    giveBack: () => owner.giveBack(),
    size: () => consoleSize(),
    async draw(text) {
      let bytes = encoder.encode(text);
      while (bytes.length > 0) bytes = bytes.subarray(await Deno.stdout.write(bytes));
    },
    async listen(heard) {
      const decoder = new TextDecoder();
      const bytes = new Uint8Array(4096);
      for (;;) {
        const count = await Deno.stdin.read(bytes);
        if (count === null) return;
        heard(decoder.decode(bytes.subarray(0, count), { stream: true }));
      }
    },
  };
}
