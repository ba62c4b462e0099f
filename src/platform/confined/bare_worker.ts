/** Workers without any permission: they reach nothing but the messages that they are sent. */
import type { Clock } from "svc/platform/clock.ts";

export interface BareWorker {
  post(message: unknown): void;
  end(): void;
}

export interface BareWorkers {
  /** How many may work beside this thread; 0 on one core. */
  readonly most: number;
  /** One is started for each so many bytes that are to be looked at: fewer are not worth its start. */
  readonly startBytes: number;
  /** @param heard gets each message, and undefined when the Worker has died */
  start(heard: (message: unknown) => void): BareWorker;
  readonly clock: Pick<Clock, "sleep">;
}

/** One thread reads for all of them, so that more would wait for it. */
const MOST_WORKERS = 3;

/** Measured: docs/decisions/0080-workers-of-a-scan.md. */
const START_BYTES = 24 * 1024 * 1024;

/** @param module URL of the Worker's entry */
export function bareWorkers(module: string, clock: Pick<Clock, "sleep">): BareWorkers {
  return {
    most: Math.min(navigator.hardwareConcurrency - 1, MOST_WORKERS),
    startBytes: START_BYTES,
    clock,
    start(heard) {
      const worker = new Worker(module, { type: "module", deno: { permissions: "none" } });
      worker.onmessage = ({ data }: MessageEvent) => heard(data);
      worker.onmessageerror = () => heard(undefined);
      worker.onerror = (event) => {
        event.preventDefault();
        heard(undefined);
      };
      return { post: (message) => worker.postMessage(message), end: () => worker.terminate() };
    },
  };
}
