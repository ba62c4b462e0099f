/** Scans a repo: lists its files, reads those that changed, and runs every rule. */
import { folderOf } from "svc/core/path_parts.ts";
import { Failure } from "svc/core/failure.ts";
import { together } from "svc/core/together.ts";
import { VERSION } from "svc/core/version.ts";
import { BaselineMatcher, readBaseline } from "svc/features/guardrails/baseline.ts";
import { keyOfRepo } from "svc/features/guardrails/fingerprint.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { BareWorkers } from "svc/platform/confined/bare_worker.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { Home } from "svc/platform/home.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import { type CachedScan, type Churn, type ScanCache, scanCache } from "./cache.ts";
import type { ScannedFile } from "./facts.ts";
import { findingsOf } from "./findings.ts";
import { churnOf, dateTodos } from "./history.ts";
import { type FileListing, listed, type ListedFile } from "./listed.ts";
import { pathFacts } from "./path_facts.ts";
import { readFiles } from "./read_files.ts";
import type { ScanFinding, ScanReport } from "./report.ts";
import { RULES } from "./rules/all.ts";
import type { ScannedRepo, Severity } from "./rule.ts";

/** Files whose TODOs one scan dates, with two git processes each; later scans continue. */
const SCAN_BLAMED_FILES = 100;

export interface ScanPorts {
  readonly repo: Pick<
    GitRepo,
    "root" | "indexEntries" | "status" | "changes" | "lineTimes"
  >;
  readonly folder: Pick<Folder, "read" | "stat">;
  readonly files: Pick<Files, "readText" | "writeAtomic" | "makeFolder">;
  readonly home: Pick<Home, "cache">;
  readonly readTree: ReadTree;
  readonly clock: Pick<Clock, "now" | "processor" | "monotonic">;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  /** Called only when there is a manifest. @throws Failure when it is not valid */
  readonly parseManifest: (text: string) => Promise<Manifest>;
  /** Writes nothing, so the next scan reads the same files again. */
  readonly dryRun?: boolean;
  readonly blamedFiles?: number;
  readonly workers?: BareWorkers;
}

type FilesByPath = Map<string, ScannedFile>;

interface ScanView {
  readonly scanned: ScannedRepo;
  readonly counts: Pick<ScanReport["counts"], "read" | "undated">;
}

/** @throws Failure of git or the disk; `conflict` for a secret baseline that is not valid */
export async function scan(ports: ScanPorts): Promise<ScanReport> {
  const { scanned, counts } = await lookAt(ports);
  const findings = findingsOf(RULES, scanned);
  const all = { ...counts, files: scanned.files.size, rules: RULES.length };
  return { repo: ports.repo.root, findings, counts: { ...bySeverity(findings), ...all } };
}

/** @throws Failure like `scan` */
export async function lookAt(ports: ScanPorts): Promise<ScanView> {
  const { repo, folder, files, home, clock, progress } = ports;
  const baseline = await readBaseline(folder);
  const key = baseline?.key ?? await keyOfRepo(repo.root);
  const cache = await scanCache(files, { home, root: repo.root, seed: key.toHex() });
  progress("listing files");
  const [listing, known] = await Promise.all([listed(repo, folder), cache.load()]);

  const fresh = listing.files.filter(({ path, identity }) =>
    known.files.get(path)?.[0] !== identity
  );
  const now = clock.now();
  const plan = { repo, now, progress, blamedFiles: ports.blamedFiles ?? SCAN_BLAMED_FILES };
  const [read, { churn, added }] = await together(
    readFiles({ ...ports, root: repo.root, paths: fresh.map(({ path }) => path), key }),
    churnOf(plan, listing.head, known.churn),
  );
  const facts: FilesByPath = new Map();
  for (const { path, identity } of listing.files) {
    const old = known.files.get(path);
    const one = read.get(path) ?? (old?.[0] === identity ? old[1] : undefined);
    if (one !== undefined) facts.set(path, one);
  }

  const todo = withoutDates(listing, facts);
  const undated = churn === undefined ? 0 : await dateTodos(plan, { churn, added }, todo, facts);
  const changed = fresh.length > 0 || todo.length > 0 || facts.size !== known.files.size ||
    churn !== known.churn;
  if (changed && !ports.dryRun) await remember(cache, listing, facts, churn);

  const scanned = scannedRepo(
    shown(listing, facts, new BaselineMatcher(baseline?.findings ?? [])),
    {
      listing,
      changes: new Map(Object.entries(churn?.counts ?? {})),
      manifest: await manifestOf(facts, ports),
      now,
    },
  );
  return { scanned, counts: { read: read.size, undated } };
}

function bySeverity(findings: readonly ScanFinding[]): Record<Severity, number> {
  const counts = { high: 0, medium: 0, low: 0 };
  for (const { severity } of findings) counts[severity]++;
  return counts;
}

/** Tracked files with TODOs of unknown age. */
function withoutDates({ files }: FileListing, facts: FilesByPath): ListedFile[] {
  return files.filter(({ path, tracked }) => {
    const one = facts.get(path);
    return tracked && one?.todos !== undefined && one.todoTimes === undefined;
  });
}

async function remember(
  cache: ScanCache,
  listing: FileListing,
  facts: FilesByPath,
  churn: Churn | undefined,
): Promise<void> {
  const files: Map<string, readonly [string, ScannedFile]> = new Map();
  for (const { path, identity } of listing.files) {
    const one = facts.get(path);
    if (one !== undefined) files.set(path, [identity, one]);
  }
  const remembered: CachedScan = { files, churn };
  await cache.save(remembered);
}

function shown({ files }: FileListing, facts: FilesByPath, baseline: BaselineMatcher): FilesByPath {
  const scanned: FilesByPath = new Map();
  for (const { path, tracked } of files) {
    const one = facts.get(path);
    if (one === undefined) continue;
    const { secrets, ...rest } = one;
    const open = secrets?.filter(({ rule, fingerprint }) =>
      !baseline.has({ rule, path, fingerprint })
    );
    scanned.set(path, {
      ...rest,
      ...(open !== undefined && open.length > 0 && { secrets: open }),
      ...(!tracked && { untracked: true }),
    });
  }
  return scanned;
}

async function manifestOf(
  facts: FilesByPath,
  { parseManifest }: Pick<ScanPorts, "parseManifest">,
): Promise<ScannedRepo["manifest"]> {
  const text = facts.get(MANIFEST_PATH)?.text;
  if (text === undefined) return undefined;
  try {
    return { says: await parseManifest(text) };
  } catch (thrown) {
    if (thrown instanceof Failure) return { fault: thrown.message };
    throw thrown;
  }
}

export function scannedRepo(
  files: ReadonlyMap<string, ScannedFile>,
  { listing, ...rest }:
    & Pick<ScannedRepo, "changes" | "manifest" | "now">
    & { readonly listing: Pick<FileListing, "elsewhere"> },
): ScannedRepo {
  const folders = new Set<string>([""]);
  for (const path of files.keys()) {
    for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) {
      folders.add(folder);
    }
  }
  const places = new Map(Array.from(files.keys(), (path) => [path, pathFacts(path)]));
  const below = (path: string) =>
    listing.elsewhere.some((top) =>
      path === top || path.startsWith(`${top}/`) || top.startsWith(`${path}/`)
    );
  return {
    ...rest,
    version: VERSION,
    files,
    pathFacts: (path) => places.get(path) ?? pathFacts(path),
    has: (path) => files.has(path) || folders.has(path) || below(path),
  };
}
