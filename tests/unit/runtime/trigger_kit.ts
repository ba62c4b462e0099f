/** Manifests of a few lines, views of them, and a clock that tests move. */
import { readManifest } from "svc/features/harness/manifest.ts";
import type { Clock } from "svc/platform/clock.ts";

const HEAD = "version: 1\nproject: { name: shop }\n";

/** @param roles YAML below `roles:`, without indentation */
export function manifestOf(roles: string, more = "") {
  const inside = roles.trim().split("\n").map((line) => `  ${line}`).join("\n");
  return readManifest(`${HEAD}${more}roles:\n${inside}\n`);
}

export function viewOf(roles: string, more = "") {
  return {
    ...{ id: "0123456789ab", root: "/shop", branch: "main", remote: null, problem: undefined },
    manifest: manifestOf(roles, more),
  };
}

/** A clock whose time of day is set by hand; whoever sleeps waits for `advance`. */
export class HandClock implements Clock {
  readonly slept: number[] = [];
  #now: number;
  #asleep: (() => void) | undefined;
  #someone = Promise.withResolvers<void>();

  constructor(now: string) {
    this.#now = Date.parse(now);
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return performance.now();
  }

  processor(): number {
    return performance.now();
  }

  set(now: string): void {
    this.#now = Date.parse(now);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    this.slept.push(ms);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asleep = resolve;
    signal?.addEventListener("abort", () => resolve());
    this.#someone.resolve();
    return promise;
  }

  /** Resolves when somebody sleeps. */
  async quiet(): Promise<void> {
    await this.#someone.promise;
  }

  /** Wakes whoever sleeps, at this time of day. */
  async advance(now: string): Promise<void> {
    await this.quiet();
    this.set(now);
    this.#someone = Promise.withResolvers<void>();
    this.#asleep?.();
  }
}
