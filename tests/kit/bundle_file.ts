/** A bundle's file in a home, without the download of gigabytes. */
import { modelArtifact } from "svc/features/models/bundles/artifact.ts";
import { modelPath } from "svc/features/models/bundles/plan.ts";
import type { Bundle } from "svc/features/models/choose/registry.ts";

/** Sparse to the bundle's size, and marked as one whose digest was right. @returns its path */
export async function placeBundle(
  home: string,
  bundle: Bundle,
  write: (path: string) => Promise<void>,
): Promise<string> {
  const artifact = modelArtifact(bundle);
  const path = modelPath(`${home}/models`, artifact);
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await write(path);
  await Deno.truncate(path, artifact.bytes);
  const { size, mtime, ino } = await Deno.stat(path);
  await Deno.mkdir(`${home}/cache/models`, { recursive: true });
  await Deno.writeTextFile(
    `${home}/cache/models/${artifact.identity.sha256}`,
    JSON.stringify([path, size, mtime!.getTime(), ino]),
  );
  return path;
}
