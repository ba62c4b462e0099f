/** The report of a scan as a shape: `--json` prints it, and its types derive from it. */
import type { z } from "zod";
import type { Immutable } from "svc/core/immutable.ts";
import { SEVERITIES } from "./rule.ts";

export function scanShape(zod: typeof z) {
  const count = zod.int().min(0);
  return zod.strictObject({
    repo: zod.string(),
    /** Worst first, then by rule, path and line. */
    findings: zod.array(zod.strictObject({
      rule: zod.string(),
      severity: zod.enum(SEVERITIES),
      path: zod.string().exactOptional(),
      line: zod.int().exactOptional(),
      title: zod.string(),
      detail: zod.string().exactOptional(),
      fix: zod.string(),
      /** 16 hex digits; the same for as long as the gap is there, even when its line moves. */
      fingerprint: zod.string(),
    })),
    counts: zod.strictObject({
      high: count,
      medium: count,
      low: count,
      files: count,
      /** Files that were read; the others had not changed since the last scan. */
      read: count,
      rules: count,
      /** Files whose TODOs are not dated yet; later scans date them. */
      undated: count,
    }),
    tickets: zod.strictObject({
      created: zod.array(zod.strictObject({
        id: zod.string(),
        path: zod.string(),
        title: zod.string(),
        priority: zod.string(),
        source: zod.string(),
      })),
      /** Groups of gaps that an open ticket covers. */
      deduplicated: count,
      /** Groups that wait until fewer tickets of scans are open. */
      held: count,
      /** Absent when nothing was written. */
      commit: zod.string().exactOptional(),
      dry_run: zod.boolean(),
    }).exactOptional(),
  });
}

export type ScanReport = Immutable<z.infer<ReturnType<typeof scanShape>>>;
export type ScanFinding = ScanReport["findings"][number];
export type WrittenTickets = NonNullable<ScanReport["tickets"]>;
