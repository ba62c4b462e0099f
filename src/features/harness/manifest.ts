/** Reads a manifest's text; errors name file, line, column and key. */
import { Failure } from "svc/core/failure.ts";
import { objectIn } from "svc/core/zod_shape.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { parseDocument, readYaml } from "svc/platform/yaml.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "./manifest_path.ts";
import { Manifest } from "./manifest_shape.ts";

const ROLE_KEYS = "prompt tier trust tools parallel triggers limits routes".split(" ");

/** Parsed manifests by their text: parsing one takes some 3 ms, and each tool call, and each look at all repos, reads it again. */
const known = new Map<string, Manifest>();
/** All texts together; those of 500 repos have as many. */
const KNOWN_CHARS = 2 * 1024 * 1024;
let knownChars = 0;

/** Shared: callers must not change it. @throws Failure `environment` */
export function readManifest(text: string): Manifest {
  const before = known.get(text);
  if (before !== undefined) return before;
  const allowed = (keyPath: string) => /^roles\.[^.]+$/.test(keyPath) ? ROLE_KEYS : [];
  const manifest = readYaml({ text, path: MANIFEST_PATH, allowed }, Manifest);
  knownChars += text.length;
  for (const old of known.keys()) {
    if (knownChars <= KNOWN_CHARS) break;
    known.delete(old);
    knownChars -= old.length;
  }
  known.set(text, manifest);
  return manifest;
}

/** Undefined where there is none. @throws Failure as `readManifest` and `Folder.read` */
export async function manifestIn(folder: Pick<Folder, "read">): Promise<Manifest | undefined> {
  const found = await folder.read(MANIFEST_PATH, { maxBytes: MANIFEST_BYTES }).catch((thrown) => {
    if (Failure.from(thrown).code === "not_found") return undefined;
    throw thrown;
  });
  return found && readManifest(new TextDecoder().decode(found.bytes));
}

function strangers(value: unknown, shape: unknown, above: string): string[] {
  const known = objectIn(shape)?.shape;
  if (known === undefined || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    Object.hasOwn(known, key) ? strangers(inner, known[key], `${above}${key}.`) : [above + key]
  );
}

/** Unknown keys outside of `roles`; worth a warning, since a typo looks the same. */
export function unknownKeys(text: string): string[] {
  return strangers(parseDocument(text).toJS({ maxAliasCount: 100 }), Manifest, "");
}
