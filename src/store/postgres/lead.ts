/** One process of a team leads: the one whose own connection holds an advisory lock (PostgreSQL 13.3.5). */
import { CompiledQuery } from "kysely";
import { type Clock, within } from "svc/platform/clock.ts";
import type { Lead } from "svc/store/server_adapter.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import type { Db } from "svc/store/schema.ts";
import { connectAlone, type LoneConnection } from "./pool.ts";
import { LEAD_LOCK } from "./words.ts";

/** Between two looks of those who wait, and between two signs of life of the one who leads. */
const LOOK_MS = 4_000;
const SIGN_MS = 3_000;

const GOODBYE_MS = 1_000;

/** By the server's clock; with the look after it, another process leads within 15 s. */
const SILENT_MS = 9_000;

/** The server notices such a connection's end in 9 s, not in half a minute. */
const SHORT_KEEPALIVE =
  "SET tcp_keepalives_idle = 3; SET tcp_keepalives_interval = 3; SET tcp_keepalives_count = 2";

const HOLDER = `FROM pg_locks AS held JOIN pg_stat_activity AS process USING (pid)
  WHERE held.locktype = 'advisory' AND held.granted AND held.classid = 0 AND held.objsubid = 1
    AND held.objid = ${LEAD_LOCK} AND process.datname = current_database()`;

/** Ends a leader that gives no sign of life: stopped, or beyond a network that drops everything. */
const endSilent = (ms: number) =>
  `SELECT pg_terminate_backend(process.pid) AS ended ${HOLDER}
  AND clock_timestamp() - process.state_change > interval '${ms} ms'`;

interface LeadPorts {
  readonly login: ServerLogin;
  readonly clock: Clock;
  /** Only tests replace it. */
  readonly silentMs?: number;
}

/** Whether somebody leads; a leader that is silent is ended on the way. */
async function isLed(db: Db, silentMs: number): Promise<boolean> {
  // A role that may not end it waits until the server does.
  await db.executeQuery(CompiledQuery.raw(endSilent(silentMs))).catch(() => {});
  const { rows } = await db.executeQuery(CompiledQuery.raw(`SELECT 1 AS held ${HOLDER}`));
  return rows.length > 0;
}

/** Gives signs of life until the signal, or until none is answered in time. */
async function live(connection: LoneConnection, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if (!await within(clock, SIGN_MS, connection.query("SELECT 1"), signal)) return;
    await clock.sleep(SIGN_MS, signal);
  }
}

/** Asks for the lock. */
async function isMine(connection: LoneConnection): Promise<boolean> {
  await connection.query(SHORT_KEEPALIVE);
  const { rows } = await connection.query(`SELECT pg_try_advisory_lock(${LEAD_LOCK}) AS mine`);
  return (rows?.[0] as { mine: number } | undefined)?.mine === 1;
}

async function leadOnce(
  { login, clock }: LeadPorts,
  led: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const connection = await connectAlone(login);
  const over = new AbortController();
  const end = () => over.abort();
  try {
    connection.on("error", end);
    connection.on("end", end);
    const asked = isMine(connection);
    // A network that drops packets answers nothing, and ends no connection for a quarter of an hour.
    if (!await within(clock, SIGN_MS, asked, signal) || !await asked) return;
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    const signs = live(connection, clock, over.signal).catch(() => {}).then(end);
    await led(over.signal);
    end();
    await signs;
  } finally {
    signal.removeEventListener("abort", end);
    // It is broken, or ends with the process; a network that drops packets does not say goodbye.
    await within(clock, GOODBYE_MS, connection.end().catch(() => {}));
  }
}

/** Waits without a connection of its own. */
export function leader(ports: LeadPorts): Lead {
  const { clock, silentMs = SILENT_MS } = ports;
  return async (db, led, signal) => {
    while (!signal.aborted) {
      try {
        if (!await isLed(db as Db, silentMs)) await leadOnce(ports, led, signal);
      } catch {
        // The queries of the engine tell what is wrong with the server.
      }
      await clock.sleep(LOOK_MS, signal);
    }
  };
}
