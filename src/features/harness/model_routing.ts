/** Checks which model routing was asked for, and writes `.harness/model-routing.yaml`. */
import { Failure } from "svc/core/failure.ts";
import {
  isOwnCredential,
  OWN_CREDENTIAL,
  OWN_CREDENTIAL_REMEDY,
} from "svc/core/own_credentials.ts";
import { BUNDLES } from "svc/core/local_bundles.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";

export const ROUTINGS = ["local", "cloud", "defer"] as const;

export interface RoutingFlags {
  readonly modelRouting: typeof ROUTINGS[number] | undefined;
  readonly localBundle: typeof BUNDLES[number] | undefined;
  readonly cloudProvider: string | undefined;
  readonly cloudModel: string | undefined;
  readonly cloudEndpoint: string | undefined;
  readonly apiKeyEnv: string | undefined;
}

export type Routing =
  | { readonly mode: "defer" }
  | { readonly mode: "local"; readonly bundle: typeof BUNDLES[number] }
  | {
    readonly mode: "cloud";
    readonly provider: string;
    readonly model: string;
    readonly endpoint: string;
    /** Name of the variable that holds the key, never the key. */
    readonly api_key_env: string;
  };

/** Providers with an OpenAI-compatible endpoint. */
const PROVIDERS: ReadonlyMap<string, readonly [endpoint: string, keyEnv: string]> = new Map([
  ["openai", ["https://api.openai.com/v1", "OPENAI_API_KEY"]],
  ["anthropic", ["https://api.anthropic.com/v1", "ANTHROPIC_API_KEY"]],
  ["openrouter", ["https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"]],
  ["gemini", ["https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"]],
]);

function usage(message: string, remedy: string): Failure {
  return new Failure("usage", `Cannot write the model routing: ${message}`, { remedy });
}

function needed(flag: string, example: string): Failure {
  return new Failure("answer_needed", `Cannot write the model routing: ${flag} is missing`, {
    remedy: `Add ${flag} ${example}`,
  });
}

/** The value is never shown: people paste keys where a variable's name belongs. */
function keyEnv(name: string): string {
  if (isOwnCredential(name)) throw usage(`"${name}" ${OWN_CREDENTIAL}`, OWN_CREDENTIAL_REMEDY);
  if (/^[A-Z][A-Z0-9_]{0,99}$/.test(name)) return name;
  throw usage(
    "--api-key-env is not the name of an environment variable",
    "Give the name, never the key: --api-key-env OPENAI_API_KEY",
  );
}

function endpointOf(text: string): string {
  const url = URL.parse(text);
  const clean = url !== null && url.username === "" && url.password === "" && url.search === "" &&
    url.hash === "";
  if (clean && (url.protocol === "https:" || isLoopbackHost(url.hostname))) {
    return text.replace(/\/+$/, "");
  }
  throw usage(
    "--cloud-endpoint is no https (or loopback http) URL without user, query and fragment",
    "Give one such as https://api.example.com/v1",
  );
}

/** @throws Failure `usage` for contradicting flags, `answer_needed` for a missing one */
export function routingOf(asked: RoutingFlags): Routing {
  const { modelRouting: mode = "defer", localBundle, apiKeyEnv } = asked;
  const { cloudProvider: provider, cloudModel: model, cloudEndpoint: endpoint } = asked;
  const cloudOnly = { provider, model, endpoint, apiKeyEnv };
  if (mode !== "cloud" && Object.values(cloudOnly).some((value) => value !== undefined)) {
    throw usage("cloud flags need --model-routing cloud", "Add --model-routing cloud");
  }
  if (mode !== "local" && localBundle !== undefined) {
    throw usage("--local-bundle needs --model-routing local", "Add --model-routing local");
  }
  if (mode === "defer") return { mode };
  if (mode === "local") return { mode, bundle: localBundle ?? "auto" };
  if (provider === undefined) throw needed("--cloud-provider", "openai");
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(provider)) {
    throw usage("--cloud-provider is not a short lower-case name", "--cloud-provider openai");
  }
  if (model === undefined || model.trim() === "") throw needed("--cloud-model", "<model>");
  const [knownEndpoint, knownEnv] = PROVIDERS.get(provider) ?? [];
  const url = endpoint ?? knownEndpoint;
  if (url === undefined) throw needed("--cloud-endpoint", "https://api.example.com/v1");
  const name = apiKeyEnv ?? knownEnv;
  if (name === undefined) throw needed("--api-key-env", "EXAMPLE_API_KEY");
  return { mode, provider, model, endpoint: endpointOf(url), api_key_env: keyEnv(name) };
}

const ABOUT: Record<Routing["mode"], string> = {
  defer: "# Nothing is chosen yet. On this machine: mode: local, and local: {bundle: auto}.",
  local: "# Models run on this machine; svc setup downloads the bundle.",
  cloud: "# The key is read from the variable that api_key_env names; it is never stored here.",
};

export function routingText(routing: Routing): string {
  const { mode, ...rest } = routing;
  const lines = Object.entries(rest).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`);
  return [
    "# Where this repo's models are. Yours to edit; svc models override sets single roles or tiers.",
    ABOUT[mode],
    "version: 1",
    `mode: ${mode}`,
    ...(lines.length === 0 ? [] : [`${mode}:`, ...lines]),
    "",
  ].join("\n");
}
