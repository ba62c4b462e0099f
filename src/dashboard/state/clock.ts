/** The time as the page shows it: one tick a second while it is visible, set by the server's clock. */
import { signal } from "@preact/signals";

/** Clocks of browser and server differ behind a proxy; below this, what is measured is only the way. */
const SKEW_MS = 5_000;

let skew = 0;
export const now = signal(Date.now());

/** @param date the `Date` header of an answer */
export function setClockBy(date: string | null): void {
  const server = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(server)) return;
  const off = server - Date.now();
  skew = Math.abs(off) > SKEW_MS ? off : 0;
}

function tick(): void {
  if (document.visibilityState === "visible") now.value = Date.now() + skew;
}

export function startClock(): void {
  setInterval(tick, 1_000);
  document.addEventListener("visibilitychange", tick);
}
