/** Edits single keys of the user's config; every other byte of it stays, comments too. */
import { CONFIG_BYTES } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { keysAt } from "svc/core/zod_shape.ts";
import { unifiedDiff } from "svc/core/unified_diff.ts";
import type { Files } from "svc/platform/files/files.ts";
import { readYaml } from "svc/platform/yaml.ts";
import { withYaml, type YamlValue } from "svc/platform/yaml_edit.ts";
import { Config, mustLeadOn } from "./config_file.ts";

export interface ConfigEdit {
  readonly path: readonly string[];
  /** Undefined takes the key out. */
  readonly value: YamlValue | undefined;
}

export interface ConfigChange {
  readonly path: string;
  readonly change: "created" | "changed" | "unchanged";
  readonly diff: string;
  /** Mode 0600 for a new file, an old one keeps its own unless one is given; the folder must exist. A link
   * stays, and what it leads to is replaced. */
  write(options?: { readonly mode?: number }): Promise<void>;
}

const HEAD =
  "# svc on this machine, yours to edit: svc setup changes single keys and keeps the rest.\n";

type ConfigFiles = Pick<Files, "readText" | "stat" | "writeAtomic">;

async function textAt(files: ConfigFiles, path: string): Promise<string | undefined> {
  try {
    return await files.readText(path, { maxBytes: CONFIG_BYTES });
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown.code !== "not_found") throw thrown;
    await mustLeadOn(files, path);
    return undefined;
  }
}

const check = (text: string, path: string) =>
  readYaml({ text, path, allowed: (keyPath) => keysAt(Config, keyPath) }, Config);

/** @throws Failure `environment` for a config that is not valid, or would not be; `conflict` as `withYaml` */
export async function planConfig(
  files: ConfigFiles,
  path: string,
  edits: readonly ConfigEdit[],
): Promise<ConfigChange> {
  const old = await textAt(files, path);
  if (old !== undefined) check(old, path);
  const text = edits.reduce(
    (text, edit) => withYaml(text, edit.path, edit.value, path),
    old ?? HEAD,
  );
  check(text, path);
  const change = old === undefined ? "created" : text === old ? "unchanged" : "changed";
  const bytes = (text: string) => new TextEncoder().encode(text);
  return {
    path,
    change,
    diff: change === "unchanged"
      ? ""
      : unifiedDiff("config.yaml", old === undefined ? undefined : bytes(old), bytes(text)),
    async write({ mode } = {}) {
      if (change === "unchanged" && mode === undefined) return;
      // Somebody may have edited it while questions were asked.
      if (await textAt(files, path) !== old) {
        throw new Failure("conflict", `Cannot write "${path}": it was changed meanwhile`, {
          remedy: "Run the same command again",
        });
      }
      const how = mode === undefined ? {} : { mode };
      await files.writeAtomic(path, text, { followLink: true, ...how });
    },
  };
}
