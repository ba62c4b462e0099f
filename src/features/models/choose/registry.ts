/** Reads the registry that svc ships: bundles for local use, cloud providers, local runtimes. */
import registryText from "assets/models/registry.yaml" with { type: "text" };
import { z } from "zod";
import { TIERS } from "svc/features/harness/manifest_shape.ts";
import { BUNDLES } from "svc/features/harness/model_routing.ts";
import { PROTOCOLS } from "svc/core/model_protocol.ts";
import { readYaml } from "svc/platform/yaml.ts";

export { TIERS };
export type Tier = typeof TIERS[number];

export const RUNTIMES = ["llama.cpp", "ollama", "lm-studio", "vllm"] as const;
export type RuntimeId = typeof RUNTIMES[number];

const bundleId = z.enum(BUNDLES).exclude(["auto"]);
const tokens = z.int().positive();

export const Bundle = z.strictObject({
  id: bundleId,
  model: z.string(),
  parameters: z.string(),
  quantisation: z.string(),
  /** Memory of the machine, in GB of 1000³ bytes. */
  ram_gb: z.int().positive(),
  context_window: tokens,
  trained_window: tokens,
  tiers: z.array(z.enum(TIERS)).min(1),
  license: z.strictObject({ id: z.string(), url: z.url() }),
});
export type Bundle = z.infer<typeof Bundle>;

export const Provider = z.strictObject({
  id: z.string(),
  endpoint: z.url({ protocol: /^https$/ }),
  api_key_env: z.string(),
  protocol: z.enum(PROTOCOLS).default("chat"),
});
export type Provider = z.infer<typeof Provider>;

const Runtime = z.strictObject({
  id: z.enum(RUNTIMES),
  endpoint: z.url({ protocol: /^http$/, hostname: /^127\.0\.0\.1$/ }),
  start: z.string(),
});

const Default = z.strictObject({ runtime: z.enum(RUNTIMES), bundle: bundleId });

export const Registry = z.strictObject({
  version: z.literal(1),
  bundles: z.array(Bundle),
  providers: z.array(Provider),
  runtimes: z.array(Runtime),
  defaults: z.record(z.enum(TIERS), Default),
});
export type Registry = z.infer<typeof Registry>;

let read: Registry | undefined;

export function registry(): Registry {
  return read ??= readYaml({ text: registryText, path: "assets/models/registry.yaml" }, Registry);
}
