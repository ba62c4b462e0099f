/** Chooses the model of a role, with its key, and opens it: its preflight. */
import type { Cost } from "svc/core/cost.ts";
import { type Redact, redactor } from "svc/core/redact.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { chooseModel, endpointRules } from "svc/features/models/choose/choose_model.ts";
import { keyOf } from "svc/features/models/choose/credentials.ts";
import { costFor, pricing, type TokenUse } from "svc/features/models/choose/prices.ts";
import { printableSecrets } from "svc/features/models/choose/repo_secrets.ts";
import { ownServerKey } from "svc/features/models/server/server_key.ts";
import { type OpenedModel, openModel } from "svc/features/models/local/open_model.ts";
import type { RouteChoice } from "svc/features/models/choose/route.ts";
import { ANY_MODEL } from "svc/features/models/client/faults.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Config } from "svc/features/settings/config_file.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

interface RoleModelPlan {
  readonly role: string;
  readonly definition: Pick<ManifestRole, "tier">;
  readonly modelEndpoint: string | undefined;
  readonly repo: Pick<Repo, "git" | "folder" | "signal">;
}

/** Nothing was asked of it yet. */
export interface ChosenModel extends RouteChoice {
  readonly plan: RoleModelPlan;
  readonly settings: Config;
  /** Also removes the key, the repo's other keys and the logins of its remotes. */
  readonly redact: Redact;
  /** That the model is asked with. */
  readonly keys: readonly string[];
  /** Key of the queue lane that a fault of this model pauses. */
  readonly lane: string;
}

export interface RoleModel extends OpenedModel, Pick<ChosenModel, "redact" | "keys" | "lane"> {
  readonly considered: RouteChoice["considered"];
  cost(use: TokenUse): Cost;
  readonly pricing: ReturnType<typeof pricing>;
}

type Ports = Omit<RuntimePorts, "signal">;

const laneOf = ({ provider, model, endpoint }: ModelRoute) =>
  `${provider}/${model || ANY_MODEL} at ${endpoint}`;

/** @throws Failure as `chooseModel` and `keyOf` do */
export async function chooseRoleModel(ports: Ports, plan: RoleModelPlan): Promise<ChosenModel> {
  const { role, definition: { tier }, modelEndpoint, repo: { git, folder } } = plan;
  const settings = await ports.settings();
  const rules = endpointRules(settings, ports.home.config);
  const { route, considered } = await chooseModel(folder, { role, tier, modelEndpoint }, rules);
  const found = await keyOf({ env: ports.env, repo: git, folder }, route, rules);
  const key = found?.value ?? await ownServerKey(ports, settings.models.server, route);
  const known = await printableSecrets({ git, folder });
  const secrets = [...known, ...(key === undefined ? [] : [key])];
  return {
    ...{ plan, settings, route, considered },
    redact: redactor(secrets, ports.redact),
    keys: key === undefined ? [] : [key],
    lane: laneOf(route),
  };
}

/** @throws Failure as `preflight` does */
export async function openRoleModel(
  { clock, db, fetch, load }: Ports,
  { plan: { role, repo: { signal } }, settings, considered, redact, keys, route }: ChosenModel,
): Promise<RoleModel> {
  const opened = await openModel(
    {
      ...{ clock, db, fetch, load, redact, signal, role },
      sampling: settings.models.sampling,
      ...(keys[0] !== undefined && { key: keys[0] }),
    },
    route,
  );
  const used = { route: opened.route, evidence: opened.profile.evidence };
  const cost = (use: TokenUse) => costFor(used, use, settings.models.prices);
  return {
    ...opened,
    ...{ considered, redact, keys, cost },
    // Which model an endpoint serves may be known only now.
    lane: laneOf(opened.route),
    pricing: pricing(opened.route, settings.models.prices),
  };
}
