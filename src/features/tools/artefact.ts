/** Keeps the whole text of outputs that a model is given only a part of. */
import type { Workplace } from "./tool.ts";

/** Gives the absolute path of the file with `text`, which is redacted already; owner-only. */
export type KeepArtefact = (tool: string, text: string) => Promise<string>;

/** Files are numbered in the order of the calls: `<folder>/<n>-<tool>.txt`. */
export function artefactsIn({ folder, files }: Workplace["artefacts"]): KeepArtefact {
  let kept = 0;
  return async (tool, text) => {
    // The number is taken first: calls run side by side.
    const path = `${folder}/${++kept}-${tool.replaceAll(/\W/g, "_")}.txt`;
    await files.makeFolder(folder);
    await files.writeAtomic(path, text, { mode: 0o600 });
    return path;
  };
}
