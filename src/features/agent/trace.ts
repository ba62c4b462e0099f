/** The trace of one run: JSON Lines, owner-only, redacted, readable after a crash. */
import { inertJson } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Trace } from "./agent.ts";

/** A longer line has its longest strings cut. */
export const TRACE_LINE_BYTES = 4 * 1024 * 1024;
const TRACE_CUT_CHARS = 64 * 1024;

/** Other keys depend on `kind` (docs/agent.md). */
export interface TraceRecord {
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly kind: string;
  readonly [key: string]: unknown;
}

/** Lines that are on disk before `write` returns, since something is shown or done after them. */
const SYNCED: ReadonlySet<string> = new Set(["turn", "compacted", "ended"]);

/** Makes the folder when missing. @throws Failure that names the path */
export async function openTrace(plan: {
  readonly files: Pick<Files, "openAppend" | "makeFolder" | "stat">;
  /** Absolute; `~/.svc/traces/<repo>/<job>.jsonl`. */
  readonly path: string;
  readonly redact: Redact;
  readonly clock: Pick<Clock, "now">;
}): Promise<Trace & Disposable> {
  const { files, path, redact, clock } = plan;
  await files.makeFolder(path.slice(0, path.lastIndexOf("/")));
  const old = await files.stat(path);
  const file = await files.openAppend(path);
  // A killed run may have left half a line: it ends here, and readers skip it.
  if (old !== undefined && old.size > 0) await file.write("\n");
  return {
    path,
    async write(kind, fields) {
      const record = { at: rfc3339(clock.now()), kind, ...fields };
      await file.write(`${lineOf(record, redact)}\n`);
      if (SYNCED.has(kind)) await file.sync();
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** Redacts each text before quoting it, so that what is cut out never breaks the JSON. */
function lineOf(record: TraceRecord, redact: Redact): string {
  const clean = (_: string, value: unknown) => typeof value === "string" ? redact(value) : value;
  const line = inertJson(JSON.stringify(record, clean));
  if (byteLength(line) <= TRACE_LINE_BYTES) return line;
  for (let limit = TRACE_CUT_CHARS;; limit = Math.floor(limit / 2)) {
    const cut = (_: string, value: unknown) =>
      typeof value === "string" ? cutText(value, limit) : value;
    const shorter = inertJson(JSON.stringify({ ...JSON.parse(line), cut: true }, cut));
    if (byteLength(shorter) <= TRACE_LINE_BYTES || limit === 0) return shorter;
  }
}

function cutText(text: string, limit: number): string {
  return shortened(text, limit, `[${text.length - limit} characters left out of the trace]`);
}

function byteLength(text: string): number {
  return text.length * 3 <= TRACE_LINE_BYTES ? text.length : new TextEncoder().encode(text).length;
}

/** Reads the whole lines of a trace. Skips one that a crash cut short: nothing followed from it. */
export function readTrace(text: string): readonly TraceRecord[] {
  return text.split("\n").flatMap((line) => {
    const record = parsed(line);
    return record === undefined ? [] : [record];
  });
}

function parsed(line: string): TraceRecord | undefined {
  if (line === "") return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && "at" in value && "kind" in value
      ? value as TraceRecord
      : undefined;
  } catch {
    return undefined; // half a line
  }
}
