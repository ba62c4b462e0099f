/** What `svc doctor` says of a database server. */
import type { Clock } from "svc/platform/clock.ts";
import { MIGRATIONS } from "svc/store/migrations/all.ts";
import { sql } from "svc/store/query.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { connectServer } from "./open.ts";
import { SERVER_CONNECTIONS } from "./pool.ts";
import { refuseStrangeServer, serverFacts, versionOf } from "./schema.ts";

/** Beyond it each turn of a job waits noticeably. */
const SLOW_MS = 50;
/** Beyond it times that a node says for itself are misleading beside those of the server. */
const CLOCK_MS = 2_000;

export interface ServerFinding {
  readonly level: "ok" | "warning";
  readonly text: string;
  readonly fix?: string;
}

const ok = (text: string): ServerFinding => ({ level: "ok", text });
const warning = (text: string, fix: string): ServerFinding => ({ level: "warning", text, fix });

interface Session {
  readonly now: number;
  readonly owns: number;
  readonly copy: string;
  readonly ssl: number;
  readonly most: number;
  readonly used: number;
  /** -1 where there is no limit. */
  readonly user_most: number;
  readonly user_used: number;
  readonly database_most: number;
  readonly database_used: number;
}

/** What is nearest to being used up: connections of the server, of the user or of the database. */
function scarcest(session: Session, { user, database }: Pick<ServerLogin, "database" | "user">) {
  const { most, used, user_most, user_used, database_most, database_used } = session;
  const limits = [
    { most, used, of: "", fix: "Raise max_connections" },
    {
      ...{ most: user_most, used: user_used, of: ` of "${user}"` },
      fix: `ALTER ROLE "${user}" CONNECTION LIMIT -1`,
    },
    {
      ...{ most: database_most, used: database_used, of: " of the database" },
      fix: `ALTER DATABASE "${database}" CONNECTION LIMIT -1`,
    },
  ];
  return limits.filter((one) => one.most >= 0).map((one) => ({ ...one, free: one.most - one.used }))
    .reduce((least, one) => one.free < least.free ? one : least);
}

/** Changes nothing. @throws Failure as `openServer`, for a server that cannot be used */
export async function examineServer(
  { clock }: { readonly clock: Clock },
  login: ServerLogin,
): Promise<ServerFinding[]> {
  await using store = connectServer({ clock }, login);
  const { db, path } = store;
  const facts = await serverFacts(db);
  refuseStrangeServer(facts, path);
  const begun = clock.monotonic();
  const { rows: [session] } = await sql<Session>`SELECT
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now,
    has_schema_privilege(current_schema(), 'CREATE') AS owns,
    current_setting('transaction_read_only') AS copy,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      AS most,
    count(*) AS used,
    (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS user_most,
    count(*) FILTER (WHERE usename = current_user) AS user_used,
    (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS database_most,
    count(*) FILTER (WHERE datname = current_database()) AS database_used,
    coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS ssl
    FROM pg_stat_activity WHERE backend_type = 'client backend'`.execute(db);
  const took = clock.monotonic() - begun;
  const { now, owns, copy, ssl } = session!;
  const off = Math.abs(now - (clock.now() - took / 2));
  const { free, most, of, fix } = scarcest(session!, login);
  const schema = await versionOf(db, facts);
  const local = login.host.startsWith("/") || /^(?:127\.|localhost$|::1$)/.test(login.host);
  return [
    ok(`${path}: PostgreSQL ${Math.floor(facts.version / 10_000)}.${facts.version % 10_000}`),
    schema === MIGRATIONS.length
      ? ok(`its schema is that of this svc (${schema})`)
      : ok(`its schema is ${schema} of ${MIGRATIONS.length}; the next command migrates it`),
    owns === 1 ? ok(`"${login.user}" may make tables there`) : warning(
      `"${login.user}" may not make tables there, so no newer svc can migrate it`,
      `ALTER DATABASE "${login.database}" OWNER TO "${login.user}"`,
    ),
    ...(copy === "on"
      ? [warning(
        "it takes no writes: default_transaction_read_only is on, as a host sets it when the disk is full",
        `ALTER DATABASE "${login.database}" RESET default_transaction_read_only`,
      )]
      : []),
    took <= SLOW_MS
      ? ok(`it answers in ${Math.max(1, Math.round(took))} ms`)
      : warning(`it answers in ${Math.round(took)} ms`, "Run svc nearer to it"),
    off <= CLOCK_MS ? ok("its clock and this machine's agree") : warning(
      `its clock and this machine's differ by ${Math.round(off / 1000)} s`,
      "Run NTP on both",
    ),
    free >= SERVER_CONNECTIONS
      ? ok(
        `${free} of ${most} connections${of} are free; svc takes up to ${SERVER_CONNECTIONS} a process`,
      )
      : warning(
        `${free} of ${most} connections${of} are free, and svc takes up to ${SERVER_CONNECTIONS} a process`,
        fix,
      ),
    ssl === 1 || local
      ? ok(
        ssl === 1
          ? `TLS is used (sslmode ${login.tls.mode})`
          : "it is on this machine, without TLS",
      )
      : warning("passwords and jobs go over the network in the clear", "Add ?sslmode=verify-full"),
  ];
}
