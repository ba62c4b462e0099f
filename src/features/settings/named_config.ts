/** The config file that a command works with: the one that it was given, or the user's own. */
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Home } from "svc/platform/home.ts";
import { type Config, readConfig } from "./config_file.ts";

interface ConfigPorts {
  readonly files: Pick<Files, "readText" | "stat">;
  readonly home: Pick<Home, "config">;
}

/** The user's own may be missing; one that was named must be there. @throws Failure as `readConfig`, `not_found` */
export async function mustReadConfig(
  { files, home }: ConfigPorts,
  named: string | undefined,
): Promise<Config> {
  if (named !== undefined && await files.stat(named) === undefined) {
    throw new Failure("not_found", `Cannot read the config "${named}": there is no such file`, {
      remedy: "Correct --config, or leave it out for ~/.svc/config.yaml",
    });
  }
  return await readConfig(files, named ?? home.config);
}
