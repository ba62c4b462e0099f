/** Where a relative link of a page leads: a file, a heading in it, or out of the repo. */
import { folderOf, joinPath } from "svc/core/path_parts.ts";
import { decoded } from "./page_facts.ts";

function* candidates(target: string): Generator<string> {
  yield target;
  const bare = target.replace(/\.html?$/, "");
  for (const end of [".md", ".mdx", "/index.md", "/README.md", ".rst"]) yield `${bare}${end}`;
}

export interface LinkTarget {
  /** Undefined where no file or folder is; empty for the root. */
  readonly file: string | undefined;
  readonly anchor: string;
  readonly outside: boolean;
}

/** @param has whether a path is a file or a folder of the repo */
export function linkTarget(
  has: (path: string) => boolean,
  page: string,
  target: string,
): LinkTarget {
  const [raw = "", anchor = ""] = target.split("#", 2);
  const file = decoded(raw.split("?", 1)[0]!);
  if (file === "") return { file: page, anchor, outside: false };
  const path = joinPath(folderOf(page), file);
  if (path === undefined) return { file: undefined, anchor, outside: true };
  if (path === "") return { file: "", anchor, outside: false };
  return { file: candidates(path).find(has), anchor, outside: false };
}
