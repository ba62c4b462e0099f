/** The time that the page shows: it ticks every second while the page is visible, and follows the server's clock. */
import { signal } from "@preact/signals";

/** Smaller differences between the clocks of browser and server are only network delay. */
const SKEW_MS = 5_000;

let skew = 0;
export const now = signal(Date.now());

/** The server's time, epoch ms. What is compared with `now` is of this clock too: the browser's own may be minutes off. */
export const serverNow = (): number => Date.now() + skew;

/** @param date the `Date` header of an answer */
export function setClockBy(date: string | null): void {
  const server = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(server)) return;
  const off = server - Date.now();
  skew = Math.abs(off) > SKEW_MS ? off : 0;
}

function tick(): void {
  if (document.visibilityState === "visible") now.value = serverNow();
}

export function startClock(): void {
  setInterval(tick, 1_000);
  document.addEventListener("visibilitychange", tick);
}
