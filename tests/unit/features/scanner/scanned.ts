/** Scans a real repo with real parts; counts what is read. */
import type { ScanReport } from "svc/features/scanner/report.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { scan } from "svc/features/scanner/scan.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });

export interface Scanned extends ScanReport {
  /** Paths that were read, in order. */
  readonly paths: readonly string[];
  /** Paths whose lines git was asked to date. */
  readonly blamed: readonly string[];
}

/** @param now epoch ms; the fixed date of the test repos' commits and an hour unless said otherwise */
export async function scanned(
  root: string,
  home: string,
  { now = Date.parse("2026-01-02T04:00:00Z"), dryRun = false, blamedFiles = 100 } = {},
): Promise<Scanned> {
  const paths: string[] = [];
  const blamed: string[] = [];
  const opened = await git.open(root);
  using folder = await openFolder(root);
  const report = await scan({
    repo: {
      ...opened,
      lineTimes(path, query) {
        blamed.push(path);
        return opened.lineTimes(path, query);
      },
    },
    folder,
    files: denoFiles(),
    home: { cache: `${home}/cache` },
    readTree: (plan, visit) =>
      readTree(plan, (path, content) => {
        paths.push(path);
        visit(path, content, "");
      }),
    clock: { ...systemClock, now: () => now },
    signal: new AbortController().signal,
    progress() {},
    parseManifest: (text) => Promise.resolve(readManifest(text)),
    dryRun,
    blamedFiles,
  });
  return { ...report, paths, blamed };
}
