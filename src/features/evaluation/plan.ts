/** What an evaluation would ask, and of which models; no model is asked for it. */
import type { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { chooseModel, type OwnModels } from "svc/features/models/choose/choose_model.ts";
import { registry, type Tier, TIERS } from "svc/features/models/choose/registry.ts";
import { routeFor } from "svc/features/models/choose/route.ts";
import { NO_OVERRIDES } from "svc/features/models/choose/override_shape.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { probesFor } from "./evaluate.ts";
import { PROBE_GROUPS } from "./probe.ts";
import { isCloud } from "./target.ts";

export const planShape = (zod: typeof z) =>
  zod.strictObject({
    mode: zod.literal("plan"),
    repo: zod.string().nullable(),
    /** Without those of long prompts, which the window decides. */
    probes: zod.array(zod.strictObject({
      id: zod.string(),
      group: zod.enum(PROBE_GROUPS),
      about: zod.string(),
      /** Prompts and replies together, estimated. */
      tokens: zod.int(),
    })),
    recall: zod.string(),
    routes: zod.array(zod.strictObject({
      tier: zod.enum(TIERS),
      provider: zod.string(),
      endpoint: zod.string(),
      model: zod.string(),
      cloud: zod.boolean(),
      /** Why there is none; null otherwise. */
      why: zod.string().nullable(),
      /** The line that evaluates it. */
      command: zod.string().nullable(),
    })),
  });
type PlannedRoute = z.infer<ReturnType<typeof planShape>>["routes"][number];

export function plannedProbes() {
  const probes = probesFor(0).filter(({ group }) => group !== "recall");
  return {
    probes: probes.map(({ id, group, about, tokens }) => ({ id, group, about, tokens })),
    recall:
      "recall: three facts in prompts of 4k, 8k, 16k, … tokens and of the stated window; all " +
      "together take about twice the window",
  };
}

function plannedRoute(tier: Tier, chosen: ReturnType<typeof routeFor>): PlannedRoute {
  const { route } = chosen;
  const { provider, endpoint, model, apiKeyEnv } = route;
  const cloud = isCloud(route);
  const plain = /^[\w.:/@+-]*$/.test(model);
  const words = [
    ...["svc models evaluate", "--provider", provider, "--endpoint", endpoint],
    ...(model === "" ? [] : ["--model", plain ? model : `'${model}'`]),
    ...(apiKeyEnv === undefined ? [] : ["--api-key-env", apiKeyEnv]),
    ...(cloud ? ["--cloud"] : []),
  ];
  return { tier, provider, endpoint, model, cloud, why: null, command: words.join(" ") };
}

/** @param folder of a repo, which may route its tiers elsewhere */
export async function plannedRoutes(
  folder: Pick<Folder, "read"> | undefined,
  own: OwnModels,
): Promise<PlannedRoute[]> {
  const { ownDefault, ...rules } = own;
  const routes: PlannedRoute[] = [];
  for (const tier of TIERS) {
    try {
      const asked = { role: "", tier };
      const inputs = {
        overrides: NO_OVERRIDES,
        routing: undefined,
        registry: registry(),
        rules,
        ownDefault,
      };
      const chosen = folder === undefined
        ? routeFor({ ...asked, ...inputs })
        : await chooseModel(folder, asked, own);
      routes.push(plannedRoute(tier, chosen));
    } catch (thrown) {
      const failure = Failure.from(thrown);
      if (failure.code === "internal") throw thrown;
      const nothing = { provider: "", endpoint: "", model: "", cloud: false, command: null };
      routes.push({ tier, ...nothing, why: failure.message });
    }
  }
  return routes;
}
