/** How far a download is: bytes, rate and time left. */
import { duration } from "svc/core/time.ts";

/** Ms over which the rate is measured: long enough to be calm, short enough to follow a change. */
const RATE_WINDOW_MS = 10_000;

export interface DownloadProgress {
  readonly bundle: string;
  readonly file: string;
  /** Bytes that are on disk, and all of them. */
  readonly done: number;
  readonly bytes: number;
  /** Undefined until it can be told. */
  readonly bytesPerSecond?: number;
  readonly leftMs?: number;
  /** It reads what is there already, which needs no network. */
  readonly checking?: true;
  /** Why nothing comes just now. */
  readonly waits?: string;
}

export class Rate {
  readonly #seen: (readonly [at: number, bytes: number])[] = [];

  /** Bytes per second since some ten seconds ago. */
  at(now: number, bytes: number): number | undefined {
    this.#seen.push([now, bytes]);
    while (this.#seen.length > 2 && now - this.#seen[1]![0] >= RATE_WINDOW_MS) this.#seen.shift();
    const [since, before] = this.#seen[0]!;
    return now - since < 500 ? undefined : (bytes - before) / ((now - since) / 1000);
  }
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** With units of 1000, as disks and networks are sold. */
export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`;
}

export function progressText(progress: DownloadProgress): string {
  const { bundle, done, bytes, bytesPerSecond, leftMs, checking, waits } = progress;
  const far = `${bundle}: ${bytesText(done)} of ${bytesText(bytes)}`;
  if (checking) return `${far} checked`;
  if (waits !== undefined) return `${far}, waits: ${waits}`;
  if (bytesPerSecond === undefined || leftMs === undefined) return far;
  return `${far}, ${bytesText(bytesPerSecond)}/s, ${duration(leftMs)} left`;
}
