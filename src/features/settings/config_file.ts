/** Reads the user's config file; a missing one is the defaults. */
import { CONFIG_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";
import { readYaml } from "svc/platform/yaml.ts";
import { keysAt } from "svc/core/zod_shape.ts";
import { Config } from "./config_shape.ts";

/** @throws Failure `environment` naming file, line, column and what is allowed */
export async function readConfig(files: Pick<Files, "readText">, path: string): Promise<Config> {
  const text = await files.readText(path, { maxBytes: CONFIG_BYTES }).catch((thrown) => {
    if (thrown instanceof Failure && thrown.code === "not_found") return "";
    throw thrown;
  });
  return readYaml({ text, path, allowed: (keyPath) => keysAt(Config, keyPath) }, Config);
}
