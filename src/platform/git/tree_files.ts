/** Names what a tree of git holds beside one folder: equal names mean equal files there. */
import { sha256 } from "svc/core/digest.ts";
import { eachItem } from "./answers.ts";
import type { CallGit } from "./call.ts";

interface TreeFiles {
  readonly doing: string;
  /** Id of a tree. */
  readonly tree: string;
  /** Path of the folder that does not count, such as `docs/tickets`. */
  readonly beside: string;
}

/** Looks into each folder above `beside`; the id of every other entry speaks for it (git-ls-tree(1)). */
export async function filesName(
  git: CallGit,
  { doing, tree, beside }: TreeFiles,
): Promise<string> {
  // Each byte of a name is one character: two names never look the same.
  const decoder = new TextDecoder("latin1");
  const entries: string[] = [];
  let at: string | undefined = tree;
  for (const [depth, name] of beside.split("/").entries()) {
    if (at === undefined) break;
    let within: string | undefined;
    await eachItem(git, { doing, args: ["ls-tree", "-z", at] }, (item) => {
      const entry = decoder.decode(item);
      const [, folder, path] = /^040000 tree (\S+)\t(.*)$/s.exec(entry) ?? [];
      if (path === name) within = folder;
      else entries.push(`${depth} ${entry}`);
    });
    at = within;
  }
  return await sha256(new TextEncoder().encode(entries.join("\0")));
}
