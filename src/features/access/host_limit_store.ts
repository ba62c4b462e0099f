/**
 * The only module that writes the `host_limits` table. A limit belongs to the token, so it applies to
 * everything that asks.
 */
import { isOver } from "svc/core/time.ts";
import type { Db } from "svc/store/schema.ts";
import { LIMIT_MAX_SECS, LIMIT_SECS, type LimitReached } from "./code_host_refusal.ts";
import type { HostLimit } from "./host_limit_table.ts";

/** Undefined when the host may be asked. */
export async function limitNow(db: Db, host: string, now: number): Promise<HostLimit | undefined> {
  const limit = await db.selectFrom("host_limits").selectAll().where("host", "=", host)
    .executeTakeFirst();
  return limit === undefined || isOver(limit.until, now) ? undefined : limit;
}

/**
 * Keeps the time that the host told; without one a minute, then twice as long with each refusal, up
 * to an hour (docs.github.com, "Rate limits for the REST API").
 */
export async function noteLimit(
  db: Db,
  host: string,
  { limit: kind, untilSecs }: Pick<LimitReached, "limit" | "untilSecs">,
  now: number,
): Promise<HostLimit> {
  const known = await db.selectFrom("host_limits").select("refusals").where("host", "=", host)
    .executeTakeFirst();
  const refusals = (known?.refusals ?? 0) + 1;
  const doubled = LIMIT_SECS * 2 ** Math.min(refusals - 1, 10);
  const until = now + 1000 * (untilSecs ?? Math.min(doubled, LIMIT_MAX_SECS));
  const row = { host, kind, until, refusals };
  await db.insertInto("host_limits").values(row)
    .onConflict((on) => on.column("host").doUpdateSet({ kind, until, refusals })).execute();
  return row;
}

export async function limitOver(db: Db, host: string): Promise<void> {
  await db.deleteFrom("host_limits").where("host", "=", host).execute();
}

export const limitText = ({ kind, until }: HostLimit) =>
  `GitHub's ${kind === "secondary" ? "secondary " : ""}rate limit to end, at ${
    new Date(until).toISOString()
  }`;
