/** What a path leads to: dotfiles, homes on another disk and secrets of Kubernetes are links. */
import { Failure } from "svc/core/failure.ts";
import type { FileFacts } from "./disk.ts";
import type { Files } from "./files.ts";

/** Undefined where nothing is there, and for a link that leads nowhere. The mode of a link itself says nothing. */
export async function factsThrough(
  files: Pick<Files, "realPath" | "stat">,
  path: string,
): Promise<FileFacts | undefined> {
  const facts = await files.stat(path);
  if (facts?.kind !== "symlink") return facts;
  try {
    return await files.stat(await files.realPath(path));
  } catch (thrown) {
    if (Failure.from(thrown).code !== "not_found") throw thrown;
    return undefined;
  }
}
