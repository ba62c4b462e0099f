/** Ctrl-C and TERM: the first signal asks the command to stop, the next one ends it. */
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

const SIGNALS: readonly Deno.Signal[] = ["SIGINT", "SIGTERM"];

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
  const stop = () => {
    if (!first.signal.aborted) {
      first.abort(failure);
      timers.push(after(graceMs, () => reject(failure)));
    } else if (hurry !== undefined && !second.signal.aborted) {
      second.abort(failure);
      timers.push(after(hurry.hurryMs, end));
    } else end();
  };
  const interrupt = () => {
    if (lent === 0) stop();
  };
  const heard = (signal: Deno.Signal) => signal === "SIGINT" ? interrupt : stop;
  const signals: readonly Deno.Signal[] = hurry === undefined ? SIGNALS : [...SIGNALS, "SIGHUP"];
  for (const signal of signals) Deno.addSignalListener(signal, heard(signal));
  return {
    signal: first.signal,
    hurry: second.signal,
    overdue: promise,
    close() {
      for (const timer of timers) timer.clear();
      for (const signal of signals) Deno.removeSignalListener(signal, heard(signal));
    },
  };
}
