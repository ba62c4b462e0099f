/** "Did you mean" for paths: files of the same name elsewhere, or of similar names nearby. */
import { folderOf, nameOf } from "svc/core/path_parts.ts";
import { nearest } from "svc/core/nearest.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { ToolSession } from "./tool.ts";

/** Names compared letter by letter: some 50 ms. */
const COMPARED = 5000;

function nearPaths(missing: string, paths: readonly string[]): string[] {
  const name = nameOf(missing);
  const named = paths.filter((path) => nameOf(path).toLowerCase() === name.toLowerCase());
  if (named.length > 0) return named.slice(0, 3);
  const folder = folderOf(missing);
  const beside = paths.filter((path) => folderOf(path) === folder).map(nameOf);
  const start = missing.slice(0, missing.length - name.length);
  const near = nearest(name, beside.slice(0, COMPARED)).map((other) => start + other);
  if (near.length > 0) return near;
  // Any three letters are near some name.
  if (name.length < 5) return [];
  const alike = paths.filter((path) => Math.abs(nameOf(path).length - name.length) <= 2);
  const names = nearest(name, new Set(alike.slice(0, COMPARED).map(nameOf)));
  return names.flatMap((other) => alike.filter((path) => nameOf(path) === other)).slice(0, 3);
}

export async function missingText(
  { tree }: Pick<ToolSession, "tree">,
  path: string,
): Promise<string> {
  const near = nearPaths(path, (await tree.git.listFiles()).paths).map(quoted);
  const hint = near.length === 0
    ? "Look for it with file_list or glob"
    : `Did you mean ${near.join(" or ")}?`;
  return `There is no file ${quoted(path)}. ${hint}`;
}
