/** `git_diff`: the change as a patch. */
import { z } from "zod";
import type { Diffed, DiffQuery } from "svc/platform/git/diff.ts";
import { missingText } from "./near_paths.ts";
import { anyPath, isReadable, mustBeReadable } from "./path_arg.ts";
import { tool, type ToolSession } from "./tool.ts";

/** Paths given to git one by one, when hidden files are left out. */
const DIFF_NAMED_PATHS = 200;

interface ReadablePatch extends Diffed {
  /** Files of the patch that are not in `text`. */
  readonly hidden: number;
}

/** Leaves out the files that file_read would not show. */
async function readablePatch(
  { tree: { git } }: ToolSession,
  query: DiffQuery,
): Promise<ReadablePatch> {
  const { paths, skipped } = await git.diffPaths(query);
  const readable = paths.filter(isReadable);
  const hidden = paths.length - readable.length + skipped.length;
  if (hidden === 0) return { ...await git.diff(query), hidden };
  const named = readable.slice(0, DIFF_NAMED_PATHS);
  const patch = named.length === 0
    ? { text: "", truncated: false, totalBytes: 0 }
    : await git.diff({ ...query, paths: named });
  return { ...patch, hidden: hidden + readable.length - named.length };
}

async function isUnknown({ tree: { git, folder } }: ToolSession, path: string): Promise<boolean> {
  if (await folder.stat(path) !== undefined) return false;
  const { paths } = await git.listFiles();
  return !paths.some((one) => one === path || one.startsWith(`${path}/`));
}

export const gitDiff = tool({
  name: "git_diff",
  about: "Shows tracked changes as a patch: since the last commit, or since another.",
  capability: "read",
  args: z.strictObject({
    since: z.string().optional().describe('Commit or branch, such as "main"; default HEAD'),
    path: anyPath("This file or folder only").optional(),
    staged: z.boolean().optional().describe("What is staged, not what is on disk"),
  }),
  async run(session, { since, path: asked, staged = false }) {
    const path = asked === "." ? undefined : asked;
    if (path !== undefined) mustBeReadable(path);
    const { head, changes } = await session.tree.git.status();
    // Against the last commit, staged or not: a model edits files and stages nothing.
    const base = since ?? (staged ? undefined : head && "HEAD");
    const { text, truncated, totalBytes, hidden } = await readablePatch(session, {
      staged,
      ...(base !== undefined && { since: base }),
      ...(path !== undefined && { paths: [path] }),
    });
    const untracked = staged ? [] : changes
      .filter((change) => change.kind === "untracked" && change.usable)
      .map((change) => change.path)
      .filter((one) => path === undefined || one === path || one.startsWith(`${path}/`));
    const nothing = text === "" && untracked.length === 0 && hidden === 0;
    if (nothing && path !== undefined && await isUnknown(session, path)) {
      return { ok: false, text: await missingText(session, path) };
    }
    const lines = [
      text === "" ? "No difference in tracked files" : text.trimEnd(),
      ...(hidden === 0 ? [] : [
        `[${hidden} changed files are not shown: they may hold credentials, or have names that ` +
        "cannot be used here, or are too many; give path to see one]",
      ]),
      ...(untracked.length === 0
        ? []
        : ["New files, not in the patch (see them with file_read):", ...untracked]),
    ];
    return {
      ok: true,
      text: lines.join("\n"),
      ...(truncated && { partOf: totalBytes }),
      facts: { truncated, untracked: untracked.length },
      readOn: () => "Give path to see one file at a time",
    };
  },
});
