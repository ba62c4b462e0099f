/** Reads the pages and their files, plain and compressed, from the program's own folder. */
import type { Files } from "svc/platform/files/files.ts";
import type { Coding, PageAsset } from "./page_asset.ts";

/** Most bytes of one file of the pages; the largest, the script, is far smaller. */
const DASHBOARD_FILE_BYTES = 8 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json",
  map: "application/json",
  png: "image/png",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/**
 * Endings of the compressed files that a build makes; a checkout has no such files, and sends pages
 * uncompressed.
 */
export const CODED_ENDINGS: Readonly<Record<Coding, string>> = { br: ".br", gzip: ".gz" };

const ENDINGS = Object.entries(CODED_ENDINGS) as readonly [Coding, string][];

/** Reads all files below `root` into memory, so that an update of svc cannot mix two versions. */
export async function pageFiles(
  files: Pick<Files, "list" | "read" | "stat">,
  root: string,
): Promise<ReadonlyMap<string, PageAsset>> {
  const found = new Map<string, PageAsset>();
  const read = async (path: string) =>
    new Uint8Array(await files.read(`${root}${path}`, { maxBytes: DASHBOARD_FILE_BYTES }));
  const walk = async (below: string): Promise<void> => {
    const { entries } = await files.list(`${root}${below}`);
    const names = new Set(entries.map(({ name }) => name));
    for (const { name, kind } of entries) {
      const path = `${below}/${name}`;
      if (kind === "folder") await walk(path);
      const type = TYPES[name.slice(name.lastIndexOf(".") + 1)];
      if (kind !== "file" || type === undefined) continue;
      const coded: { [C in Coding]?: Uint8Array<ArrayBuffer> } = {};
      for (const [coding, ending] of ENDINGS) {
        if (names.has(name + ending)) coded[coding] = await read(path + ending);
      }
      found.set(path.slice(1), { bytes: await read(path), type, coded });
    }
  };
  if (await files.stat(root) !== undefined) await walk("");
  return found;
}
