/**
 * Files of git-lfs, as svc sees them. Git keeps a small pointer of each, and svc, which runs no filter, finds that
 * in a work tree too. A check that needs their contents begins with `git lfs checkout`, and so rewrites them.
 */
import type { GitRepo } from "svc/platform/git/git.ts";

/** Git-lfs writes no longer ones (git-lfs, docs/spec.md). */
const POINTER_BYTES = 1024;

function isPointer(bytes: Uint8Array): boolean {
  const [version = "", ...keys] = new TextDecoder().decode(bytes).split("\n");
  return /^version https:\/\/(?:git-lfs|hawser)\.github\.com\/spec\/v1$/.test(version) &&
    keys.some((line) => /^oid sha256:[0-9a-f]{64}$/.test(line));
}

/** Those of the paths that are pointers in the index, with their texts. */
export async function pointersAmong(
  git: Pick<GitRepo, "indexEntries" | "catFiles">,
  paths: readonly string[],
): Promise<Map<string, Uint8Array>> {
  if (paths.length === 0) return new Map();
  const asked = new Set(paths);
  const entries = (await git.indexEntries()).filter(({ path }) => asked.has(path));
  const texts = new Map<string, Uint8Array>();
  const oids = [...new Set(entries.map(({ oid }) => oid))];
  await git.catFiles(oids, (blob) => {
    if (blob.state === "read" && isPointer(blob.bytes)) texts.set(blob.oid, blob.bytes.slice());
  }, POINTER_BYTES);
  return new Map(entries.flatMap(({ path, oid }) => {
    const text = texts.get(oid);
    return text === undefined ? [] : [[path, text] as const];
  }));
}
