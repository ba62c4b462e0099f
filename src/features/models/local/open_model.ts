/** Opens the model of a route: loads the client, runs the preflight, joins the two. */
import type { ModelClient } from "svc/features/models/client/model.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { ModelRoute } from "svc/features/models/client/model.ts";
import { type OwnSampling, withSampling } from "svc/features/models/choose/sampling.ts";
import type { Preflight, PreflightPorts } from "./preflight.ts";

interface OpenModelPorts extends Omit<PreflightPorts, "connect"> {
  /** `Entrance.load`: loading the client costs time that only commands which run agents should pay. */
  readonly load: Entrance["load"];
  readonly sampling?: OwnSampling;
}

export interface OpenedModel extends Preflight {
  readonly client: ModelClient;
}

export async function openModel(ports: OpenModelPorts, asked: ModelRoute): Promise<OpenedModel> {
  const [{ openaiClient }, { preflight }] = await Promise.all([
    ports.load("src/features/models/client/client"),
    ports.load("src/features/models/local/preflight"),
  ]);
  const found = await preflight({ ...ports, connect: openaiClient }, asked);
  const { clock, redact, key, fetch, limits } = ports;
  // Which model an endpoint serves may be known only now.
  const route = withSampling(found.route, ports.sampling ?? {});
  const client = openaiClient({
    route,
    profile: found.profile,
    clock,
    redact,
    key,
    fetch,
    limits,
  });
  return { ...found, route, client };
}
