/** Scans files for secrets and reports findings that do not reveal values. */
import { compareText } from "svc/core/order.ts";
import type { z } from "zod";
import type { Immutable } from "svc/core/immutable.ts";
import type { BareWorkers } from "svc/platform/confined/bare_worker.ts";
import { FileWorkers } from "svc/platform/confined/file_workers.ts";
import { type Baseline, BaselineMatcher } from "./baseline.ts";
import { type FileSecrets, readSecrets, secretsIn, type SecretTask } from "./file_secrets.ts";
import { type FingerprintKey, withoutSecrets } from "./fingerprint.ts";
import { GAVE_UP, type RawSecret, scanName } from "./scan_file.ts";
import type { ScanOptions } from "./scan_text.ts";

export function secretScanShape(zod: typeof z) {
  const count = zod.int().min(0);
  const findings = zod.array(zod.strictObject({
    rule: zod.string(),
    path: zod.string(),
    line: zod.int(),
    column: zod.int(),
    fingerprint: zod.string(),
    redacted: zod.string(),
  }));
  return zod.strictObject({
    repo: zod.string(),
    staged: zod.boolean(),
    findings,
    known: findings,
    /**
     * It is not known what these rules would have found, so each such file is a finding itself, unless it is
     * accepted.
     */
    timeouts: zod.array(zod.strictObject({ rule: zod.string(), path: zod.string() })),
    counts: zod.strictObject({
      files: count,
      bytes: count,
      findings: count,
      baselined: count,
      /** Entries of the baseline that no finding matched. */
      stale: count,
      allowed: count,
      timeouts: count,
      skipped: zod.strictObject({
        /** Known shapes alone were looked for. */
        binary: count,
        too_large: count,
        symlink: count,
        submodule: count,
        missing: count,
        unreadable: count,
      }),
    }),
    baseline: zod.strictObject({ path: zod.string(), entries: count }).exactOptional(),
  });
}

export type SecretScanReport = Immutable<z.infer<ReturnType<typeof secretScanShape>>>;
export type SecretScanResult = Pick<
  SecretScanReport,
  "findings" | "known" | "timeouts" | "counts"
>;
type SecretFinding = SecretScanReport["findings"][number];
type SkipReason = keyof SecretScanReport["counts"]["skipped"];

/** A file to scan; its bytes may be overwritten after `visit` has returned. */
export type SourceFile =
  | { readonly path: string; readonly bytes: Uint8Array }
  | { readonly path: string; readonly skipped: SkipReason };

/** A source of files; git-ignored ones are never among them. */
export interface ScanSources {
  /** @param expect is told how many files there are, once that is known */
  each(visit: (file: SourceFile) => void, expect?: (files: number) => void): Promise<void>;
}

interface SecretScanOptions {
  /** The baseline's key, or `keyOfRepo` without one. */
  readonly key: FingerprintKey;
  readonly baseline?: Baseline;
  /** `Clock.processor` in ms, or `threadTime` of it where `workers` are given. */
  readonly now?: () => number;
  /** False: `svc:allow` counts for nothing, since whoever is scanned may have written it. */
  readonly markers?: boolean;
  /** Look at files too, where there are many. */
  readonly workers?: BareWorkers;
}

type Outcome = Omit<FileSecrets, "skipped"> & { readonly skipped?: SkipReason };

/** Holds the secrets until their fingerprints are made. */
class ScanPass {
  readonly pending: RawSecret[] = [];
  readonly unfinished: Promise<RawSecret>[] = [];
  readonly timeouts: { rule: string; path: string }[] = [];
  readonly skipped: Record<SkipReason, number> = {
    binary: 0,
    too_large: 0,
    symlink: 0,
    submodule: 0,
    missing: 0,
    unreadable: 0,
  };
  files = 0;
  bytes = 0;
  allowed = 0;

  take(path: string, { hits, bytes, skipped, allowed, timedOut = [], unfinished }: Outcome): void {
    for (const hit of hits) this.pending.push(hit);
    if (skipped !== undefined) this.skipped[skipped]++;
    else {
      this.files++;
      this.bytes += bytes;
    }
    this.allowed += allowed;
    if (unfinished === undefined) return;
    this.unfinished.push(unfinished);
    for (const rule of timedOut) this.timeouts.push({ rule, path });
  }
}

async function scanAll(
  sources: ScanSources,
  options: ScanOptions,
  workers: BareWorkers | undefined,
): Promise<ScanPass> {
  const pass = new ScanPass();
  const settings: SecretTask = { task: "secrets", allow: options.allow !== false };
  using files = new FileWorkers<Outcome>({
    settings,
    look: (path, bytes) => secretsIn(path, bytes, options),
    read: readSecrets,
    take: (path, outcome) => pass.take(path, outcome),
  }, workers);
  await sources.each((file) => {
    if ("bytes" in file) return files.look(file.path, file.bytes);
    const { path, skipped } = file;
    files.tell(path, { bytes: 0, allowed: 0, skipped, hits: scanName(path, options).hits });
  }, (count) => files.expect(count));
  await files.end();
  return pass;
}

function byPlace(a: SecretFinding, b: SecretFinding): number {
  return compareText(a.path, b.path) || a.line - b.line || a.column - b.column;
}

export async function secretScan(
  sources: ScanSources,
  { key, baseline, now, markers = true, workers }: SecretScanOptions,
): Promise<SecretScanResult> {
  const pass = await scanAll(sources, { allow: markers, ...(now && { now }) }, workers);
  const secrets = [...pass.pending, ...await Promise.all(pass.unfinished)];
  const all = (await withoutSecrets(secrets, baseline?.key ?? key)).sort(byPlace);
  const matcher = new BaselineMatcher(baseline?.findings ?? []);
  const known = all.filter((finding) => matcher.has(finding));
  const listed = new Set(known);
  const findings = all.filter((finding) => !listed.has(finding));
  const accepted = new Set(known.filter(({ rule }) => rule === GAVE_UP).map(({ path }) => path));
  const timeouts = pass.timeouts.filter(({ path }) => !accepted.has(path));
  const { files, bytes, allowed, skipped } = pass;
  return {
    findings,
    known,
    timeouts,
    counts: {
      files,
      bytes,
      findings: findings.length,
      baselined: known.length,
      stale: matcher.unseen().length,
      allowed,
      timeouts: timeouts.length,
      skipped,
    },
  };
}
