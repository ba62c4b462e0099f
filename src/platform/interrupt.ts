/** Ctrl-C and TERM: the first asks the command to stop, the second ends the process. */
import { Failure } from "svc/core/failure.ts";

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Rejects with Failure `interrupted`, `graceMs` after the first signal. */
  readonly overdue: Promise<never>;
  close(): void;
}

export function onInterrupt(graceMs: number): Interrupt {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // whoever races it sees the rejection; nobody has to
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    if (controller.signal.aborted) Deno.exit(130);
    const failure = new Failure("interrupted", "Interrupted");
    controller.abort(failure);
    timer = setTimeout(() => reject(failure), graceMs);
  };
  const signals: Deno.Signal[] = ["SIGINT", "SIGTERM"];
  for (const signal of signals) Deno.addSignalListener(signal, stop);
  return {
    signal: controller.signal,
    overdue: promise,
    close() {
      clearTimeout(timer);
      for (const signal of signals) Deno.removeSignalListener(signal, stop);
    },
  };
}
