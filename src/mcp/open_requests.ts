/** The client's requests without an answer yet, and the batches that wait for them. */
import type { RequestId } from "./messages.ts";

/** Sent together with the last one (JSON-RPC 2.0, section 6). */
export interface Batch {
  readonly waits: Set<RequestId>;
  readonly answers: unknown[];
}

export interface OpenRequests {
  readonly size: number;
  has(id: RequestId): boolean;
  open(id: RequestId, batch?: Batch): void;
  /** @param answer undefined when there will be none @returns what is to be sent now */
  settle(id: RequestId, answer: unknown): unknown;
  idle(): Promise<void>;
}

/** Undefined before all answers are there, and for a batch without requests. */
export function complete({ waits, answers }: Batch): unknown {
  return waits.size === 0 && answers.length > 0 ? answers : undefined;
}

export function openRequests(): OpenRequests {
  const open = new Map<RequestId, Batch | undefined>();
  let waiters: (() => void)[] = [];
  return {
    get size() {
      return open.size;
    },
    has: (id) => open.has(id),
    open(id, batch) {
      open.set(id, batch);
      batch?.waits.add(id);
    },
    settle(id, answer) {
      const batch = open.get(id);
      open.delete(id);
      if (open.size === 0) {
        for (const wake of waiters) wake();
        waiters = [];
      }
      if (batch === undefined) return answer;
      batch.waits.delete(id);
      if (answer !== undefined) batch.answers.push(answer);
      return complete(batch);
    },
    idle() {
      if (open.size === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.push(resolve);
      return promise;
    },
  };
}
