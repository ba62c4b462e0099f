/** Why svc cannot work on the folder of a registered repo, and what to do about it. */
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Files } from "svc/platform/files/files.ts";

const forGood = (root: string) => `for good: svc eject --repo ${shellWord(root)}`;

/** Undefined for a git repo. A disk may be away for a while only: what to do in either case is said. */
export async function absence(
  { files }: { readonly files: Pick<Files, "stat"> },
  root: string,
): Promise<string | undefined> {
  try {
    const facts = await files.stat(root);
    if (facts === undefined) {
      return `the folder is gone (after a move: svc register --repo <its place>; ${forGood(root)})`;
    }
    if (facts.kind !== "folder") return `it is no folder any more (${forGood(root)})`;
    if (await files.stat(`${root}/.git`) !== undefined) return undefined;
    return `it is no git repo any more (${forGood(root)})`;
  } catch (thrown) {
    return Failure.from(thrown).message;
  }
}
