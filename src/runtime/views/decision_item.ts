/** A stored decision as the API shows it. Pure. */
import { rfc3339 } from "svc/core/time.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import type { DecisionItem } from "./shapes.ts";
import type { Scope } from "./view_ports.ts";

export function decisionItem(decision: Decision, scope: Pick<Scope, "nameOf">): DecisionItem {
  const { id, repo_id, job_id, role, ticket_id, disposition, rule } = decision;
  const { move, next_role, next_job, stop } = decision;
  return {
    id,
    at: rfc3339(decision.at),
    repo_id,
    repo: scope.nameOf(repo_id),
    job_id,
    role,
    ticket_id,
    disposition,
    rule,
    inputs: JSON.parse(decision.inputs) as DecisionItem["inputs"],
    alternatives: JSON.parse(decision.refused) as DecisionItem["alternatives"],
    move,
    next_role,
    next_job,
    stop,
    applied: decision.applied === 1,
  };
}
