/** Chooses a role's model from what the repo and its user say: every command that runs a role asks this. */
import type { Config } from "svc/features/settings/config_file.ts";
import type { ModelDefault } from "svc/features/settings/model_default.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import type { EndpointRules } from "./allowed_endpoint.ts";
import { readOverrides } from "./overrides.ts";
import { registry, type Tier } from "./registry.ts";
import { type RouteChoice, routeFor } from "./route.ts";
import { readRouting } from "./routing_file.ts";

/** What the user's config says about models: where they may be, and the one that is used by default. */
export interface OwnModels extends EndpointRules {
  readonly ownDefault?: ModelDefault | undefined;
}

export function endpointRules(
  { models }: Pick<Config, "models">,
  configPath: string,
): OwnModels {
  const { allowed_origins: allowedOrigins, allowed_key_envs: allowedKeyEnvs } = models;
  return { allowedOrigins, allowedKeyEnvs, configPath, ownDefault: models.default };
}

/** @throws Failure as `routeFor`; `environment` for a file of the repo that cannot be read */
export async function chooseModel(
  folder: Pick<Folder, "read">,
  asked: {
    readonly role: string;
    readonly tier: Tier;
    readonly modelEndpoint?: string | undefined;
  },
  { ownDefault, ...rules }: OwnModels,
): Promise<RouteChoice> {
  const { overrides } = await readOverrides(folder);
  const routing = await readRouting(folder);
  return routeFor({ ...asked, overrides, routing, ownDefault, registry: registry(), rules });
}
