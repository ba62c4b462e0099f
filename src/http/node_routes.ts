/** Controls of the machines of a team; the gate has already checked who calls. */
import type { NodeAct, NodeControls } from "svc/runtime/service/node_asks.ts";
import { mutation, type MutationPorts } from "./mutation.ts";
import type { NODE_OPERATIONS } from "./node_operations.ts";
import type { RouteHandler } from "./route.ts";

export interface NodeRoutePorts extends MutationPorts {
  readonly service: MutationPorts["service"] & NodeControls;
}

export function nodeRoutes(ports: NodeRoutePorts) {
  const asks = (act: NodeAct) =>
    mutation(ports, `${act} the node`, async ({ fields }) => {
      const { node, reason } = fields;
      await ports.service.askNode({ act, node: node!, reason: reason || undefined });
    });
  return {
    "POST /api/pause-node": asks("pause"),
    "POST /api/drain-node": asks("drain"),
    "POST /api/stop-node": asks("stop"),
    "POST /api/resume-node": asks("resume"),
  } as const satisfies Record<keyof typeof NODE_OPERATIONS, RouteHandler>;
}
