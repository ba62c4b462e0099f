import type { App } from "svc/app.ts";
import { consent } from "svc/cli/ask.ts";
import { command } from "svc/cli/command.ts";
import { repo, required, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { endpointRules } from "svc/features/models/choose/choose_model.ts";
import { keyEnvRemedy, refuseOwnCredential } from "svc/features/models/choose/credentials.ts";
import {
  LOCAL_ENV_PATH,
  planLocalEnv,
  writeLocalEnv,
} from "svc/features/models/choose/local_env.ts";
import { ENV_NAME } from "svc/features/models/choose/override_shape.ts";

export default command({
  about: `Copy a provider's key from the environment into ${LOCAL_ENV_PATH}`,
  details:
    "The file is for this machine only: git must ignore it, and only its owner can read it. Its " +
    "other lines stay. Credentials of svc itself and of the code host are never copied. svc uses " +
    "a key only if your config lists its variable under models.allowed_key_envs. The key itself " +
    "is never printed.",
  examples: [
    {
      line: "svc models credentials write-local-env --api-key-env OPENAI_API_KEY",
      about: "asks before it writes",
    },
    {
      line:
        "svc models credentials write-local-env --repo ~/work/app --api-key-env GEMINI_API_KEY --yes",
      about: "for scripts",
    },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "it hands a key of the user to a repo" },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: {
    repo,
    apiKeyEnv: required(text("name", "Variable that holds the key; its name, never the key")),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      path: z.string(),
      api_key_env: z.string(),
      change: z.enum(["added", "replaced", "unchanged"]),
      /** What lets svc use the key; null where it does. */
      remedy: z.string().nullable(),
      dry_run: z.boolean(),
    }),

  async run(app: App, asked) {
    const name = asked.apiKeyEnv;
    if (!ENV_NAME.test(name)) {
      throw new Failure("usage", "Cannot copy a key: --api-key-env is not a variable's name", {
        remedy: "Give the name, never the key: --api-key-env OPENAI_API_KEY",
      });
    }
    refuseOwnCredential(`copy "${name}"`, name);
    const value = app.env.get(name)?.trim() ?? "";
    if (value === "") {
      throw new Failure("usage", `Cannot copy "${name}": the variable is not set`, {
        remedy: `Set it first: export ${name}=…`,
      });
    }
    const opened = await app.git.open(asked.repo ?? app.cwd(), { signal: app.signal });
    using folder = await app.folder(opened.root);
    const plan = await planLocalEnv({ repo: opened, folder }, name, value);
    if (!asked.dryRun && plan.change !== "unchanged") {
      const verb = plan.change === "added" ? "Write" : "Replace";
      await consent(app, asked, {
        doing: `copy "${name}"`,
        question: `${verb} ${name} in ${opened.root}/${LOCAL_ENV_PATH}?`,
        preview: [],
      });
      const { clock, signal } = app;
      // Another svc may have written another key meanwhile.
      using _lock = await app.lockRepo(opened, { doing: `copy "${name}"`, clock, signal });
      await writeLocalEnv(folder, await planLocalEnv({ repo: opened, folder }, name, value));
    }
    const remedy = keyEnvRemedy(name, endpointRules(await app.settings(), app.home.config));
    return {
      repo: opened.root,
      path: LOCAL_ENV_PATH,
      api_key_env: name,
      change: plan.change,
      remedy: remedy ?? null,
      dry_run: asked.dryRun,
    };
  },

  show({ path, api_key_env, change, remedy, dry_run }, page) {
    const would = dry_run && change !== "unchanged" ? "would be " : "";
    page.line(`${api_key_env}: ${would}${change} in ${path}`);
    if (remedy !== null) page.line(`svc does not use it yet. ${remedy}`);
    if (dry_run) page.next("the same without --dry-run");
  },
});
