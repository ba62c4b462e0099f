/** Times as text, and stored waits. All times inside svc are epoch milliseconds, UTC. */
import { STORED_WAIT_MS } from "./bounds.ts";

/** `20261121-102930`: the time part of a log file's name (spec section 2.1). */
export function fileStamp(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}

export function rfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** @param at epoch ms, as it was stored; a time that is too far off comes from a clock that was ahead */
export function isOver(at: number, now: number): boolean {
  return at <= now || at > now + STORED_WAIT_MS;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round(ms % 60_000 / 1000)} s`;
}
