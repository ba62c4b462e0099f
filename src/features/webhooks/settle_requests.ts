/** Fulfils what events from outside ask for: tickets, moves, jobs. Repeating it changes nothing. */
import type { Repo } from "svc/features/repos/repo.ts";
import { drain, type Drained } from "svc/core/drain.ts";
import type { Fulfilment, FulfilmentPorts, RequestWork } from "./fulfilment.ts";
import { fulfilCancel, fulfilRun, fulfilTicket } from "./fulfil_ticket.ts";
import { fulfilClosed, fulfilFailedCheck, fulfilRework, pullMovedOn } from "./fulfil_pull.ts";
import { queueTriggered, reviewPull } from "./queue_role.ts";
import type { RequestKind } from "./request.ts";
import {
  endRequest,
  pendingRequests,
  requestOf,
  type RequestRow,
  requestWaits,
} from "./request_store.ts";

const REQUESTS_AT_ONCE = 100;

export type SettledRequests = Drained<number>;

/** Kinds that only queue jobs; the others change tickets, and so wait for the host profile. */
const TICKETLESS: ReadonlySet<RequestKind> = new Set(["review", "push", "trigger"]);

export async function settleRequests(
  ports: FulfilmentPorts,
  repo: Repo,
): Promise<SettledRequests> {
  const { db, clock, log, signal } = ports;
  return await drain(await pendingRequests(db, repo.id, clock.now(), REQUESTS_AT_ONCE), {
    signal,
    settle: (row) => settleOne(ports, repo, row),
    waits: ({ id }, why) => requestWaits(db, id, why),
    faulty: ({ id, kind }, cause) => log.write("error", `request ${id} failed`, { kind, cause }),
  });
}

async function settleOne(
  ports: FulfilmentPorts,
  repo: Repo,
  row: RequestRow,
): Promise<string | undefined> {
  const { manifest } = await repo.manifest();
  if (manifest === undefined) return "a manifest that can be read";
  if (ports.profile !== "host" && !TICKETLESS.has(row.kind)) return "the host profile";
  const work: RequestWork = { ports, repo, manifest, row };
  const end = await fulfil(work);
  if (end.state === "waits") return end.why;
  const now = ports.clock.now();
  await ports.db.transaction().execute(async (db) => {
    // False when another process settled it, or an item joined: the next round settles that.
    if (!await endRequest(db, row, { ...end, ticket_id: end.ticket?.id }, now)) return;
    await end.write?.(db, now);
    if (end.state === "done" && row.kind !== "review") {
      await queueTriggered(work, db, end.ticket, now);
    }
  });
  return undefined;
}

async function fulfil(work: RequestWork): Promise<Fulfilment> {
  const request = requestOf(work.row);
  switch (request.kind) {
    case "ticket":
      return await fulfilTicket(work, request.items[0]);
    case "run":
      return await fulfilRun(work, request.items[0]);
    case "review":
      return await pullMovedOn(work, request.items[0]) ?? reviewPull(work, request.items[0]);
    case "closed":
      return await fulfilClosed(work, request.items[0]);
    case "rework":
      return await fulfilRework(work, request.items);
    case "failed_check":
      return await fulfilFailedCheck(work, request.items[0]);
    case "cancel":
      return await fulfilCancel(work, request.items[0]);
    case "push": {
      const { head } = request.items.at(-1)!;
      await work.ports.afterPush?.(head);
      return { state: "done", outcome: `looked at after the push of ${head.slice(0, 12)}` };
    }
    case "trigger":
      return { state: "done", outcome: "queued what the manifest asks for" };
  }
}
