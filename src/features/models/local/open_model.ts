/** Opens the model of a route: loads the client, runs the preflight, joins the two. */
import { type OwnSampling, withSampling } from "svc/features/models/choose/sampling.ts";
import type { ClientPlan } from "svc/features/models/client/client.ts";
import type { Protocol } from "svc/core/model_protocol.ts";
import type { ModelClient, ModelRoute } from "svc/features/models/client/model.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Preflight, PreflightPorts } from "./preflight.ts";

interface OpenModelPorts extends Omit<PreflightPorts, "connect"> {
  /** `Entrance.load`: loading the client costs time that only commands which run agents should pay. */
  readonly load: Entrance["load"];
  readonly sampling?: OwnSampling;
}

export interface OpenedModel extends Preflight {
  readonly client: ModelClient;
}

type Connect = (plan: ClientPlan) => ModelClient;

/** A vendor's package is loaded only where its protocol is spoken. */
async function clientOf(
  { load }: Pick<OpenModelPorts, "load">,
  protocol: Protocol = "chat",
): Promise<Connect> {
  if (protocol === "responses") {
    return (await load("src/features/models/client/vendors/responses_client")).responsesClient;
  }
  if (protocol === "messages") {
    return (await load("src/features/models/client/vendors/anthropic_client")).anthropicClient;
  }
  return (await load("src/features/models/client/client")).openaiClient;
}

export async function openModel(ports: OpenModelPorts, asked: ModelRoute): Promise<OpenedModel> {
  const [connect, { preflight }] = await Promise.all([
    clientOf(ports, asked.protocol),
    ports.load("src/features/models/local/preflight"),
  ]);
  const found = await preflight({ ...ports, connect }, asked);
  const { clock, redact, key, fetch, limits } = ports;
  // Which model an endpoint serves may be known only now.
  const route = withSampling(found.route, ports.sampling ?? {});
  const { profile } = found;
  return {
    ...found,
    route,
    client: connect({ route, profile, clock, redact, key, fetch, limits }),
  };
}
