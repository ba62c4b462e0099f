/**
 * The terminal as a screen of svc's own. The main thread alone takes it and gives it back: Deno keeps the
 * mode that was before per thread, so what a Worker changed nobody else can undo once the Worker is dead.
 * The Worker that serves only draws and reads keys; neither needs a permission.
 */
import { Failure } from "svc/core/failure.ts";
import type { Offer } from "svc/platform/confined/broker.ts";

/**
 * Control sequences of xterm (invisible-island.net/xterm/ctlseqs): alternate screen, no cursor, no
 * wrapping of long lines, pasted text marked as such.
 */
const TAKE = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h";
const GIVE_BACK = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Terminal {
  /** @throws Failure `environment` when no person's terminal is there */
  take(): Promise<void>;
  /** Cursor, main screen and mode as they were; harmless when nothing was taken. */
  giveBack(): Promise<void>;
  /** Of now. A Worker hears of no SIGWINCH: ask again. */
  size(): Size;
  /** Resolves when it is written; a terminal that takes nothing never blocks the thread. */
  draw(text: string): Promise<void>;
  /** Tells of all that is typed, as it comes, until the terminal is gone; it cannot be called off. */
  listen(heard: (typed: string) => void): Promise<void>;
}

let taken = false;

/** Nothing: a service that a slip of the hand suspends would lose its jobs' leases. */
function ignoreSuspend(): void {}

/** Of the main thread. Ctrl-C goes on giving SIGINT. Taken again while it is taken changes nothing. */
export function takeTerminal(): void {
  if (taken) return;
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    throw new Failure("environment", "Cannot show the live screen: this is no terminal", {
      remedy: "Add --plain",
    });
  }
  taken = true;
  Deno.stdin.setRaw(true, { cbreak: true });
  Deno.addSignalListener("SIGTSTP", ignoreSuspend);
  writeAll(TAKE);
}

/** Of the main thread. Never throws; does nothing when nothing is taken, so it may be called anywhere. */
export function restoreTerminal(): void {
  if (!taken) return;
  taken = false;
  // A window that was closed takes neither text nor a mode, and there is nobody left to see it.
  for (const step of [() => writeAll(GIVE_BACK), () => Deno.stdin.setRaw(false)]) {
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

/** For the broker of a Worker that draws. */
export const OFFERED_TERMINAL: Offer[string] = {
  take: () => takeTerminal(),
  giveBack: () => restoreTerminal(),
};

/** Whoever takes and gives back: this thread, or the main one by broker. */
export interface TerminalOwner {
  take(): Promise<void>;
  giveBack(): Promise<void>;
}

/** Of a process, or of the main thread itself. */
export const OWNER: TerminalOwner = {
  // deno-lint-ignore require-await -- a failure is a rejection, as it is by broker
  take: async () => takeTerminal(),
  // deno-lint-ignore require-await -- likewise
  giveBack: async () => restoreTerminal(),
};

export function terminalOver(owner: TerminalOwner = OWNER): Terminal {
  const encoder = new TextEncoder();
  return {
    take: () => owner.take(),
    giveBack: () => owner.giveBack(),
    size: () => Deno.consoleSize(),
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
