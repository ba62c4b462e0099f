/** Ctrl-C, TERM and a terminal that closes: the first signal asks the command to stop, the next one ends it. Ctrl-\ ends it. */
import { Failure } from "svc/core/failure.ts";
import { after, type Timer } from "svc/platform/timers.ts";
import { killWatched } from "./sweep.ts";

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Aborted by the second signal, where `SecondSignal` is given. */
  readonly hurry: AbortSignal;
  /** Rejects with Failure `interrupted` when the time after a signal is over. */
  readonly overdue: Promise<never>;
  close(): void;
}

interface SecondSignal {
  readonly hurryMs: number;
  /** Called right before that. Must not throw. */
  leave?(): void;
}

/** Programs that have the terminal now; Ctrl-C is meant for them, and the terminal sends it to svc as well. */
let lent = 0;

/** Until it is disposed, Ctrl-C does nothing to svc. */
export function lendTerminal(): Disposable {
  lent++;
  return { [Symbol.dispose]: () => void lent-- };
}

/** As bits of SigIgn (proc(5)). */
const HANGUP = 1;
const QUIT = 4;

/** Who was started with SIGHUP ignored, as by nohup(1), is meant to outlive the terminal; likewise a shell's job with `&`. */
function startedDeafTo(signal: number): boolean {
  try {
    const mask = /^SigIgn:\s*([0-9a-f]+)$/m.exec(Deno.readTextFileSync("/proc/self/status"))?.[1];
    return mask !== undefined && (Number.parseInt(mask.slice(-1), 16) & signal) !== 0;
  } catch {
    return false; // no /proc: it ends with its terminal, as most programs do
  }
}

/** `graceMs` follows the first signal. Without `hurry`, which a service has, the second ends the process. */
export function onInterrupt(graceMs: number, hurry?: SecondSignal): Interrupt {
  const first = new AbortController();
  const second = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // nobody has to wait for it
  const timers: Timer[] = [];
  const failure = new Failure("interrupted", "Interrupted");
  const end = (): never => {
    killWatched();
    hurry?.leave?.();
    Deno.exit(130);
  };
  const now = () => {
    if (hurry === undefined || second.signal.aborted) end();
    else {
      first.abort(failure);
      second.abort(failure);
      timers.push(after(hurry.hurryMs, end));
    }
  };
  const stop = () => {
    if (first.signal.aborted) return now();
    first.abort(failure);
    timers.push(after(graceMs, () => reject(failure)));
  };
  const typed = (act: () => void) => () => {
    if (lent === 0) act();
  };
  const deaf = () => {};
  // Deno hears SIGHUP as soon as it has any listener, and ends the process where nobody takes it.
  const hungUp = startedDeafTo(HANGUP) ? deaf : stop;
  // By itself SIGQUIT ends svc where it is: on its screen, with its jobs' programs still there.
  const quit = startedDeafTo(QUIT) ? deaf : typed(now);
  const heard = [
    ["SIGINT", typed(stop)],
    ["SIGTERM", stop],
    ["SIGHUP", hungUp],
    ["SIGQUIT", quit],
  ] as const;
  for (const [signal, act] of heard) Deno.addSignalListener(signal, act);
  return {
    signal: first.signal,
    hurry: second.signal,
    overdue: promise,
    close() {
      for (const timer of timers) timer.clear();
      for (const [signal, act] of heard) Deno.removeSignalListener(signal, act);
    },
  };
}
