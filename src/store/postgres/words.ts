/** Functions that give PostgreSQL the words of SQLite in which svc's queries are written. */

/** Taken by each transaction that writes, as SQLite's write lock is; shared by those of one repo. */
export const TURN_LOCK = 0x7376_6301;

/** Held, on a connection of its own, by the process that leads its team. */
export const LEAD_LOCK = 0x7376_6302;

/** Held, beside others, by each transaction that stores an event, until it has ended. */
export const EVENTS_LOCK = 0x7376_6308;

/** Told when a job was queued. */
export const JOBS_CHANNEL = "svc_jobs";

const pure = (name: string, takes: string, gives: string, body: string) =>
  `CREATE OR REPLACE FUNCTION ${name}(${takes}) RETURNS ${gives}
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ ${body} $$`;

/** Replayed whenever their text changed; nothing here holds data. */
export const WORDS: readonly string[] = [
  `CREATE OR REPLACE FUNCTION json_valid(value text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE
  AS $$ BEGIN PERFORM $1::json; RETURN CASE WHEN $1 IS NOT NULL THEN true END; EXCEPTION WHEN others THEN RETURN false; END $$`,
  pure(
    "json_type",
    "value text",
    "text",
    "SELECT CASE WHEN json_valid($1) THEN json_typeof($1::json) END",
  ),
  pure(
    "json_array_length",
    "value text",
    "integer",
    "SELECT CASE json_type($1) WHEN 'array' THEN json_array_length($1::json) ELSE 0 END",
  ),
  // An array of texts, or of objects as text.
  pure(
    "json_each",
    "list text",
    "TABLE (value text)",
    "SELECT one.value FROM json_array_elements_text($1::json) AS one(value)",
  ),
  // "$.key", "$[0].key" or a key; true and false are 1 and 0, as SQLite has them.
  pure(
    "json_extract",
    "value text, path text",
    "text",
    `SELECT CASE json_typeof(found.part) WHEN 'boolean' THEN (found.part #>> '{}')::boolean::int::text
      ELSE found.part #>> '{}' END FROM (SELECT $1::json #> CASE WHEN left($2, 1) = '$'
      THEN string_to_array(replace(replace(ltrim($2, '$.'), '[', ''), ']', ''), '.')
      ELSE ARRAY[$2] END AS part) AS found`,
  ),
  "DROP OPERATOR IF EXISTS ->> (text, text)",
  "CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_extract)",
  pure("instr", "value text, part text", "integer", "SELECT strpos($1, $2)"),
  pure("iif", "test boolean, yes text, no text", "text", "SELECT CASE WHEN $1 THEN $2 ELSE $3 END"),
  // Rounds the exact decimal, as SQLite does; PostgreSQL has it for `numeric` alone.
  pure(
    "round",
    "value double precision, places integer",
    "double precision",
    "SELECT round($1::numeric, $2)::double precision",
  ),
  // Two random UUIDs hold 244 random bits (RFC 9562 section 5.4).
  `CREATE OR REPLACE FUNCTION randomblob(bytes integer) RETURNS text LANGUAGE sql VOLATILE
  AS $$ SELECT left(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 2 * $1) $$`,
  pure("hex", "value text", "text", "SELECT upper($1)"),
  pure("max", "one bigint, other bigint", "bigint", "SELECT greatest($1, $2)"),
  pure(
    "date",
    "seconds bigint, unit text",
    "text",
    "SELECT to_char(to_timestamp($1) AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
  ),
  // Epoch ms by the clock of the server, the only one that all nodes share; what a node takes for it is not used.
  `CREATE OR REPLACE FUNCTION svc_now(said bigint) RETURNS bigint LANGUAGE sql VOLATILE
  AS $$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$`,
  // Transactions that concern one repo alone take turns with those of the same repo, and with all others.
  `CREATE OR REPLACE FUNCTION svc_take_turn_of(repo_id text) RETURNS void LANGUAGE plpgsql
  AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${TURN_LOCK});
  PERFORM pg_advisory_xact_lock(${TURN_LOCK}, hashtext(repo_id)); END $$`,
  // Before its id is given, so that who misses an id can see whether somebody may still store it.
  `CREATE OR REPLACE FUNCTION svc_begin_event() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(${EVENTS_LOCK}); RETURN NULL; END $$`,
  `CREATE OR REPLACE FUNCTION svc_event_writers() RETURNS SETOF text LANGUAGE sql VOLATILE
  AS $$ SELECT virtualtransaction FROM pg_locks WHERE locktype = 'advisory' AND classid = 0
    AND objid = ${EVENTS_LOCK} AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) $$`,
  `CREATE OR REPLACE FUNCTION svc_tell_of_jobs() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN PERFORM pg_notify('${JOBS_CHANNEL}', ''); RETURN NULL; END $$`,
];

/** After the tables exist: what a server alone has. */
export const TRIGGERS: readonly string[] = [
  "CREATE OR REPLACE TRIGGER events_in_turn BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION svc_begin_event()",
  // A claim jumps from one role of a repo to the next where many jobs wait for roles that are busy.
  "CREATE INDEX IF NOT EXISTS jobs_waiting ON jobs (repo_id, role, parallel, priority, run_after, id) WHERE status = 'pending'",
  "CREATE OR REPLACE TRIGGER jobs_told AFTER INSERT ON jobs FOR EACH STATEMENT EXECUTE FUNCTION svc_tell_of_jobs()",
];
