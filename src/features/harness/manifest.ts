/** Reads a manifest's text; errors name file, line, column and key. */
import { objectIn } from "svc/core/zod_shape.ts";
import { parseDocument, readYaml } from "svc/platform/yaml.ts";
import { MANIFEST_PATH } from "./manifest_path.ts";
import { Manifest } from "./manifest_shape.ts";

const ROLE_KEYS = [
  "prompt",
  "tier",
  "trust",
  "tools",
  "parallel",
  "triggers",
  "limits",
  "routes",
];

/** @throws Failure `environment` */
export function readManifest(text: string): Manifest {
  const allowed = (keyPath: string) => /^roles\.[^.]+$/.test(keyPath) ? ROLE_KEYS : [];
  return readYaml({ text, path: MANIFEST_PATH, allowed }, Manifest);
}

function strangers(value: unknown, shape: unknown, above: string): string[] {
  const known = objectIn(shape)?.shape;
  if (known === undefined || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    Object.hasOwn(known, key) ? strangers(inner, known[key], `${above}${key}.`) : [above + key]
  );
}

/** Keys outside of `roles` that svc does not know: worth a warning, since a typo looks the same. */
export function unknownKeys(text: string): string[] {
  return strangers(parseDocument(text).toJS({ maxAliasCount: 100 }), Manifest, "");
}
