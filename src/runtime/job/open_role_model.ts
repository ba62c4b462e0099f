/** Opens the model of a role: route, key, preflight. */
import type { Cost } from "svc/core/cost.ts";
import { together } from "svc/core/together.ts";
import { type Redact, redactor } from "svc/core/redact.ts";
import type { ManifestRole } from "svc/features/harness/manifest_shape.ts";
import { chooseModel, endpointRules } from "svc/features/models/choose/choose_model.ts";
import { keyOf } from "svc/features/models/choose/credentials.ts";
import { costFor, pricing, type TokenUse } from "svc/features/models/choose/prices.ts";
import { appSecrets } from "svc/features/models/choose/local_secrets.ts";
import { repoSecrets } from "svc/features/models/choose/repo_secrets.ts";
import { type OpenedModel, openModel } from "svc/features/models/local/open_model.ts";
import type { ConsideredRule } from "svc/features/models/choose/route.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

interface RoleModelPlan {
  readonly role: string;
  readonly definition: Pick<ManifestRole, "tier">;
  readonly modelEndpoint: string | undefined;
  readonly repo: Pick<Repo, "git" | "folder" | "signal">;
}

export interface RoleModel extends OpenedModel {
  readonly considered: readonly ConsideredRule[];
  /** Also removes the key, the repo's other keys and the logins of its remotes. */
  readonly redact: Redact;
  /** That the model is asked with. */
  readonly keys: readonly string[];
  /** Key of the queue lane that a fault of this model pauses. */
  readonly lane: string;
  cost(use: TokenUse): Cost;
  readonly pricing: ReturnType<typeof pricing>;
}

/** @throws Failure as `chooseModel`, `keyOf` and `preflight` do */
export async function openRoleModel(
  ports: Omit<RuntimePorts, "signal">,
  plan: RoleModelPlan,
): Promise<RoleModel> {
  const { role, definition: { tier }, modelEndpoint, repo: { git, folder, signal } } = plan;
  const settings = await ports.settings();
  const rules = endpointRules(settings, ports.home.config);
  const { route, considered } = await chooseModel(folder, { role, tier, modelEndpoint }, rules);
  const key = await keyOf({ env: ports.env, repo: git, folder }, route, rules);
  const known = (await together(repoSecrets({ git, folder }), appSecrets(folder, git))).flat();
  const secrets = [...known, ...(key === undefined ? [] : [key.value])];
  const redact = redactor(secrets, ports.redact);
  const { clock, db, fetch, load } = ports;
  const opened = await openModel(
    {
      ...{ clock, db, fetch, load, redact, signal, role },
      sampling: settings.models.sampling,
      ...(key && { key: key.value }),
    },
    route,
  );
  const lane = `${opened.route.provider}/${opened.route.model} at ${opened.route.endpoint}`;
  const used = { route: opened.route, evidence: opened.profile.evidence };
  const cost = (use: TokenUse) => costFor(used, use, settings.models.prices);
  return {
    ...opened,
    ...{ considered, redact, lane, cost },
    keys: key === undefined ? [] : [key.value],
    pricing: pricing(opened.route, settings.models.prices),
  };
}
