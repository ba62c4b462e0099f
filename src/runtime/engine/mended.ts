/**
 * Tries tickets again that were blocked by the machine and not by the work: after longer and longer times, and
 * only a few times.
 */
import {
  lastBlockOf,
  machineBlocksOf,
  pendingSettlements,
} from "svc/features/routing/settlement_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { Ticket } from "svc/features/tickets/ticket_list.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Db } from "svc/store/schema.ts";

export const TRIED_ONCE_MORE = "tried once more: the machine kept it, not the work";

/**
 * Milliseconds until the first new attempt; after each further block four times as long: 15 min, 1 h, 4 h, 16
 * h.
 */
const MENDED_AFTER_MS = 15 * 60 * 1000;
const MENDED_TRIES = 4;

/** Older blocks do not count: on a machine that fails once a month, each ticket is tried again. */
const MENDED_WINDOW_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * The last block came from a settlement that named the machine as the cause; if a person has blocked the ticket
 * since, they had another reason.
 */
export async function mendableOf(
  db: Db,
  repoId: string,
  tickets: readonly Ticket[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const { id, state, updated } of tickets) {
    if (state !== "blocked") continue;
    const block = await lastBlockOf(db, repoId, id);
    if (block?.fault != null && block.settled_at! >= Date.parse(updated)) {
      found.set(id, block.settled_at!);
    }
  }
  return found;
}

/** Epoch ms; undefined when only a person or a start tries it again. */
export function dueAgain(blockedAt: number, blocks: number): number | undefined {
  if (blocks > MENDED_TRIES) return undefined;
  return blockedAt + MENDED_AFTER_MS * 4 ** (Math.max(1, blocks) - 1);
}

/**
 * Moves these tickets back to the backlog; only in host profile.
 * @param atOnce whoever starts svc may have mended the machine: nothing is waited for
 * @returns their ids
 */
export async function tryMended(
  { db, clock }: RuntimePorts,
  repo: Repo,
  { atOnce }: { readonly atOnce: boolean },
): Promise<readonly string[]> {
  const now = clock.now();
  const mendable = await mendableOf(db, repo.id, (await repo.tickets.list()).tickets);
  if (mendable.size === 0) return [];
  const owed = new Set((await pendingSettlements(db, repo.id)).map(({ ticket_id }) => ticket_id));
  const tried: string[] = [];
  for (const [id, blockedAt] of mendable) {
    const blocks = await machineBlocksOf(db, repo.id, id, now - MENDED_WINDOW_MS);
    const due = atOnce ? now : dueAgain(blockedAt, blocks);
    if (due === undefined || due > now || owed.has(id)) continue;
    const why = { to: "backlog", reason: TRIED_ONCE_MORE, actor: "svc", force: true } as const;
    await repo.tickets.move(id, why);
    tried.push(id);
    const data = { repo_id: repo.id, ticket_id: id, from: "blocked", to: "backlog" };
    await recordEvent(db, { type: "ticket_update", repoId: repo.id, data }, clock.now());
  }
  return tried;
}
