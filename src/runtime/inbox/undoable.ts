/** What people decided a moment ago, and can still take back. */
import { personDecisions } from "svc/features/routing/decision_store.ts";
import type { Decision } from "svc/features/routing/decision_table.ts";
import type { Db } from "svc/store/schema.ts";
import { PERSON_UNDO_MS } from "./act_context.ts";
import { inputsOf } from "./person_decision.ts";
import { whyNoUndo } from "./undo.ts";

const SHOWN = 10;

interface Undoable {
  readonly decision: Decision;
  readonly said: string;
  readonly by: string;
  readonly undo: string;
  /** Epoch ms. */
  readonly until: number;
}

/** Newest first. */
export async function undoable(db: Db, repoId: string, now: number): Promise<Undoable[]> {
  const found: Undoable[] = [];
  const recent = await personDecisions(db, repoId, { since: now - PERSON_UNDO_MS, limit: SHOWN });
  for (const decision of recent) {
    if (await whyNoUndo(db, decision, now) !== undefined) continue;
    const { outcome, by, undo } = inputsOf(decision);
    found.push({ decision, said: outcome, by, undo: undo!, until: decision.at + PERSON_UNDO_MS });
  }
  return found;
}
