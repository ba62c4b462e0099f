/** Reads the registry that svc ships: bundles for local use, cloud providers, local runtimes. */
import { z } from "zod";
import { TIERS } from "svc/features/harness/manifest_shape.ts";
import { LOCAL_BUNDLES } from "svc/core/local_bundles.ts";
import { PROTOCOLS } from "svc/core/model_protocol.ts";
import { REGISTRY } from "./shipped.gen.ts";

export { TIERS };
export type Tier = typeof TIERS[number];

export const RUNTIMES = ["llama.cpp", "ollama", "lm-studio", "vllm"] as const;
export type RuntimeId = typeof RUNTIMES[number];

const bundleId = z.enum(LOCAL_BUNDLES);
const tokens = z.int().positive();

/** One file of one commit of a public repo, which no later change of the repo reaches. */
export const Identity = z.strictObject({
  repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  /** A commit on Hugging Face, a release's tag on GitHub. */
  revision: z.string().regex(/^(?:[0-9a-f]{40}|b\d+)$/),
  file: z.string().regex(/^[\w.-]+$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
});
export type Identity = z.infer<typeof Identity>;

const Legal = z.strictObject({
  license: z.strictObject({ id: z.string(), url: z.url() }),
  terms_url: z.url(),
  notice_url: z.url(),
});

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
  ...Legal.shape,
  /** Bytes of the key-value cache a token. */
  cache_bytes: z.int().positive(),
  layers: z.int().positive(),
  artifact: Identity,
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

export const SYSTEMS = ["darwin-arm64", "darwin-x64", "windows-x64"] as const;

const Server = Legal.extend({ system: z.enum(SYSTEMS), artifact: Identity });
export type Server = z.infer<typeof Server>;

const Default = z.strictObject({ runtime: z.enum(RUNTIMES), bundle: bundleId });

export const Registry = z.strictObject({
  version: z.literal(1),
  bundles: z.array(Bundle),
  providers: z.array(Provider),
  runtimes: z.array(Runtime),
  defaults: z.record(z.enum(TIERS), Default),
  servers: z.array(Server),
});
export type Registry = z.infer<typeof Registry>;

/** As `assets/models/registry.yaml` has it; `deno task gen` has checked it. */
export const registry = () => REGISTRY as Registry;
