/** Finds the key that a route names: in the process environment, then in `.harness/.env.local`. */
import { Failure } from "svc/core/failure.ts";
import {
  isOwnCredential,
  OWN_CREDENTIAL,
  OWN_CREDENTIAL_REMEDY,
} from "svc/core/own_credentials.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { EndpointRules } from "./allowed_endpoint.ts";
import { isKeyValue } from "./env_lines.ts";
import { LOCAL_ENV_PATH, readLocalEnv, type Warning } from "./local_env.ts";
import { modelFault } from "svc/features/models/client/faults.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";

type KeyRules = Pick<EndpointRules, "allowedKeyEnvs" | "configPath">;

interface KeyPorts {
  readonly env: Pick<Env, "get">;
  /** Without a repo and its folder only the environment has keys. */
  readonly repo?: Pick<GitRepo, "trackingOf"> | undefined;
  readonly folder?: Pick<Folder, "read"> | undefined;
}

interface FoundKey {
  /** Secret: only for the Authorization header of requests to the route's own origin. */
  readonly value: string;
  readonly from: "environment" | typeof LOCAL_ENV_PATH;
  readonly warnings: readonly Warning[];
}

type KeySearch = FoundKey | {
  readonly value?: never;
  readonly from: "nowhere";
  readonly warnings: readonly Warning[];
};

/** @throws Failure `refused` for a name that the user does not allow */
export async function findKey(
  { env, repo, folder }: KeyPorts,
  name: string,
  rules: KeyRules,
): Promise<KeySearch> {
  refuseKeyEnv(name, rules);
  const value = env.get(name)?.trim();
  if (value !== undefined && value !== "") return { value, from: "environment", warnings: [] };
  if (repo === undefined || folder === undefined) return { from: "nowhere", warnings: [] };
  const local = await readLocalEnv({ repo, folder }, name);
  if (local.value === undefined) return { from: "nowhere", warnings: local.warnings };
  return { value: local.value, from: LOCAL_ENV_PATH, warnings: local.warnings };
}

/** @throws Failure `refused` for credentials of svc and of the code host */
export function refuseOwnCredential(doing: string, name: string): void {
  if (!isOwnCredential(name)) return;
  throw new Failure("refused", `Cannot ${doing}: it ${OWN_CREDENTIAL}`, {
    remedy: OWN_CREDENTIAL_REMEDY,
  });
}

/** The setting that would let svc read the variable; undefined if svc may already. */
export function keyEnvRemedy(
  name: string,
  { allowedKeyEnvs, configPath }: KeyRules,
): string | undefined {
  if (allowedKeyEnvs.includes(name)) return undefined;
  const list = [...allowedKeyEnvs, name].map((each) => JSON.stringify(each)).join(", ");
  return `Edit ${configPath} so that it says models: {allowed_key_envs: [${list}]}`;
}

function refuseKeyEnv(name: string, rules: KeyRules): void {
  refuseOwnCredential(`read "${name}"`, name);
  const remedy = keyEnvRemedy(name, rules);
  if (remedy === undefined) return;
  throw new Failure("refused", `Cannot read "${name}": it is not in your models.allowed_key_envs`, {
    remedy,
  });
}

/** @throws Failure `refused` as `findKey`; `environment` when the key is nowhere or is no key */
export async function keyOf(
  ports: KeyPorts,
  route: Pick<ModelRoute, "apiKeyEnv" | "endpoint" | "model" | "provider">,
  rules: KeyRules,
): Promise<FoundKey | undefined> {
  const { apiKeyEnv, provider } = route;
  if (apiKeyEnv === undefined) return undefined;
  const found = await findKey(ports, apiKeyEnv, rules);
  if (found.value !== undefined && isKeyValue(found.value)) return found;
  const why = found.value === undefined ? `"${apiKeyEnv}" is not set` : `"${apiKeyEnv}" is no key`;
  const warned = found.warnings.map(({ text }) => `; ${text}`).join("");
  throw new Failure("environment", `Cannot use provider "${provider}": ${why}${warned}`, {
    cause: modelFault(route, "auth", why),
    remedy: `export ${apiKeyEnv}=…; to keep it for this repo: ` +
      `svc models credentials write-local-env --api-key-env ${apiKeyEnv}`,
  });
}
