/** Checks, before agents run, whether a model that svc fitted to this machine still fits it. */
import type { Tier } from "svc/features/models/choose/registry.ts";
import { configMentions } from "svc/features/settings/config_mentions.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import { rolesAt } from "./reachable_hosts.ts";

interface FitRequest {
  readonly modelEndpoint: string | undefined;
  /** The role that runs; without it, all roles of the repo. */
  readonly role?: string | undefined;
}

/** Whether a role of the repo gets the user's own default. */
async function usesDefault(
  ports: PreparationPorts,
  root: string,
  { role: only }: FitRequest,
): Promise<boolean> {
  const { chooseModel, endpointRules } = await ports.load(
    "src/features/models/choose/choose_model",
  );
  const { OWN_DEFAULT } = await ports.load("src/features/models/choose/route");
  const rules = endpointRules(await ports.settings(), ports.home.config);
  using folder = await ports.folder(root);
  const roles: [string, { readonly tier: Tier }][] = Object.entries(await rolesAt(ports, root));
  for (const [role, { tier }] of roles) {
    if (only !== undefined && role !== only) continue;
    const { route } = await chooseModel(folder, { role, tier }, rules);
    if (route.because === OWN_DEFAULT) return true;
  }
  return false;
}

/**
 * Only a bundle is fitted to the machine; a model of another server is not svc's concern.
 * @param root undefined for a service, whose repos come and go
 * @throws Failure `environment` with the way out (spec section 7, CLI condition 7)
 */
export async function mustFitMachine(
  ports: PreparationPorts,
  root: string | undefined,
  request: FitRequest,
): Promise<void> {
  if (request.modelEndpoint !== undefined || !await configMentions(ports, "bundle")) return;
  const bundle = (await ports.settings()).models.default?.bundle;
  if (bundle === undefined) return;
  if (root !== undefined && !await usesDefault(ports, root, request)) return;
  const { mustBeSameMachine } = await ports.load("src/features/setup/machine_record");
  await mustBeSameMachine(ports, bundle);
}
