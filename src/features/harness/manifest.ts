/** Reads a manifest's text; errors name file, line, column and key. */
import { readYaml } from "svc/platform/yaml.ts";
import { Manifest } from "./manifest_shape.ts";

/** Where a target repo keeps it (spec section 2.1). */
export const MANIFEST_PATH = ".harness/manifest.yaml";
export const MANIFEST_BYTES = 1024 * 1024;

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
