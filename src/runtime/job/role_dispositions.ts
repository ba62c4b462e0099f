/** What a role may report: what its routes know, and that it is blocked or has nothing to do. */
import { REPORTED_DISPOSITIONS, type ReportedDisposition } from "svc/core/disposition.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";

export function dispositionsOf({ routes }: Pick<ManifestRole, "routes">): ReportedDisposition[] {
  const known = new Set<string>([...Object.keys(routes), "blocked", "no_work"]);
  return REPORTED_DISPOSITIONS.filter((disposition) => known.has(disposition));
}
