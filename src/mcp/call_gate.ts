/** Decides which calls run at once: several that only read, or one that changes something, in order of arrival. */

interface WaitingCall {
  readonly reads: boolean;
  readonly admit: () => void;
}

export interface CallGate {
  /** Disposing the result admits the next call. @throws the reason of `signal` */
  enter(reads: boolean, signal: AbortSignal): Promise<Disposable>;
}

export function callGate(readsAtOnce: number): CallGate {
  const waiting: WaitingCall[] = [];
  let reading = 0;
  let changing = false;

  const fits = (reads: boolean) => !changing && (reads ? reading < readsAtOnce : reading === 0);
  const admitNext = () => {
    while (waiting.length > 0 && fits(waiting[0]!.reads)) {
      const { reads, admit } = waiting.shift()!;
      if (reads) reading++;
      else changing = true;
      admit();
    }
  };

  return {
    async enter(reads, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const call: WaitingCall = { reads, admit: resolve };
      const giveUp = () => {
        const at = waiting.indexOf(call);
        if (at !== -1) waiting.splice(at, 1);
        reject(signal.reason);
        admitNext();
      };
      waiting.push(call);
      signal.addEventListener("abort", giveUp, { once: true });
      admitNext();
      try {
        await promise;
      } finally {
        signal.removeEventListener("abort", giveUp);
      }
      return {
        [Symbol.dispose]() {
          if (reads) reading--;
          else changing = false;
          admitNext();
        },
      };
    },
  };
}
