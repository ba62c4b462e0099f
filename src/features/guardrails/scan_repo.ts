/** A secret scan of a repo with its baseline, shared by `secret-scan` and the git hooks. */
import { Failure } from "svc/core/failure.ts";
import { type Clock, threadTime } from "svc/platform/clock.ts";
import type { BareWorkers } from "svc/platform/confined/bare_worker.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { BASELINE_PATH, readBaseline, writeBaseline } from "./baseline.ts";
import { keyOfRepo, newKey } from "./fingerprint.ts";
import {
  type ScanSources,
  secretScan,
  type SecretScanReport,
  type SecretScanResult,
} from "./secret_scan.ts";

export interface SecretScanPorts {
  readonly root: string;
  readonly folder: Pick<Folder, "read" | "makeFolder" | "write">;
  readonly clock: Pick<Clock, "processor" | "monotonic">;
  readonly writeBaseline?: boolean;
  readonly workers?: BareWorkers;
}

/** @throws what the sources throw; Failure `conflict` for a baseline that is not valid */
export async function scanRepo(
  sources: ScanSources,
  { root, folder, clock, writeBaseline: write = false, workers }: SecretScanPorts,
): Promise<Omit<SecretScanReport, "staged">> {
  const baseline = await readBaseline(folder).catch((thrown) => {
    if (write && Failure.from(thrown).code === "conflict") return undefined; // it is replaced
    throw thrown;
  });
  const key = baseline?.key ?? (write ? newKey() : await keyOfRepo(root));
  const now = threadTime(clock);
  const options = { key, now, ...(baseline && { baseline }), ...(workers && { workers }) };
  const scanned = await secretScan(sources, options);
  if (!write) return { repo: root, ...scanned };
  const entries = await writeBaseline(folder, key, [...scanned.findings, ...scanned.known]);
  return { repo: root, ...scanned, baseline: { path: BASELINE_PATH, entries } };
}

/** A file that rules gave up is a finding too. */
export function notClean({ findings }: SecretScanResult): boolean {
  return findings.length > 0;
}
