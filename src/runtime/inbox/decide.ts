/** Carries out what a person decided; the page and the command line both go through this module. */
import type { ActPlace } from "./act_context.ts";
import { letUncheckedIn, lookAgain, resumeHeld } from "./other_acts.ts";
import type { PersonAct, PersonActed } from "./person_act.ts";
import { actedBefore, namedAct } from "./person_decision.ts";
import { approveWork, sendBackWork } from "./review_acts.ts";
import { assignTicket, unblockTicket } from "./ticket_acts.ts";
import { personDecision, undoDecision } from "./undo.ts";

/**
 * @param look settles what can be settled now; absent if another process does that
 * @throws Failure `refused` for an observer; `conflict` where somebody settled it before; `not_found`, `usage`
 */
export async function carryOutAct(
  place: ActPlace,
  act: PersonAct,
  look?: () => Promise<unknown>,
): Promise<PersonActed> {
  const { db, clock } = place.ports;
  const context = { ...place, named: await namedAct(act) };
  const before = await actedBefore(db, context.named, clock.now());
  if (before !== undefined) return before;
  switch (act.act) {
    case "unblock":
      return await unblockTicket(context, act);
    case "assign":
      return await assignTicket(context, act);
    case "approve":
      return await approveWork(context, act);
    case "send-back":
      return await sendBackWork(context, act);
    case "resume-role":
    case "resume-model":
      return await resumeHeld(context, act);
    case "waive-checks":
      return await letUncheckedIn(context, act);
    case "recheck":
      return await lookAgain(context, look);
    case "undo":
      return await undoDecision(context, await personDecision(db, act.decision));
  }
}
