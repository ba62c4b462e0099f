/** Collects what a harness command would do to a repo: the steps, their diffs, and what it leaves alone. */
import { sha256 } from "svc/core/digest.ts";
import { unifiedDiff } from "svc/core/unified_diff.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { FileVersion, OperationStep } from "svc/platform/files/journal.ts";
import {
  type FileState,
  isStrange,
  type JournalTarget,
  look,
  type Present,
} from "svc/platform/files/journal_target.ts";

type ChangeKind = "create" | "replace" | "refresh" | "edit" | "remove";

export interface HarnessChange {
  readonly path: string;
  readonly change: ChangeKind;
  readonly diff?: string;
}

export interface KeptFile {
  readonly path: string;
  readonly why: string;
}

export interface HarnessPlan {
  readonly steps: readonly OperationStep[];
  readonly changes: readonly HarnessChange[];
  readonly kept: readonly KeptFile[];
  /** Absolute paths that are removed after all steps. */
  readonly drops: readonly string[];
  /** Contents that would be lost, by path; first copied into the svc home. */
  readonly backups: ReadonlyMap<string, Uint8Array>;
}

export async function versionOf(
  bytes: Uint8Array<ArrayBuffer>,
  mode?: number,
): Promise<FileVersion> {
  const version = { sha256: await sha256(bytes), content: bytes.toBase64() };
  return mode === undefined ? version : { ...version, mode };
}

/** Collects what goes outside of the repo. */
export type DropDraft = Pick<PlanDraft, "changes" | "drops" | "keep">;

const versionNow = ({ bytes, sha256, mode }: Present): FileVersion => ({
  sha256,
  content: bytes.toBase64(),
  mode,
});

export const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export interface PlanTarget extends JournalTarget {
  readonly files: Files;
}

export class PlanDraft implements HarnessPlan {
  readonly steps: OperationStep[] = [];
  readonly changes: HarnessChange[] = [];
  readonly kept: KeptFile[] = [];
  readonly drops: string[] = [];
  readonly backups = new Map<string, Uint8Array>();
  readonly madeFolders: string[] = [];

  constructor(readonly target: PlanTarget) {}

  now(path: string): Promise<FileState> {
    return look(this.target, path);
  }

  keep(path: string, why: string): void {
    this.kept.push({ path, why });
  }

  async makeFolder(path: string): Promise<void> {
    const parts = path.split("/");
    for (let depth = 1; depth <= parts.length; depth++) {
      const at = parts.slice(0, depth).join("/");
      if (this.madeFolders.includes(at)) continue;
      if (await this.target.folder.stat(at) !== undefined) continue;
      this.madeFolders.push(at);
      this.steps.push({ kind: "folder", path: at, made: true });
    }
  }

  async write(
    path: string,
    content: Uint8Array<ArrayBuffer>,
    { change, over, diff = false }: {
      change: ChangeKind;
      over: Present | undefined;
      diff?: boolean;
    },
  ): Promise<void> {
    const after = await versionOf(content);
    if (over?.sha256 === after.sha256) return;
    const cut = path.lastIndexOf("/");
    if (cut > 0) await this.makeFolder(path.slice(0, cut));
    const before = over === undefined ? null : versionNow(over);
    this.steps.push({ kind: "file", path, before, after });
    this.changes.push({
      path,
      change,
      ...(diff && { diff: unifiedDiff(path, over?.bytes, content) }),
    });
  }

  remove(path: string, over: Present): void {
    this.steps.push({ kind: "file", path, before: versionNow(over), after: null });
    this.changes.push({ path, change: "remove" });
  }

  /** Innermost first; a folder that is not empty by then stays. */
  removeFolder(path: string): void {
    this.steps.push({ kind: "folder", path, made: false });
  }

  /** A file that may be overwritten or removed; otherwise undefined, with the reason noted. */
  async plain(path: string): Promise<Present | undefined> {
    const now = await this.now(path);
    if (!isStrange(now)) return now;
    this.keep(path, now.strange);
    return undefined;
  }
}
