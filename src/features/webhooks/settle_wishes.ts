/** Does what events from outside asked for: tickets, moves, jobs. Doing it twice changes nothing twice. */
import { Failure } from "svc/core/failure.ts";
import type { Fulfilled, WishPorts, WishView, WishWork } from "./fulfilment.ts";
import { fulfilCancel, fulfilRun, fulfilTicket } from "./fulfil_ticket.ts";
import { fulfilClosed, fulfilFailedCheck, fulfilRework } from "./fulfil_pull.ts";
import { queueTriggered, reviewPull } from "./queue_role.ts";
import type { WishKind } from "./wish.ts";
import { pendingWishes, settleWish, wishOf, type WishRow, wishWaits } from "./wish_store.ts";

export type { WishPorts, WishView } from "./fulfilment.ts";

/** Wishes of webhooks that are worked on in one go. */
const WISHES_AT_ONCE = 100;

export interface SettledWishes {
  /** When there are any, jobs or settlements may have been added: ring the bells. */
  readonly done: number;
  readonly waiting: readonly { readonly id: number; readonly why: string }[];
}

/** Those that only queue jobs; an observer changes no ticket, so that the others wait for a host. */
const TICKETLESS: ReadonlySet<WishKind> = new Set(["review", "push", "trigger"]);

/** Oldest first; one that must wait does not hold up the others. */
export async function settleWishes(ports: WishPorts, view: WishView): Promise<SettledWishes> {
  const { db, clock } = ports;
  let done = 0;
  const waiting: { id: number; why: string }[] = [];
  for (const row of await pendingWishes(db, view.id, clock.now(), WISHES_AT_ONCE)) {
    ports.signal.throwIfAborted();
    const why = await settleOrWait(ports, view, row);
    if (why === undefined) done++;
    else waiting.push({ id: row.id, why });
  }
  return { done, waiting };
}

/** @returns why it waits; undefined when it is settled */
async function settleOrWait(
  ports: WishPorts,
  view: WishView,
  row: WishRow,
): Promise<string | undefined> {
  const why = await settleOne(ports, view, row).catch((thrown) => {
    ports.signal.throwIfAborted();
    const failure = Failure.from(thrown);
    if (failure.code === "internal") {
      ports.log.write("error", `wish ${row.id} failed`, { kind: row.kind, cause: thrown });
    }
    return failure.message;
  });
  if (why !== undefined && why !== row.waits_for) await wishWaits(ports.db, row.id, why);
  return why;
}

async function settleOne(
  ports: WishPorts,
  view: WishView,
  row: WishRow,
): Promise<string | undefined> {
  const { manifest } = view;
  if (manifest === undefined) return "a manifest that can be read";
  if (ports.profile !== "host" && !TICKETLESS.has(row.kind)) return "the host profile";
  const work: WishWork = { ports, view: { ...view, manifest }, row };
  const end = await fulfil(work);
  if (end.state === "waits") return end.why;
  const now = ports.clock.now();
  await ports.db.transaction().execute(async (db) => {
    // Another process may have done the same meanwhile; then its jobs are there too. What joined
    // meanwhile is part of the next round.
    if (!await settleWish(db, row, { ...end, ticket_id: end.ticket?.id }, now)) return;
    await end.write?.(db, now);
    if (end.state === "done" && row.kind !== "review") {
      await queueTriggered(work, db, end.ticket, now);
    }
  });
  return undefined;
}

async function fulfil(work: WishWork): Promise<Fulfilled> {
  const wish = wishOf(work.row);
  switch (wish.kind) {
    case "ticket":
      return await fulfilTicket(work, wish.items[0]);
    case "run":
      return await fulfilRun(work, wish.items[0]);
    case "review":
      return reviewPull(work, wish.items[0]);
    case "closed":
      return await fulfilClosed(work, wish.items[0]);
    case "rework":
      return await fulfilRework(work, wish.items);
    case "failed_check":
      return await fulfilFailedCheck(work, wish.items[0]);
    case "cancel":
      return await fulfilCancel(work, wish.items[0]);
    case "push": {
      const { head } = wish.items.at(-1)!;
      await work.ports.afterPush?.(head);
      return { state: "done", outcome: `looked at after the push of ${head.slice(0, 12)}` };
    }
    case "trigger":
      return { state: "done", outcome: "queued what the manifest asks for" };
  }
}
