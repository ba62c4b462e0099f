/** Keeps what was not committed in a work tree before it is removed: a patch, and copies of new files. */
import { FILE_WRITE_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

/** Files that nobody committed and that are copied before their work tree goes; more keep it in place. */
const LEFTOVER_FILES = 200;

type Ports = Pick<RuntimePorts, "files" | "folder" | "git" | "home" | "log">;

function tooMuch(path: string, why: string): Failure {
  return new Failure("conflict", `Cannot remove the work tree ${quoted(path)}: ${why}`, {
    remedy: `Look at it, keep what you need, then: git worktree remove --force ${quoted(path)}`,
  });
}

/** Undefined for a work tree that git does not know: half made, so nobody worked in it. */
async function openedAt({ git, log }: Ports, path: string): Promise<GitRepo | undefined> {
  try {
    return await git.open(path);
  } catch (thrown) {
    if (Failure.from(thrown).code !== "environment") throw thrown;
    log.write("warn", "a work tree cannot be opened", { path, cause: thrown });
    return undefined;
  }
}

/**
 * @returns folder with `changes.patch` and `untracked/`; undefined when everything was committed
 * @throws Failure `conflict` when it is too much to keep: the work tree then stays
 */
export async function saveLeftovers(ports: Ports, path: string): Promise<string | undefined> {
  const repo = await openedAt(ports, path);
  if (repo === undefined) return undefined;
  const { changes } = await repo.status();
  if (changes.length === 0) return undefined;
  const { text, truncated } = await repo.diff({ since: "HEAD" });
  const fresh = changes.filter(({ kind }) => kind === "untracked").map((change) => change.path);
  if (truncated) throw tooMuch(path, "its changes are too long for a patch");
  if (fresh.length > LEFTOVER_FILES) throw tooMuch(path, `it has ${fresh.length} new files`);
  const target = `${ports.home.traces}/leftovers/${path.slice(path.lastIndexOf("/") + 1)}`;
  await ports.files.makeFolder(target);
  await ports.files.writeAtomic(`${target}/changes.patch`, text);
  using folder = await ports.folder(path);
  for (const file of fresh) {
    const facts = await folder.stat(file);
    if (facts?.kind !== "file") continue; // a link or a nested repo holds nothing of its own here
    if (facts.size > FILE_WRITE_BYTES) throw tooMuch(path, `${quoted(file)} is too large to copy`);
    const { bytes } = await folder.read(file, { maxBytes: facts.size });
    const copy = `${target}/untracked/${file}`;
    await ports.files.makeFolder(copy.slice(0, copy.lastIndexOf("/")));
    await ports.files.writeAtomic(copy, bytes);
  }
  ports.log.write("info", "kept what was not committed", { path, kept: target });
  return target;
}
