/** The user's config file: valid, and owner-only when it holds a credential. */
import { ok, type Probe, warning } from "svc/features/doctor/probe.ts";
import { readConfig } from "svc/features/settings/config_file.ts";

export const config: Probe = {
  id: "config",
  about: "~/.svc/config.yaml",
  async run({ configPath, files }) {
    const path = configPath();
    const facts = await files.stat(path);
    if (facts === undefined) return [ok(`${path} does not exist; the defaults are in force`)];
    const { codehost_token, telemetry } = await readConfig(files, path);
    const secret = codehost_token !== undefined || telemetry.token !== undefined;
    if (secret && (facts.mode & 0o077) !== 0) {
      return [
        warning(`${path} holds a credential and is open to other users`, `chmod 600 ${path}`),
      ];
    }
    return [ok(`${path} is valid`)];
  },
};
