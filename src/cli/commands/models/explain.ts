import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, repo, required, text } from "svc/cli/flags.ts";
import { chooseModel, endpointRules } from "svc/features/models/choose/choose_model.ts";
import { findKey } from "svc/features/models/choose/credentials.ts";
import { declareWindow } from "svc/features/models/local/declare_window.ts";
import { namedEndpoint } from "svc/features/models/choose/named_endpoint.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { assumedWindow } from "svc/features/models/local/context_window.ts";
import { rolesOf } from "svc/features/models/choose/harness_roles.ts";
import { PROTOCOLS } from "svc/core/model_protocol.ts";
import { samplingChoices } from "svc/features/models/choose/sampling.ts";
import { TIERS } from "svc/features/models/choose/registry.ts";

const NO_KEY = "not needed";

export default command({
  about: "Say which model a role uses, and why",
  details:
    "The first of these that names a model decides: --model-endpoint, the override of the role, " +
    "the override of its tier, .harness/model-routing.yaml, your own default, svc's registry. If " +
    "a repo names an endpoint beyond this machine, it is used only if your own config allows it; " +
    "the failure shows the edit that would. No model is asked, and no key is shown.",
  examples: [
    { line: "svc models explain --role engineer", about: "as `svc run engineer` would choose" },
    { line: "svc models explain --role engineer --tier deep", about: "if its tier were deep" },
    {
      line: "svc models explain --role qa --model-endpoint http://127.0.0.1:8080/v1",
      about: "with an endpoint given",
    },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    repo,
    role: required(text("role", "A role of the manifest", { suggest: "roles" })),
    tier: choice(TIERS, "Another tier than the role's own"),
    modelEndpoint: text(
      "url",
      "As for svc run: an OpenAI-compatible endpoint; #name picks a model",
    ),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      role: z.string(),
      tier: z.enum(TIERS),
      route: z.strictObject({
        provider: z.string(),
        endpoint: z.string(),
        model: z.string(),
        because: z.string(),
        protocol: z.enum(PROTOCOLS),
        api_key_env: z.string().exactOptional(),
        context_window: z.int().exactOptional(),
        /** Tokens that are assumed where the endpoint states no window, and no override declares one. */
        assumed_window: z.int().exactOptional(),
      }),
      /**
       * Settings that each request sends beside its prompt; for keys that are left out the server's defaults
       * apply.
       */
      sampling: z.array(z.strictObject({
        key: z.string(),
        value: z.union([z.number(), z.string()]),
        from: z.string(),
        source: z.string().exactOptional(),
      })),
      key: z.enum([NO_KEY, "environment", ".harness/.env.local", "nowhere"]),
      considered: z.array(z.strictObject({
        rule: z.string(),
        chosen: z.boolean(),
        why: z.string(),
      })),
      warnings: z.array(z.strictObject({ text: z.string(), remedy: z.string() })),
    }),

  async run(app: App, asked) {
    const { role, modelEndpoint } = asked;
    const named = modelEndpoint === undefined ? [] : namedEndpoint(modelEndpoint).warnings;
    const opened = await app.git.open(asked.repo ?? app.cwd(), { signal: app.signal });
    using folder = await app.folder(opened.root);
    const own = roleNamed({ roles: await rolesOf(folder) }, role, "usage");
    const tier = asked.tier ?? own.tier;
    const settings = await app.settings();
    const rules = endpointRules(settings, app.home.config);
    const choice = await chooseModel(folder, { role, tier, modelEndpoint }, rules);
    const { provider, endpoint, model, because, apiKeyEnv, contextWindow, protocol = "chat" } =
      choice.route;
    const key = apiKeyEnv === undefined
      ? { from: NO_KEY, warnings: [] } as const
      : await findKey({ env: app.env, repo: opened, folder }, apiKeyEnv, rules);
    return {
      repo: opened.root,
      role,
      tier,
      route: {
        provider,
        endpoint,
        model,
        because,
        protocol,
        ...(apiKeyEnv !== undefined && { api_key_env: apiKeyEnv }),
        ...(contextWindow === undefined
          ? { assumed_window: assumedWindow(choice.route) }
          : { context_window: contextWindow }),
      },
      sampling: samplingChoices(choice.route, settings.models.sampling),
      key: key.from,
      considered: choice.considered.map((each) => ({ ...each })),
      warnings: [...named, ...key.warnings],
    };
  },

  show({ role, tier, route, sampling, key, considered, warnings }, page) {
    page.fields([
      ["role", `${role} (tier ${tier})`],
      ["provider", route.provider],
      ["endpoint", route.endpoint],
      ["protocol", route.protocol],
      ["model", route.model === "" ? "whichever the endpoint serves" : route.model],
      [
        "window",
        route.context_window === undefined
          ? `as the endpoint states it, else ${route.assumed_window} tokens; to say it: ` +
            page.completed(declareWindow(route, role, route.assumed_window!))
          : `${route.context_window} tokens`,
      ],
      ["key", route.api_key_env === undefined ? key : `${route.api_key_env}, found: ${key}`],
    ]);
    page.line();
    page.heading("sampling");
    for (const { key, value, from, source } of sampling) {
      page.line(`${key} ${value}: ${from}${source === undefined ? "" : ` (${source})`}`);
    }
    if (route.model === "") page.line("the rest as the maker of the served model advises");
    else if (sampling.length === 0) page.line("as the server does by itself");
    page.line();
    page.heading("why this model");
    page.table(
      ["", "rule", "why"],
      considered.map(({ rule, chosen, why }) => [chosen ? "→" : " ", rule, why]),
    );
    for (const { text, remedy } of warnings) {
      page.line(`${page.tone("warn", "warning:")} ${text}`);
      page.next(remedy);
    }
  },
});
