/** What a secret scan learns of one file, and the proof that a Worker's answer is such. */
import type { FileJob } from "svc/platform/confined/file_workers.ts";
import { type RawSecret, scanFile } from "./scan_file.ts";
import type { ScanOptions } from "./scan_text.ts";
import { secretRules } from "./secret_rules/all.ts";

export interface FileSecrets {
  readonly bytes: number;
  readonly hits: readonly RawSecret[];
  readonly allowed: number;
  readonly skipped?: "binary" | "too_large";
  readonly timedOut?: readonly string[];
  /** In this thread alone: a Worker leaves a file whose rules ran out of time to it. */
  readonly unfinished?: Promise<RawSecret>;
}

/** The first message to a Worker that looks for secrets. */
export interface SecretTask {
  readonly task: "secrets";
  readonly allow: boolean;
}

export function secretsIn(path: string, bytes: Uint8Array, options: ScanOptions): FileSecrets {
  const { hits, allowed, skipped, timedOut, unfinished } = scanFile({ path, bytes }, options);
  return {
    bytes: bytes.length,
    hits,
    allowed,
    ...(skipped && { skipped }),
    ...(unfinished && { timedOut, unfinished }),
  };
}

const isCount = (value: unknown, least = 0): value is number =>
  Number.isSafeInteger(value) && value as number >= least;

let known: ReadonlySet<unknown> | undefined;

function isHit(value: unknown): value is RawSecret {
  known ??= new Set(secretRules().map(({ id }) => id));
  const { rule, path, line, column, secret, ...rest } = { ...value as Record<string, unknown> };
  return known.has(rule) && typeof path === "string" && isCount(line, 1) && isCount(column, 1) &&
    typeof secret === "string" && secret !== "" && Object.keys(rest).length === 0;
}

export const areHits = (value: unknown): value is readonly RawSecret[] =>
  Array.isArray(value) && value.every(isHit);

/** Reads a Worker's answer; undefined for what is none. */
export const readSecrets: FileJob<FileSecrets>["read"] = (answer, size) => {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { bytes, hits, allowed, skipped, ...rest } = answer as Record<string, unknown>;
  if (bytes !== size || !areHits(hits) || !isCount(allowed)) return undefined;
  if (Object.keys(rest).length > 0) return undefined;
  if (skipped === undefined) return { bytes, hits, allowed };
  return skipped === "binary" || skipped === "too_large"
    ? { bytes, hits, allowed, skipped }
    : undefined;
};
