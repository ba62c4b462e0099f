/** The only module that writes the `wishes` table. */
import { DELIVERY_KEEP_MS, STORED_WAIT_MS, WEBHOOK_BATCH } from "svc/core/bounds.ts";
import { sql } from "svc/store/query.ts";
import type { Row } from "svc/store/columns.ts";
import type { Db } from "svc/store/schema.ts";
import type { WebhookSource } from "./delivery_table.ts";
import type { RequestDraft, RequestItems, WebhookRequest } from "./request.ts";
import type { table } from "./request_table.ts";

export type RequestRow = Row<typeof table>;

export interface NewRequest {
  readonly repo_id: string;
  readonly source: WebhookSource;
  readonly event: string;
  readonly draft: RequestDraft;
}

const isVerdict = (item: unknown) => (item as Partial<RequestItems["rework"]>).asks === true;

/** Without its oldest item, if that is one too many: an older push is part of a newer one. A review's verdict stays. */
function bounded(items: readonly unknown[]): readonly unknown[] {
  if (items.length <= WEBHOOK_BATCH) return items;
  return items.toSpliced(Math.max(0, items.findIndex((item) => !isVerdict(item))), 1);
}

/** Call it in a transaction. `joined`: part of a waiting request; `known`: requested before. */
export async function addRequest(
  db: Db,
  { repo_id, source, event, draft }: NewRequest,
  now: number,
): Promise<"added" | "joined" | "known"> {
  const { kind, key: unique_key, item, batchMs } = draft;
  const twin = await db.selectFrom("wishes").selectAll()
    .where("repo_id", "=", repo_id).where("unique_key", "=", unique_key)
    .$if(
      batchMs !== undefined,
      (query) => query.where("batch", "=", 1).where("state", "=", "pending"),
    )
    .$if(batchMs === undefined, (query) => query.where("batch", "=", 0))
    .executeTakeFirst();
  if (twin === undefined) {
    await db.insertInto("wishes").values({
      repo_id,
      source,
      event,
      kind,
      unique_key,
      batch: batchMs === undefined ? 0 : 1,
      items: JSON.stringify([item]),
      due_at: now + (batchMs ?? 0),
      state: "pending",
      waits_for: null,
      outcome: null,
      ticket_id: null,
      created_at: now,
      settled_at: null,
    }).execute();
    return "added";
  }
  if (batchMs === undefined) return "known";
  const items = bounded([...JSON.parse(twin.items) as unknown[], item]);
  await db.updateTable("wishes").set({ items: JSON.stringify(items) }).where("id", "=", twin.id)
    .execute();
  return "joined";
}

/** A clock that was far ahead holds no batch back. */
const isDue = (now: number) => sql<boolean>`(due_at <= ${now} OR due_at > ${now + STORED_WAIT_MS})`;

/** Oldest first: later ones may build on earlier ones. */
export function pendingRequests(
  db: Db,
  repoId: string,
  now: number,
  limit: number,
): Promise<RequestRow[]> {
  return db.selectFrom("wishes").selectAll().where("repo_id", "=", repoId)
    .where("state", "=", "pending").where(isDue(now)).orderBy("id").limit(limit).execute();
}

export async function reposWithRequests(db: Db, now: number): Promise<string[]> {
  const rows = await db.selectFrom("wishes").select("repo_id").distinct()
    .where("state", "=", "pending").where(isDue(now)).execute();
  return rows.map(({ repo_id }) => repo_id);
}

export function requestOf({ kind, items }: RequestRow): WebhookRequest {
  return { kind, items: JSON.parse(items) } as WebhookRequest;
}

interface RequestEnd {
  readonly state: "done" | "dropped";
  readonly outcome: string;
  readonly ticket_id?: string | undefined;
}

/** False when another process was first, or an item joined since the read. */
export async function endRequest(
  db: Db,
  { id, items }: Pick<RequestRow, "id" | "items">,
  { state, outcome, ticket_id }: RequestEnd,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db.updateTable("wishes")
    .set({ state, outcome, ticket_id: ticket_id ?? null, settled_at: now, waits_for: null })
    .where("id", "=", id).where("state", "=", "pending").where("items", "=", items)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function requestWaits(db: Db, id: number, waits_for: string): Promise<void> {
  await db.updateTable("wishes").set({ waits_for })
    .where("id", "=", id).where("state", "=", "pending").execute();
}

/** What `fulfil_pull.ts` notes where a failed check sent the ticket back. */
export const sentBackText = (ticketId: string) => `${ticketId} sent back`;

/** How often failed checks have sent the ticket back. @param since epoch ms */
export async function failedChecksOf(
  db: Db,
  repoId: string,
  ticketId: string,
  since: number,
): Promise<number> {
  const rows = await db.selectFrom("wishes").select("id").where("repo_id", "=", repoId)
    .where("ticket_id", "=", ticketId).where("kind", "=", "failed_check")
    .where("state", "=", "done").where("outcome", "=", sentBackText(ticketId))
    .where("settled_at", ">", since).execute();
  return rows.length;
}

/** Other requests that begin or end the work on an issue, mentions among them, oldest first. */
export async function requestsOfIssue(
  db: Db,
  { id, repo_id }: Pick<RequestRow, "id" | "repo_id">,
  fingerprint: string,
): Promise<WebhookRequest[]> {
  const rows = await db.selectFrom("wishes").selectAll()
    .where("repo_id", "=", repo_id).where("batch", "=", 0) // the index of keys has no batches
    .where("kind", "in", ["ticket", "cancel", "run"]).where("id", "<>", id)
    .where(
      sql`coalesce(json_extract(items, '$[0].fingerprint'),
        json_extract(items, '$[0].about.issue.fingerprint'))`,
      "=",
      fingerprint,
    ).orderBy("id").execute();
  return rows.map(requestOf);
}

/** Keys of `github_rules.ts`, of which none is a batch's: the number stands between two colons, and ";" follows ":". */
const ofPull = (kind: "review" | "closed", number: number) =>
  sql<boolean>`(batch = 0 AND kind = ${kind}
    AND unique_key >= ${`${kind}:${number}:`} AND unique_key < ${`${kind}:${number};`})`;

/** Other requests to review a pull request, and the request of its end, each with the time of its event. */
export async function eventsOfPull(
  db: Db,
  { id, repo_id }: Pick<RequestRow, "id" | "repo_id">,
  number: number,
): Promise<{ readonly kind: string; readonly at: string | undefined }[]> {
  const rows = await db.selectFrom("wishes").select(["kind", "items"])
    .where("repo_id", "=", repo_id).where("id", "<>", id)
    .where((either) => either.or([ofPull("review", number), ofPull("closed", number)])).execute();
  return rows.map(({ kind, items }) => ({ kind, at: JSON.parse(items)[0].at }));
}

/** Settled requests to look at a pull request, each with the commit. */
export async function reviewsOfPull(
  db: Db,
  repoId: string,
  number: number,
): Promise<{ readonly id: number; readonly sha: string }[]> {
  const rows = await db.selectFrom("wishes").select(["id", "items"])
    .where("repo_id", "=", repoId).where("state", "<>", "pending").where(ofPull("review", number))
    .execute();
  return rows.map(({ id, items }) => ({ id, sha: JSON.parse(items)[0].sha }));
}

/** The same may then be asked for again. */
export async function forgetRequest(db: Db, id: number): Promise<void> {
  await db.deleteFrom("wishes").where("id", "=", id).execute();
}

export async function forgetRequests(db: Db, now: number): Promise<void> {
  await db.deleteFrom("wishes").where("state", "<>", "pending")
    .where("settled_at", "<", now - DELIVERY_KEEP_MS).execute();
}

interface RequestCounts {
  readonly waiting: number;
  /** Tried, and to be tried again: `waits_for` names the obstacle. */
  readonly failing: number;
}

export async function requestCounts(db: Db, repoId: string): Promise<RequestCounts> {
  const row = await db.selectFrom("wishes").select([
    sql<number>`count(*) - count(waits_for)`.as("waiting"),
    sql<number>`count(waits_for)`.as("failing"),
  ]).where("repo_id", "=", repoId).where("state", "=", "pending").executeTakeFirstOrThrow();
  return row;
}
