/** What one may ask of a machine of a team, wherever it is shown. */
import type { NodeItem } from "svc/runtime/views/node_item.ts";
import type { NodeControlKey } from "./controls.ts";

export const NODE_VERBS = {
  "pause-node": "Pause",
  "drain-node": "Drain",
  "stop-node": "Stop",
  "resume-node": "Resume",
} as const satisfies Record<NodeControlKey, string>;

/** Those that the service would not refuse, and that change something. */
export function controlsOfNode(
  { condition, why }: Pick<NodeItem, "condition" | "why">,
): readonly NodeControlKey[] {
  switch (condition) {
    case "working":
    case "waiting":
      return ["pause-node", "drain-node", "stop-node"];
    case "paused":
      return ["resume-node", "drain-node", "stop-node"];
    case "draining":
    case "drained":
      return ["resume-node", "pause-node", "stop-node"];
    case "stopping":
      return [];
    // A pause outlasts the process; a reason here may be that of a pause, or of the stop.
    case "gone":
    case "ended":
      return why === null ? ["pause-node"] : ["resume-node", "pause-node"];
  }
}
