/** What a scan learns of one file: its facts for the rules, and its secrets. */
import { areHits } from "svc/features/guardrails/file_secrets.ts";
import { type RawSecret, scanFile } from "svc/features/guardrails/scan_file.ts";
import type { ScanOptions } from "svc/features/guardrails/scan_text.ts";
import type { DecodedText } from "svc/features/guardrails/decode_text.ts";
import type { FileJob } from "svc/platform/confined/file_workers.ts";
import type { ScannedFile } from "./facts.ts";
import { factsOf } from "./file_facts.ts";
import { areFacts } from "./facts_shape.ts";
import { FILE_RULES } from "./rules/all.ts";

/** File rules skip longer texts, which are data or generated. */
const SCAN_TEXT_BYTES = 1024 * 1024;

export interface LookedFile {
  readonly facts: ScannedFile;
  readonly hits: readonly RawSecret[];
  /** In this thread alone: a Worker leaves a file whose rules ran out of time to it. */
  readonly unfinished?: Promise<RawSecret>;
}

/** The first message to a Worker that reads facts. */
export interface FactsTask {
  readonly task: "facts";
}

function lineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

function factsIn(
  path: string,
  content: Uint8Array,
  text: DecodedText | undefined,
): ScannedFile {
  const bytes = content.length;
  if (text === undefined) return { bytes, lines: 0, noText: "binary" };
  if (bytes > SCAN_TEXT_BYTES) return { bytes, lines: lineFeeds(content) };
  return factsOf(path, { text: text.text(), bytes }, FILE_RULES);
}

export function lookAtFile(path: string, bytes: Uint8Array, options: ScanOptions): LookedFile {
  const { hits, unfinished, text } = scanFile({ path, bytes }, options);
  return { facts: factsIn(path, bytes, text), hits, ...(unfinished && { unfinished }) };
}

/** Reads a Worker's answer; undefined for what is none. */
export const readLooked: FileJob<LookedFile>["read"] = (answer, size) => {
  if (typeof answer !== "object" || answer === null) return undefined;
  const { facts, hits } = answer as Record<string, unknown>;
  return areFacts(facts, size) && areHits(hits) ? { facts, hits } : undefined;
};
