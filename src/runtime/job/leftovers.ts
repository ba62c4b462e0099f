/** Saves uncommitted changes of a work tree: a patch, and copies of new files. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { type Checkout, type CheckoutPorts, openCheckout } from "svc/platform/git/checkout.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** With more new files than this the work tree stays. */
const LEFTOVER_FILES = 200;

export type LeftoverPorts = CheckoutPorts & Pick<RuntimePorts, "home" | "log" | "signal">;

function tooMuch(path: string, why: string): Failure {
  return new Failure("conflict", `Cannot remove the work tree ${quoted(path)}: ${why}`, {
    remedy: `Look at it, keep what you need, then: git worktree remove --force ${quoted(path)}`,
  });
}

/** Undefined for a half-made work tree, which git does not know. */
async function openedAt(ports: LeftoverPorts, path: string): Promise<Checkout | undefined> {
  try {
    return await openCheckout(ports, path);
  } catch (thrown) {
    if (Failure.from(thrown).code !== "environment") throw thrown;
    ports.log.write("warn", "a work tree cannot be opened", { path, cause: thrown });
    return undefined;
  }
}

/**
 * @param job that left them
 * @returns folder with `changes.patch` and `untracked/`; undefined when everything was committed
 * @throws Failure `conflict` when it is too much to save
 */
export async function saveLeftovers(
  ports: LeftoverPorts,
  path: string,
  job: string,
): Promise<string | undefined> {
  using tree = await openedAt(ports, path);
  if (tree === undefined) return undefined;
  const { git, folder } = tree;
  const { changes } = await git.status();
  if (changes.length === 0) return undefined;
  const { text, truncated } = await git.diff({ since: "HEAD" });
  const fresh = changes.filter(({ kind }) => kind === "untracked").map((change) => change.path);
  if (truncated) throw tooMuch(path, "its changes are too long for a patch");
  if (fresh.length > LEFTOVER_FILES) throw tooMuch(path, `it has ${fresh.length} new files`);
  const target = `${ports.home.traces}/leftovers/${job}`;
  await ports.files.makeFolder(target);
  await ports.files.writeAtomic(`${target}/changes.patch`, text);
  for (const file of fresh) {
    const facts = await folder.stat(file);
    if (facts?.kind !== "file") continue; // a link or a nested repo has no content here
    if (facts.size > FILE_WRITE_BYTES) throw tooMuch(path, `${quoted(file)} is too large to copy`);
    const { bytes } = await folder.read(file, { maxBytes: facts.size });
    const copy = `${target}/untracked/${file}`;
    await ports.files.makeFolder(copy.slice(0, copy.lastIndexOf("/")));
    await ports.files.writeAtomic(copy, bytes);
  }
  ports.log.write("info", "kept what was not committed", { path, kept: target });
  return target;
}
