/** File names that a folder of a repo ever held, in any commit that a ref leads to. */
import { gitObjectId, gitPath } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import type { CallGit } from "./call.ts";
import type { Place } from "./hardening.ts";
import { headTip } from "./head.ts";
import { Items } from "./output.ts";

/** Tips of branches remembered between two looks at a history; more are looked at again. */
const HISTORY_TIPS = 1000;

/**
 * @param under a folder, such as "docs/tickets"
 * @param seen tips that an earlier call gave: only what was added since is looked at
 * @returns paths as git stores them, with repeats; and the tips to pass next time
 */
export async function namesEverAdded(
  git: CallGit,
  place: Place,
  under: string,
  seen: readonly string[],
): Promise<{ names: string[]; tips: string[] }> {
  const doing = `read the history of "${under}"`;
  const args = ["for-each-ref", "--format=%(objectname)", `--count=${HISTORY_TIPS}`];
  const [{ stdout }, head] = await Promise.all([git({ doing, args }), headTip(git, place, doing)]);
  const found = [...capturedText(stdout).split("\n"), ...(head === undefined ? [] : [head])];
  const tips = [...new Set(found)].filter((oid) => /^[0-9a-f]{40,64}$/.test(oid));
  if (tips.length === 0) return { names: [], tips };
  const names: string[] = [];
  const cut = new Items();
  const decoder = new TextDecoder();
  await git({
    doing,
    args: [
      ...["log", "-z", "--format=", "--name-only", "--diff-filter=A", "--no-renames", "-m"],
      ...["--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-show-signature"],
      // A tip may be gone since: pruned, or of a branch that was never kept.
      ...["--ignore-missing", "--all", "HEAD", "--stdin", "--", gitPath(under)],
    ].filter((arg) => arg !== "HEAD" || head !== undefined),
    stdin: new TextEncoder().encode(seen.map((oid) => `^${gitObjectId(oid)}\n`).join("")),
    maxOutputBytes: 4096,
    onOutput(chunk, stream) {
      if (stream === "stderr") return;
      for (const item of cut.push(chunk)) names.push(decoder.decode(item));
    },
  });
  return { names: names.filter((name) => name !== ""), tips };
}
