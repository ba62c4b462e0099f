/** Which endpoints may be used and which keys may go there; a repo's choice is not trusted. */
import { Failure } from "svc/core/failure.ts";
import {
  isOwnCredential,
  OWN_CREDENTIAL,
  OWN_CREDENTIAL_REMEDY,
} from "svc/core/own_credentials.ts";
import type { Endpoint } from "svc/features/models/client/endpoint.ts";
import type { Registry } from "./registry.ts";

export interface EndpointRules {
  readonly allowedOrigins: readonly string[];
  readonly allowedKeyEnvs: readonly string[];
  readonly configPath: string;
}

function normal(origin: string): string {
  const url = URL.parse(origin);
  if (url?.hostname === "localhost") url.hostname = "127.0.0.1";
  return url?.origin ?? origin;
}

function allows({ allowedOrigins }: EndpointRules, { origin }: Endpoint): boolean {
  return allowedOrigins.some((allowed) => normal(allowed) === origin);
}

function edit(key: string, values: readonly string[], { configPath }: EndpointRules): string {
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return `Edit ${configPath} so that it says models: {${key}: [${list}]}`;
}

const allowOrigin = (rules: EndpointRules, { origin }: Endpoint) =>
  edit("allowed_origins", [...rules.allowedOrigins, origin], rules);

export interface EndpointUse {
  readonly endpoint: Endpoint;
  readonly keyEnv?: string | undefined;
  readonly owner: "user" | "repo";
  readonly what: string;
}

function keyRefusal(
  { endpoint, keyEnv, what }: EndpointUse & { readonly keyEnv: string },
  rules: EndpointRules,
  { providers }: Pick<Registry, "providers">,
): Failure | undefined {
  if (isOwnCredential(keyEnv)) {
    return new Failure("refused", `Cannot use ${what}: its key "${keyEnv}" ${OWN_CREDENTIAL}`, {
      remedy: OWN_CREDENTIAL_REMEDY,
    });
  }
  if (!rules.allowedKeyEnvs.includes(keyEnv)) {
    return new Failure(
      "refused",
      `Cannot use ${what}: its key "${keyEnv}" is not in your models.allowed_key_envs`,
      { remedy: edit("allowed_key_envs", [...rules.allowedKeyEnvs, keyEnv], rules) },
    );
  }
  if (!endpoint.loopback && !endpoint.origin.startsWith("https:")) {
    return new Failure(
      "refused",
      `Cannot use ${what}: the key "${keyEnv}" would go to "${endpoint.origin}" unencrypted`,
      { remedy: "Give the endpoint an https URL, or leave api_key_env out" },
    );
  }
  const home = providers.some(({ api_key_env, endpoint: own }) =>
    api_key_env === keyEnv && new URL(own).origin === endpoint.origin
  );
  if (home || allows(rules, endpoint)) return undefined;
  return new Failure(
    "refused",
    `Cannot use ${what}: the key "${keyEnv}" would go to "${endpoint.origin}", which is not ` +
      "in your models.allowed_origins",
    { remedy: `${allowOrigin(rules, endpoint)}; or leave api_key_env out` },
  );
}

/** A person's endpoint counts. A key never goes over a network unencrypted, nor to a local port that only the repo names. */
export function refusalOf(
  use: EndpointUse,
  rules: EndpointRules,
  registry: Pick<Registry, "providers">,
): Failure | undefined {
  const { endpoint, owner, what, keyEnv } = use;
  const { origin, loopback } = endpoint;
  if (owner === "repo" && !loopback && !allows(rules, endpoint)) {
    return new Failure(
      "refused",
      `Cannot use ${what}: it would send this repo's code to "${origin}", which is not in ` +
        "your models.allowed_origins",
      { remedy: allowOrigin(rules, endpoint) },
    );
  }
  return keyEnv === undefined ? undefined : keyRefusal({ ...use, keyEnv }, rules, registry);
}
