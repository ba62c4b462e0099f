/** Times as text, and stored waits. All times inside svc are epoch milliseconds, UTC. */
import { STORED_WAIT_MS } from "./bounds.ts";

/** `20261121-102930`: the time part of a log file's name (spec section 2.1). */
export function fileStamp(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}

export function rfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Such as `17:16:21Z`: to the second, and as UTC. @param time as `rfc3339` gives it */
export function timeOfDay(time: string): string {
  return `${time.slice(11, 19)}Z`;
}

/** @param at epoch ms, as it was stored; a time that is too far off comes from a clock that was ahead */
export function isOver(at: number, now: number): boolean {
  return at <= now || at > now + STORED_WAIT_MS;
}

/** `184 ms`, `2.0 s`, `3 min 4 s`, `5 h 12 min`, `3 d 2 h`; no unit is shown with as much as the next one holds. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const secs = Math.round(ms / 1000);
  if (secs < 3600) return `${Math.floor(secs / 60)} min ${secs % 60} s`;
  const mins = Math.floor(secs / 60);
  if (mins < 24 * 60) return `${Math.floor(mins / 60)} h ${mins % 60} min`;
  const hours = Math.floor(mins / 60);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
