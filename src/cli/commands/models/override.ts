import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, number, on, repo, text, whole } from "svc/cli/flags.ts";
import { MODEL_WINDOW_DECLARED } from "svc/core/bounds.ts";
import { showDiff } from "svc/cli/page/harness_report.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { endpointRules } from "svc/features/models/choose/choose_model.ts";
import { OVERRIDES_PATH } from "svc/features/models/choose/override_shape.ts";
import { PROTOCOLS } from "svc/core/model_protocol.ts";
import {
  REASONING_EFFORTS,
  reasoningEffort,
  SAMPLING_BOUNDS,
  SamplingFields,
} from "svc/features/settings/model_settings.ts";
import { TIERS } from "svc/features/models/choose/registry.ts";
import { planOverride } from "svc/features/models/choose/set_override.ts";

export default command({
  about: "Say which model a role or a tier of a repo uses",
  details:
    `Writes ${OVERRIDES_PATH}, which is committed with the repo; comments and order stay. An ` +
    "override of a role wins over one of its tier, and both win over .harness/model-routing.yaml. " +
    "Only the name of the key's variable is stored. A warning says what your own config still " +
    "has to allow before a run.",
  examples: [
    {
      line: "svc models override --role engineer --provider ollama --model qwen3-coder:30b",
      about: "a model of this machine",
    },
    {
      line: "svc models override --tier deep --provider openai --model gpt-5 --dry-run",
      about: "shows what it would write",
    },
    {
      line:
        "svc models override --tier small --provider acme --endpoint https://llm.acme.example/v1",
      about: "any OpenAI-compatible server",
    },
    {
      line: "svc models override --all --provider ollama --model qwen3-coder:30b",
      about: "one model for every role of the repo",
    },
    { line: "svc models override --role engineer --remove", about: "takes it out again" },
  ],
  effect: "writes_target",
  givenBy: { who: "person", because: "it says where prompts and code of the repo are sent" },
  modes: ["json", "plain", "dry-run"],
  flags: {
    repo,
    all: on("Override every role: all tiers at once; overrides of roles stay"),
    tier: choice(TIERS, "Override all roles of this tier"),
    role: text("role", "Override this role of the manifest", { suggest: "roles" }),
    provider: text(
      "name",
      "openai, anthropic, openrouter, gemini, ollama, llama.cpp, … or your own",
    ),
    endpoint: text("url", "OpenAI-compatible endpoint (default: the provider's own)"),
    model: text("model", "Model as the provider calls it (default: what the server serves)"),
    apiKeyEnv: text("name", "Variable that holds the key (default: the provider's own)"),
    contextWindow: whole(
      "tokens",
      "Most tokens that the model reads at a time, where its server does not say",
      MODEL_WINDOW_DECLARED,
    ),
    protocol: choice(
      PROTOCOLS,
      "chat completions, OpenAI Responses or Anthropic Messages (default: the provider's own)",
    ),
    temperature: number(
      "n",
      "Sampling temperature (default: what the model's maker advises)",
      SAMPLING_BOUNDS.temperature,
    ),
    topP: number("n", "Sample from this share of likelihood", SAMPLING_BOUNDS.top_p),
    topK: whole("n", "Sample from this many tokens; 0 for all", SAMPLING_BOUNDS.top_k),
    minP: number("n", "Least likelihood, as share of the likeliest", SAMPLING_BOUNDS.min_p),
    repetitionPenalty: number("n", "1 for none", SAMPLING_BOUNDS.repetition_penalty),
    reasoningEffort: choice(REASONING_EFFORTS, "How long the model thinks, if it lets you choose"),
    remove: on("Take the override out"),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string(),
      path: z.string(),
      scope: z.enum(["tier", "role", "all"]),
      /** The role; the tier, or all of them. */
      name: z.string(),
      override: z.strictObject({
        provider: z.string(),
        model: z.string().optional(),
        endpoint: z.string().optional(),
        api_key_env: z.string().optional(),
        context_window: z.int().optional(),
        protocol: z.enum(PROTOCOLS).optional(),
        sampling: SamplingFields.optional(),
        reasoning_effort: reasoningEffort.optional(),
      }).exactOptional(),
      change: z.enum(["added", "replaced", "removed", "unchanged"]),
      diff: z.string(),
      warnings: z.array(z.strictObject({ text: z.string(), remedy: z.string() })),
      dry_run: z.boolean(),
    }),

  async run(app: App, asked) {
    const opened = await app.git.open(asked.repo ?? app.cwd(), { signal: app.signal });
    using folder = await app.folder(opened.root);
    const rules = endpointRules(await app.settings(), app.home.config);
    let plan = await planOverride(folder, asked, rules);
    if (!asked.dryRun && plan.change !== "unchanged") {
      const { clock, signal } = app;
      const doing = "change the model overrides";
      using _lock = await app.lockRepo(opened, { doing, clock, signal });
      // Another svc may have written another override meanwhile.
      plan = await planOverride(folder, asked, rules);
      await plan.write();
    }
    const { scopes, override, change, diff } = plan;
    const [{ section }] = scopes;
    return {
      repo: opened.root,
      path: OVERRIDES_PATH,
      scope: section === "roles" ? "role" as const : asked.all ? "all" as const : "tier" as const,
      name: scopes.map(({ name }) => name).join(", "),
      ...(override !== undefined && { override }),
      change,
      diff,
      warnings: plan.warnings,
      dry_run: asked.dryRun,
    };
  },

  show({ path, scope, name, change, diff, warnings, dry_run }, page, asked) {
    const would = dry_run && change !== "unchanged" ? "would be " : "";
    const which = scope === "all" ? `tiers ${name}` : `${scope} ${name}`;
    page.line(`${which}: ${would}${change} in ${path}`);
    if (diff !== "") showDiff(diff, page);
    for (const { text, remedy } of warnings) {
      page.line(`${page.tone("warn", "warning:")} ${text}`);
      page.next(remedy);
    }
    const role = scope === "role" ? name : "<role>";
    if (warnings.length === 0) page.next(`svc models explain --role ${role}${samePlace(asked)}`);
  },
});
