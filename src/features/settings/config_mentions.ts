/** Whether the config says anything about a matter; YAML and zod are loaded only where it does. */
import { CONFIG_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Config } from "./config_file.ts";

export interface ConfigPlace {
  readonly files: Pick<Files, "readText" | "stat">;
  readonly home: { readonly config: string };
}

/** True where it may; also of a file that is no valid config, and of a link that leads nowhere. */
export async function configMentions(
  { files, home: { config } }: ConfigPlace,
  ...words: readonly string[]
): Promise<boolean> {
  if (await files.stat(config) === undefined) return false;
  const text = await files.readText(config, { maxBytes: CONFIG_BYTES, lossy: true })
    .catch((thrown) => {
      if (thrown instanceof Failure && thrown.code === "not_found") return undefined;
      throw thrown;
    });
  if (text === undefined) return true;
  return words.some((word) => text.includes(word));
}

/** Variables of the environment that the MCP servers of a config need. */
export function variablesOf({ servers }: Config["mcp"]): string[] {
  return Object.values(servers).flatMap(({ env, key_env }) => [
    ...env,
    ...(key_env === undefined ? [] : [key_env]),
  ]);
}
