/** A stored decision as the API shows it. Pure. */
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import { type ShapeOf, time, type Z } from "./shape.ts";
import type { Scope } from "./view_ports.ts";

export const decisionShape = (z: Z) =>
  z.strictObject({
    id: z.string(),
    at: time(z),
    repo_id: z.string(),
    repo: z.string(),
    job_id: z.string(),
    role: z.string(),
    ticket_id: z.string().nullable(),
    disposition: z.enum(DISPOSITIONS),
    rule: z.string(),
    inputs: z.record(z.string(), z.unknown()),
    alternatives: z.array(z.strictObject({ rule: z.string(), why: z.string() })),
    move: z.string().nullable(),
    next_role: z.string().nullable(),
    next_job: z.string().nullable(),
    stop: z.string().nullable(),
    /** False for a rehearsal: nothing was done. */
    applied: z.boolean(),
  });
export type DecisionItem = ShapeOf<typeof decisionShape>;

export function decisionItem(decision: Decision, scope: Pick<Scope, "nameOf">): DecisionItem {
  const { at, inputs, refused, applied, ...columns } = decision;
  return {
    ...columns,
    at: rfc3339(at),
    repo: scope.nameOf(decision.repo_id),
    inputs: JSON.parse(inputs) as DecisionItem["inputs"],
    alternatives: JSON.parse(refused) as DecisionItem["alternatives"],
    applied: applied === 1,
  };
}
