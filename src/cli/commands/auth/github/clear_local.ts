import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { path } from "svc/cli/flags.ts";
import { removeCredential } from "svc/features/settings/stored_credential.ts";

export default command({
  about: "Remove the stored credential for reading releases, and nothing else",
  details:
    "Removes codehost_token from the config. Environment variables, your git credential helper, " +
    "repos and the code host stay as they are: to make the token itself invalid, revoke it at the " +
    "code host.",
  examples: [
    { line: "svc auth github clear-local", about: "from ~/.svc/config.yaml" },
    { line: "svc auth github clear-local --json", about: "for scripts" },
  ],
  effect: "writes_home",
  givenBy: { who: "person", because: "it changes the user's config" },
  modes: ["json", "plain", "yes"],
  flags: { config: path("file", "Config file to change (default: ~/.svc/config.yaml)") },
  result: (z) => z.strictObject({ config: z.string(), removed: z.boolean() }),

  async run({ files, home }: App, asked) {
    const { config, change } = await removeCredential(files, asked.config ?? home.config);
    return { config, removed: change === "changed" };
  },

  show({ config, removed }, page) {
    page.line(removed ? `Removed codehost_token: ${config}` : `${config} holds no codehost_token`);
    if (removed) page.next("revoke the token at its code host, where nothing else uses it");
  },
});
