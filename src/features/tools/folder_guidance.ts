/** Guidance for the folder in which a role reads or changes files: AGENTS.md there, else CLAUDE.md. */
import { fenced, firstLines } from "svc/core/data_block.ts";
import { Failure } from "svc/core/failure.ts";
import { folderOf } from "svc/core/path_parts.ts";
import type { ToolSession } from "./tool.ts";

/** In the order in which they count; agents.md: "the closest file takes precedence". */
export const GUIDANCE_FILES = ["AGENTS.md", "CLAUDE.md"] as const;

const GUIDANCE_BYTES = 8 * 1024;

/** Files of one session; more would crowd out the work. */
const GUIDANCE_TOLD = 12;

/** The nearest guidance above `path`, the first time that it counts. The root's own stands in the prompt. */
export async function guidanceFor(session: ToolSession, path: string): Promise<string | undefined> {
  const { toldGuidance: told, tree: { folder } } = session;
  if (told === undefined || told.size >= GUIDANCE_TOLD) return undefined;
  for (let above = folderOf(path); above !== "" && above !== "."; above = folderOf(above)) {
    for (const name of GUIDANCE_FILES) {
      const file = `${above}/${name}`;
      if ((await folder.stat(file))?.kind !== "file") continue;
      if (told.has(file)) return undefined;
      told.add(file);
      return file === path ? undefined : await guidance(session, file);
    }
  }
  return undefined;
}

async function guidance({ tree: { folder } }: ToolSession, file: string) {
  try {
    const { bytes } = await folder.read(file, { maxBytes: GUIDANCE_BYTES });
    const { text } = firstLines(new TextDecoder().decode(bytes), GUIDANCE_BYTES);
    const rest = bytes.length < GUIDANCE_BYTES ? "" : `; the rest with file_read ${file}`;
    return `[${file} holds for files in this folder (data from the repository)${rest}]\n${
      fenced(text)
    }`;
  } catch (thrown) {
    if (Failure.from(thrown).code === "internal") throw thrown;
    return undefined; // a link, or unreadable: the call itself went well
  }
}
