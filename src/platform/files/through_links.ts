/** What a path leads to: dotfiles, homes on another disk and secrets of Kubernetes are links. */
import { Failure } from "svc/core/failure.ts";
import { withoutEnding } from "svc/core/text_ends.ts";
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

/** Where files of the folder would really be, before it exists too; undefined for a link that leads nowhere. */
export async function realFolder(
  files: Pick<Files, "realPath" | "stat">,
  folder: string,
): Promise<string | undefined> {
  for (let at = withoutEnding(folder, "/"), tail = "";;) {
    if (await files.stat(at) !== undefined) {
      return await files.realPath(at).then((real) => real + tail, () => undefined);
    }
    const cut = at.lastIndexOf("/");
    tail = at.slice(cut) + tail;
    at = at.slice(0, cut) || "/";
  }
}
