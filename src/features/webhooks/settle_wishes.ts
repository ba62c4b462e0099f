/** Does what events from outside asked for: tickets, moves, jobs. Doing it twice changes nothing twice. */
import { drain, type Drained } from "svc/core/drain.ts";
import type { Fulfilled, WishPorts, WishView, WishWork } from "./fulfilment.ts";
import { fulfilCancel, fulfilRun, fulfilTicket } from "./fulfil_ticket.ts";
import { fulfilClosed, fulfilFailedCheck, fulfilRework } from "./fulfil_pull.ts";
import { queueTriggered, reviewPull } from "./queue_role.ts";
import type { WishKind } from "./wish.ts";
import { pendingWishes, settleWish, wishOf, type WishRow, wishWaits } from "./wish_store.ts";

export type { WishPorts, WishView } from "./fulfilment.ts";

/** Wishes of webhooks that are worked on in one go. */
const WISHES_AT_ONCE = 100;

/** When any are done, jobs or settlements may have been added: ring the bells. */
export type SettledWishes = Drained<number>;

/** Those that only queue jobs; an observer changes no ticket, so that the others wait for a host. */
const TICKETLESS: ReadonlySet<WishKind> = new Set(["review", "push", "trigger"]);

/** Settles the pending wishes of a repo, oldest first. */
export async function settleWishes(ports: WishPorts, view: WishView): Promise<SettledWishes> {
  const { db, clock, log, signal } = ports;
  return await drain(await pendingWishes(db, view.id, clock.now(), WISHES_AT_ONCE), {
    signal,
    settle: (row) => settleOne(ports, view, row),
    waits: ({ id }, why) => wishWaits(db, id, why),
    faulty: ({ id, kind }, cause) => log.write("error", `wish ${id} failed`, { kind, cause }),
  });
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
