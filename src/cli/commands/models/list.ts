import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, otherwise, text } from "svc/cli/flags.ts";
import { Failure } from "svc/core/failure.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { ANY_MODEL, isLocal, pullCommand } from "svc/features/models/client/faults.ts";
import { listServed } from "svc/features/models/local/local_runtimes.ts";
import { ModelDefault } from "svc/features/settings/model_default.ts";
import { Bundle, Provider, registry, RUNTIMES } from "svc/features/models/choose/registry.ts";

const CATALOGS = ["registry", ...RUNTIMES] as const;

export default command({
  about: "List models: svc's registry, or those of a server on this machine",
  details:
    "The registry has the bundles that are safe defaults, and the providers that svc knows. With " +
    "--provider, svc asks a server on this machine for its models, so that you can evaluate them. " +
    "Listing a model does not make it a default: svc setup makes one the default of all roles, " +
    "and svc models override that of a repo. svc asks the server at the address of your default " +
    "model, or else at its usual port.",
  examples: [
    { line: "svc models list", about: "the registry" },
    { line: "svc models list --provider ollama", about: "what Ollama has" },
    {
      line: "svc models list --provider llama.cpp --endpoint http://127.0.0.1:8081/v1",
      about: "a server at another port",
    },
  ],
  effect: "reads",
  net: { to: "ask a model server on this machine" },
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {
    provider: otherwise(choice(CATALOGS, "Whose models to list"), "registry"),
    endpoint: text("url", "Address of the server, on this machine (default: its usual port)"),
  },
  result: (z) =>
    z.discriminatedUnion("provider", [
      z.strictObject({
        provider: z.literal("registry"),
        standing: z.literal("default candidates"),
        bundles: z.array(Bundle),
        providers: z.array(Provider),
        /** `models.default` of your config. */
        default: ModelDefault.exactOptional(),
      }),
      z.strictObject({
        provider: z.enum(RUNTIMES),
        standing: z.literal("evaluation surface, not promoted automatically"),
        endpoint: z.string(),
        models: z.array(z.strictObject({
          id: z.string(),
          owned_by: z.string().exactOptional(),
          context_window: z.int().exactOptional(),
        })),
        more: z.int(),
      }),
    ]),

  async run({ fetch, signal, settings }: App, { provider, endpoint: named }) {
    const known = registry();
    const { default: own } = (await settings()).models;
    const here = own?.provider === provider && isLocal(own) ? own.endpoint : undefined;
    const endpoint = named ?? here;
    if (provider !== "registry") {
      const served = await listServed({ fetch, signal }, { runtime: provider, endpoint }, known);
      return {
        provider,
        standing: "evaluation surface, not promoted automatically" as const,
        ...served,
      };
    }
    if (named !== undefined) {
      throw new Failure("usage", "Cannot list models: --endpoint needs the name of a server", {
        remedy: "svc models list --provider ollama --endpoint <url>",
      });
    }
    const { bundles, providers } = known;
    return {
      provider,
      standing: "default candidates" as const,
      bundles,
      providers,
      ...(own !== undefined && { default: own }),
    };
  },

  show(result, page, asked) {
    if (result.provider === "registry") {
      const { default: own } = result;
      if (own !== undefined) {
        const model = own.model ?? "whatever it serves";
        page.line(`Your default for every role: ${model}, ${own.provider} at ${own.endpoint}`);
        page.line();
      }
      page.heading(`Bundles for this machine: ${result.standing}`);
      page.table(
        ["bundle", "model", "weights", "memory", "window", "tiers", "license"],
        result.bundles.map((
          { id, model, quantisation, ram_gb, context_window, tiers, license },
        ) => [
          ...[id, model, quantisation, `${ram_gb} GB`, String(context_window)],
          ...[tiers.join(", "), license.id],
        ]),
      );
      page.line();
      page.heading("Providers that svc knows");
      page.table(
        ["provider", "endpoint", "key is read from"],
        result.providers.map(({ id, endpoint, api_key_env }) => [id, endpoint, api_key_env]),
      );
      return;
    }
    page.heading(`${result.provider} at ${result.endpoint}: ${result.standing}`);
    if (result.models.length === 0) page.line("No models");
    else {
      page.table(
        ["model", "owned by", "window"],
        result.models.map(({ id, owned_by = "", context_window = "" }) => [
          ...[id, owned_by, String(context_window)],
        ]),
      );
    }
    if (result.more > 0) page.line(`and ${result.more} more`);
    const at = asked.endpoint === undefined ? "" : ` --endpoint ${shellWord(result.endpoint)}`;
    const { provider, endpoint } = result;
    const pull = pullCommand({ provider, endpoint, model: ANY_MODEL });
    const first = result.models.length === 0 ? pull : undefined;
    page.next(first ?? `svc models override --all --provider ${provider} --model <model>${at}`);
  },
});
