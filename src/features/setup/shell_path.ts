/** Keeps one marked block in a start-up file, and leaves every other byte of the file alone. */
import { shellWord } from "svc/core/shell_word.ts";
import { Failure } from "svc/core/failure.ts";
import { type BlockChange, bytesOf, byteText, withBlock } from "svc/core/marked_block.ts";
import { quoted } from "svc/core/repo_path.ts";
import { unifiedDiff } from "svc/core/unified_diff.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Startup } from "./shell_profiles.ts";

const DOTFILE_BYTES = 1024 * 1024;

const LABEL = "svc path";
const NOTE = "# Written by svc path setup; run it again to change the folder.";

interface StartupFileChange {
  readonly path: string;
  readonly change: BlockChange;
  readonly diff?: string;
}

type ProfileFiles = Pick<Files, "read" | "stat" | "realPath" | "makeFolder" | "writeAtomic">;

/** Undefined when nothing is there or a link leads nowhere. */
async function realPath(files: ProfileFiles, path: string): Promise<string | undefined> {
  try {
    return await files.realPath(path);
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

/** Each file once, even where one is a link to another. */
async function chosen(
  files: ProfileFiles,
  startups: readonly Startup[],
): Promise<readonly { path: string; exists: boolean }[]> {
  const byFile = new Map<string, { path: string; exists: boolean }>();
  for (const { candidates, ifExists } of startups) {
    const real = await Promise.all(candidates.map((path) => realPath(files, path)));
    const at = real.findIndex((found) => found !== undefined);
    if (at === -1 && ifExists) continue;
    const path = candidates.at(at)!;
    const file = real.at(at) ?? path;
    if (!byFile.has(file)) byFile.set(file, { path, exists: at !== -1 });
  }
  return [...byFile.values()];
}

async function mustBeFree(files: ProfileFiles, path: string): Promise<void> {
  if (await files.stat(path) === undefined) return;
  throw new Failure("conflict", `Cannot make ${quoted(path)}: it is a link that leads nowhere`, {
    remedy: `Make the file it leads to, or remove the link: ls -l ${shellWord(path)}`,
  });
}

/** Plans all, then writes; links stay. @throws Failure `conflict` for half a block or dead link */
export async function editStartupFiles(
  files: ProfileFiles,
  startups: readonly Startup[],
  lines: readonly string[],
  { dryRun }: { dryRun: boolean },
): Promise<readonly StartupFileChange[]> {
  const block = { label: LABEL, lines: [NOTE, ...lines] };
  const planned = [];
  for (const { path, exists } of await chosen(files, startups)) {
    if (!exists) await mustBeFree(files, path);
    const old = exists ? byteText(await files.read(path, { maxBytes: DOTFILE_BYTES })) : undefined;
    planned.push({ path, old, ...withBlock(old, block, { path, at: "end" }) });
  }
  const changes: StartupFileChange[] = [];
  for (const { path, old, text, change } of planned) {
    if (change === "unchanged") changes.push({ path, change });
    else if (dryRun) {
      const before = old === undefined ? undefined : bytesOf(old);
      changes.push({ path, change, diff: unifiedDiff(path, before, bytesOf(text)) });
    } else {
      if (old === undefined) await files.makeFolder(path.slice(0, path.lastIndexOf("/")) || "/");
      await files.writeAtomic(path, bytesOf(text), { followLink: true });
      changes.push({ path, change });
    }
  }
  return changes;
}
