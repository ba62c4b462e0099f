/** Reads a manifest's text; errors name file, line, column and key. */
import { readYaml } from "svc/platform/yaml.ts";
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
