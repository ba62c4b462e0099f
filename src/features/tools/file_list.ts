/** The tool that shows the tree of files, without what git ignores. */
import { compareText } from "svc/core/order.ts";
import { z } from "zod";
import { FOLDER_ENTRIES } from "svc/core/bounds.ts";
import { quoted } from "svc/core/repo_path.ts";
import { visible } from "svc/core/visible_text.ts";
import { missingText } from "./near_paths.ts";
import { anyPath, mustBeReadable } from "./path_arg.ts";
import { tool, type ToolAnswer, type ToolSession } from "./tool.ts";

interface FolderTree {
  /** Below it, at any depth. */
  files: number;
  readonly folders: Map<string, FolderTree>;
  readonly names: string[];
}

const branch = (): FolderTree => ({ files: 0, folders: new Map(), names: [] });

function treeOf(paths: readonly string[], skip: number): FolderTree {
  const root = branch();
  for (const path of paths) {
    const names = path.slice(skip).split("/");
    const name = names.pop()!;
    let here = root;
    here.files++;
    for (const folder of names) {
      const inner = here.folders.get(folder) ?? branch();
      here.folders.set(folder, inner);
      here = inner;
      here.files++;
    }
    here.names.push(name);
  }
  return root;
}

const files = (count: number) => count === 1 ? "1 file" : `${count} files`;

function* linesOf(tree: FolderTree, depth: number, indent = ""): Generator<string> {
  for (const [name, inner] of [...tree.folders].sort(([one], [other]) => compareText(one, other))) {
    yield `${indent}${visible(name)}/ (${files(inner.files)})`;
    if (depth > 1) yield* linesOf(inner, depth - 1, `${indent}  `);
  }
  for (const name of tree.names.toSorted(compareText)) yield indent + visible(name);
}

/** Empty where the folder is empty or ignored. */
async function listed({ tree: { git } }: ToolSession, path: string) {
  const { paths, skipped } = await git.listFiles();
  const start = path === "." ? "" : `${path}/`;
  return { tree: treeOf(paths.filter((one) => one.startsWith(start)), start.length), skipped };
}

/** Names on disk, for a folder that git does not know. */
async function unlisted({ tree: { folder } }: ToolSession, path: string): Promise<ToolAnswer> {
  const { entries, more } = await folder.list(path);
  const names = entries.map(({ name, kind }) => visible(kind === "folder" ? `${name}/` : name));
  const text = names.length === 0
    ? `${quoted(path)} is empty`
    : [`[${quoted(path)} is ignored by git]`, ...names, ...(more > 0 ? [`[${more} more]`] : [])]
      .join("\n");
  return { ok: true, text, facts: { files: 0 } };
}

export async function listText(
  session: ToolSession,
  { path, depth }: { path: string; depth: number },
): Promise<ToolAnswer> {
  const { tree, skipped } = await listed(session, path);
  if (tree.files === 0 && path !== ".") return await unlisted(session, path);
  const lines = linesOf(tree, depth).take(FOLDER_ENTRIES + 1).toArray();
  const cut = lines.length > FOLDER_ENTRIES;
  return {
    ok: true,
    text: [
      `[${visible(path)}: ${files(tree.files)}, without what git ignores]`,
      ...lines.slice(0, FOLDER_ENTRIES),
      ...(cut ? [`[there is more; name a folder]`] : []),
      ...(skipped.length > 0 ? [`[${skipped.length} names are not usable here]`] : []),
    ].join("\n"),
    readOn: () => "Name a folder, or use a smaller depth",
    facts: { files: tree.files },
  };
}

export const fileList = tool({
  name: "file_list",
  about: "Shows the tree of files below a folder, with their numbers.",
  capability: "read",
  args: () =>
    z.strictObject({
      path: anyPath("A folder; the root unless given").optional(),
      depth: z.int().min(1).max(20).optional().describe("Levels to show, 2 unless given"),
    }),
  async run(session, { path = ".", depth = 2 }) {
    if (path !== ".") mustBeReadable(path);
    const facts = await session.tree.folder.stat(path);
    if (facts === undefined) return { ok: false, text: await missingText(session, path) };
    if (facts.kind === "folder") return await listText(session, { path, depth });
    return { ok: false, text: `${quoted(path)} is not a folder; use file_read` };
  },
});
