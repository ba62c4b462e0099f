/**
 * Timers without Node's. The first `setTimeout` or `setImmediate` of a thread makes Deno 2.9 load a part of
 * Node, 12 ms and 4 MiB; `AbortSignal.timeout` loads nothing. As with `setTimeout`, a timer that waits keeps
 * its thread alive, and none takes less than 1 ms.
 */

/** Longer ones are waited for in parts: Deno takes no more than a signed 32-bit number of ms. */
const LONGEST_MS = 2 ** 31 - 1;

export interface Timer {
  /** Does nothing once the timer has run. */
  clear(): void;
}

interface Waiting {
  /** As `performance.now()` tells it. */
  readonly due: number;
  readonly run: () => void;
}

interface Alarm {
  readonly due: number;
  readonly signal: AbortSignal;
}

/** Those that are due first come first. */
const waiting: Waiting[] = [];
/**
 * The last one is due first, and wakes all timers that are due by then. None can be taken back, so each is used
 * again: a long timer between many short ones needs one alarm, not another after each.
 */
const alarms: Alarm[] = [];
let ringing = false;

function ring(): void {
  ringing = true;
  const now = performance.now();
  try {
    while (waiting[0] !== undefined && waiting[0].due <= now) waiting.shift()!.run();
  } finally {
    ringing = false;
    setAlarm();
  }
}

/** Deno waits for an alarm as long as somebody listens to it. */
function setAlarm(): void {
  if (ringing) return;
  while (alarms.at(-1)?.signal.aborted) alarms.pop();
  let alarm = alarms.at(-1);
  const next = waiting[0];
  // An alarm takes whole ms.
  const fits = alarm !== undefined && next !== undefined && alarm.due < next.due + 1;
  if (!fits) alarm?.signal.removeEventListener("abort", ring);
  if (next === undefined) return;
  if (!fits) {
    const now = performance.now();
    const ms = Math.min(Math.max(0, Math.ceil(next.due - now)), LONGEST_MS);
    alarm = { due: now + ms, signal: AbortSignal.timeout(ms) };
    alarms.push(alarm);
  }
  alarm!.signal.addEventListener("abort", ring);
}

/** Calls `run` once, `ms` from now or as soon after as the thread is free. */
export function after(ms: number, run: () => void): Timer {
  const timer = { due: performance.now() + Math.max(1, ms), run };
  let at = waiting.length;
  while (at > 0 && waiting[at - 1]!.due > timer.due) at--;
  waiting.splice(at, 0, timer);
  if (at === 0) setAlarm();
  return {
    clear() {
      const found = waiting.indexOf(timer);
      if (found === -1) return;
      waiting.splice(found, 1);
      if (found === 0) setAlarm();
    },
  };
}

/** Calls `run` every `ms`, later where the thread is busy. */
export function every(ms: number, run: () => void): Timer {
  let next: Timer;
  const again = () => {
    next = after(ms, again);
    run();
  };
  next = after(ms, again);
  return { clear: () => next.clear() };
}

/** Resolves when all that can go on at once has done so, some 0.1 ms from now. */
export function afterTheRest(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      port2.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
