/** Carries out what a person at the dashboard decided about what needs them. */
import { carryOutAct } from "svc/runtime/inbox/decide.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { PersonAct, PersonActed } from "svc/runtime/inbox/person_act.ts";
import { personDecision } from "svc/runtime/inbox/undo.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { AT_DASHBOARD } from "./job_asks.ts";
import { mustNameNoTicket } from "./request_names.ts";

/** Send a wake-up afterwards. @throws Failure as `carryOutAct` */
export async function decideNow(
  ports: RuntimePorts,
  open: (repoId: string, doing: string) => Promise<Repo>,
  act: PersonAct,
): Promise<PersonActed> {
  const id = act.act === "undo" ? (await personDecision(ports.db, act.decision)).repo_id : act.repo;
  const doing = "carry that out";
  using repo = await open(id, doing);
  const { request } = act;
  if (request !== undefined) await mustNameNoTicket(repo, { request, doing });
  return await carryOutAct(
    { ports, repo, by: AT_DASHBOARD },
    act,
    () => settlePending(ports, repo),
  );
}
