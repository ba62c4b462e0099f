/** What people ask of the machines of a team, as data. */
import { type ApiOperation, control, fieldsAnd } from "./operation.ts";

const asked = (about: string) => ({
  ...control(`${about} It hears of it within five seconds; \`reason\` is shown with it.`),
  body: fieldsAnd(["node"], ["reason"]),
  missing: "no such node",
});

export const NODE_OPERATIONS = {
  "POST /api/pause-node": asked("The node starts no more jobs until it is resumed."),
  "POST /api/drain-node": asked("The node starts no more jobs, and is drained when its jobs end."),
  "POST /api/stop-node": asked("The service of the node ends gracefully."),
  "POST /api/resume-node": asked("The node starts jobs again."),
} as const satisfies Record<`POST /api/${string}`, ApiOperation>;
