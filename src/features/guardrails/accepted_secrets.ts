/** Secrets that a person accepted, by a marker or the baseline, where both stand on the default branch. */
import { FILE_READ_BYTES } from "svc/core/bounds.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { type Baseline, BASELINE_PATH, parseBaseline } from "./baseline.ts";
import { type FingerprintKey, keyOfRepo } from "./fingerprint.ts";
import { blobs } from "./scan_sources.ts";
import { type ScanSources, secretScan, type SecretScanResult } from "./secret_scan.ts";

export interface AcceptingBranch {
  readonly git: Pick<GitRepo, "catFiles" | "filesAt" | "root">;
  /** Ref of the default branch, such as `refs/heads/main`. */
  readonly into: string;
  now(): number;
}

/** What a role's commits add. */
export interface AddedFiles extends ScanSources {
  /** Files whose versions on the default branch may contain accepted secrets, including removed files. */
  readonly paths: readonly string[];
}

export interface RoleScan extends Pick<SecretScanResult, "findings"> {
  /** Found, and accepted on the default branch already. */
  readonly accepted: number;
}

const idOf = ({ rule, fingerprint }: { readonly rule: string; readonly fingerprint: string }) =>
  `${rule}\0${fingerprint}`;

/** A marker or a baseline that a role writes has no effect. @throws Failure `conflict` for a bad baseline */
export async function scanForRole(added: AddedFiles, branch: AcceptingBranch): Promise<RoleScan> {
  const { git, now } = branch;
  const plain = await keyOfRepo(git.root);
  const first = await secretScan(added, { key: plain, now, markers: false });
  if (first.findings.length === 0) return { findings: [], accepted: 0 };
  const baseline = await baselineOn(branch);
  const key = baseline?.key ?? plain;
  const found = baseline === undefined
    ? first
    : await secretScan(added, { key, now, markers: false, baseline });
  const marked = await markedOn(branch, [...new Set(added.paths)], key);
  const findings = found.findings.filter((finding) => !marked.has(idOf(finding)));
  const accepted = found.known.length + found.findings.length - findings.length;
  return { findings, accepted };
}

async function baselineOn({ git, into }: AcceptingBranch): Promise<Baseline | undefined> {
  const [file] = await git.filesAt(into, [BASELINE_PATH]);
  let text: string | undefined;
  await git.catFiles(file === undefined ? [] : [file.oid], (blob) => {
    if (blob.state === "read") text = new TextDecoder().decode(blob.bytes);
  }, FILE_READ_BYTES);
  return text === undefined ? undefined : parseBaseline(text);
}

/** Those that a marker lets through there, wherever the change moves them to. */
async function markedOn(
  { git, into, now }: AcceptingBranch,
  paths: readonly string[],
  key: FingerprintKey,
): Promise<ReadonlySet<string>> {
  const files = await git.filesAt(into, paths);
  const sources: ScanSources = { each: (visit) => blobs(git, files, visit) };
  const [all, unmarked] = [
    await secretScan(sources, { key, now, markers: false }),
    await secretScan(sources, { key, now }),
  ];
  const places = new Set(unmarked.findings.map(placeOf));
  return new Set(all.findings.filter((finding) => !places.has(placeOf(finding))).map(idOf));
}

function placeOf({ path, line, column }: SecretScanResult["findings"][number]): string {
  return `${path}\0${line}\0${column}`;
}
