/** Reads a role's texts from the registered checkout, or from what svc would scaffold. */
import { Failure } from "svc/core/failure.ts";
import type { Folder } from "svc/platform/files/folder.ts";

export type HarnessText = (path: string, maxBytes: number) => Promise<string | undefined>;

/** Never from a job's work tree: an agent cannot change its instructions. */
export function harnessIn(folder: Pick<Folder, "read">): HarnessText {
  return async (path, maxBytes) => {
    try {
      const { bytes } = await folder.read(path, { maxBytes });
      return new TextDecoder().decode(bytes);
    } catch (thrown) {
      if (Failure.from(thrown).code === "not_found") return undefined;
      throw thrown;
    }
  };
}

/** The `.harness` that `svc init` would write; any other file is that of the repo. */
export function harnessOf(
  files: readonly { readonly path: string; readonly text: string }[],
  folder: Pick<Folder, "read">,
): HarnessText {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const own = harnessIn(folder);
  return (path, maxBytes) =>
    path.startsWith(".harness/") ? Promise.resolve(texts.get(path)) : own(path, maxBytes);
}
