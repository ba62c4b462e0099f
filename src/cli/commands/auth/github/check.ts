import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { path } from "svc/cli/flags.ts";
import { accessRemedy, releaseAccess } from "svc/features/access/release_access.ts";
import { releaseCredential, releaseUrl } from "svc/features/access/release_place.ts";
import { mustReadConfig } from "svc/features/settings/named_config.ts";

export default command({
  about: "Check whether the releases of svc can be read, anonymously or with a credential",
  details:
    "Asks the code host once, without a credential and without following a redirect. Only after a " +
    "401, 403 or 404 it tries one credential, once and at the same address: codehost_token of the " +
    "config, else the variable of that host (SVC_GITHUB_TOKEN or GITHUB_TOKEN for github.com), " +
    "else your git credential helper. Exit status 1 means that the releases cannot be read.",
  examples: [
    { line: "svc auth github check", about: "anonymous, authenticated or unavailable" },
    { line: "svc auth github check --json", about: "for scripts" },
  ],
  effect: "reads",
  net: { to: "ask the code host for the newest release" },
  givenBy: { who: "anyone", because: "a credential goes to its own host alone and is never shown" },
  modes: ["json", "plain"],
  flags: { config: path("file", "Config file to read (default: ~/.svc/config.yaml)") },
  result: (z) =>
    z.strictObject({
      access: z.enum(["anonymous", "authenticated", "unavailable"]),
      endpoint: z.string(),
      requests: z.int(),
      status: z.int().nullable(),
      /** Where the credential that was used was found; never the credential. */
      credential: z.string().nullable(),
      latest: z.string().nullable(),
      reason: z.string().nullable(),
    }),

  async run(app: App, asked) {
    const settings = await mustReadConfig(app, asked.config);
    return await releaseAccess(app, releaseUrl(settings), () => releaseCredential(app, settings));
  },

  exit: ({ access }) => access === "unavailable" ? 1 : 0,

  show(result, page) {
    const { access, endpoint, credential, latest, reason } = result;
    const tone = access === "unavailable" ? "bad" : "good";
    const by = credential === null ? "" : `, with ${credential}`;
    page.line(`${page.tone(tone, access)}: ${endpoint}${by}`);
    if (latest !== null) page.line(`newest release: ${latest}`);
    if (reason !== null) {
      page.line(reason);
      page.next(accessRemedy(result));
    }
  },
});
