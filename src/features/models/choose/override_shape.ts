/** What `.harness/model-overrides.yaml` may hold: the route of a role or of a tier. */
import { z } from "zod";
import { isOwnCredential, OWN_CREDENTIAL } from "svc/core/own_credentials.ts";
import { MODEL_WINDOW_DECLARED } from "svc/core/bounds.ts";
import { PROTOCOLS } from "svc/core/model_protocol.ts";
import { reasoningEffort, SamplingFields } from "svc/features/settings/model_settings.ts";
import { type Registry, registry, TIERS } from "./registry.ts";

export const OVERRIDES_PATH = ".harness/model-overrides.yaml";

export const ENV_NAME = /^[A-Z][A-Z0-9_]{0,99}$/;
export const PROVIDER_NAME = /^[a-z][a-z0-9.-]{0,39}$/;
export const MODEL_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._:@/+-]{0,199}$/;

// Messages leave the value out: people paste keys where a variable's name belongs.
const envName = z.string().regex(ENV_NAME, "must be an environment variable's name").refine(
  (name) => !isOwnCredential(name),
  { error: ({ input }) => `"${input}" ${OWN_CREDENTIAL}; name the variable of that key` },
);
const providerName = z.string().regex(PROVIDER_NAME, "must be a short lower-case name");
/** Tokens; the server may state fewer, and the smaller one counts. */
const contextWindow = z.int().min(MODEL_WINDOW_DECLARED.min).max(MODEL_WINDOW_DECLARED.max);
export const modelName = z.string().regex(MODEL_NAME, "must be a model as the provider calls it");

export const OverrideFields = z.strictObject({
  provider: providerName,
  model: modelName.optional(),
  endpoint: z.string().optional(),
  api_key_env: envName.optional(),
  context_window: contextWindow.optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  sampling: SamplingFields.optional(),
  reasoning_effort: reasoningEffort.optional(),
});
export type Override = z.infer<typeof OverrideFields>;
export const OVERRIDE_KEYS = Object.keys(OverrideFields.shape) as (keyof Override)[];
export const SAMPLING_KEYS = Object.keys(SamplingFields.shape) as (keyof SamplingFields)[];

export function knownEndpoint(provider: string, known: Registry = registry()): string | undefined {
  return [...known.providers, ...known.runtimes].find(({ id }) => id === provider)?.endpoint;
}

export function lackOf(
  { provider, model, endpoint }: Override,
  known: Registry = registry(),
): { readonly key: "endpoint" | "model"; readonly why: string } | undefined {
  if (endpoint === undefined && knownEndpoint(provider, known) === undefined) {
    return { key: "endpoint", why: `svc does not know where provider "${provider}" is` };
  }
  if (model === undefined && known.providers.some(({ id }) => id === provider)) {
    return { key: "model", why: `provider "${provider}" serves many models` };
  }
  return undefined;
}

const Entry = OverrideFields.superRefine((entry, context) => {
  const lack = lackOf(entry);
  if (lack === undefined) return;
  context.addIssue({ code: "custom", path: [lack.key], message: `is missing: ${lack.why}` });
});

const role = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "must be a role's name");

export const Overrides = z.strictObject({
  version: z.literal(1),
  tiers: z.partialRecord(z.enum(TIERS), Entry).default({}),
  roles: z.record(role, Entry).default({}),
});
export type Overrides = z.infer<typeof Overrides>;

export const NO_OVERRIDES: Overrides = { version: 1, tiers: {}, roles: {} };

export function overrideKeys(keyPath: string): readonly string[] {
  if (keyPath === "") return Object.keys(Overrides.shape);
  if (keyPath === "tiers") return TIERS;
  if (/^(?:tiers|roles)\.[^.]+\.sampling$/.test(keyPath)) return SAMPLING_KEYS;
  return /^(?:tiers|roles)\.[^.]+$/.test(keyPath) ? OVERRIDE_KEYS : [];
}
