/** Servers whose owners chose other defaults: svc's sessions are as it needs them. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { isStale } from "svc/store/postgres/errors.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { connectAlone } from "svc/store/postgres/pool.ts";
import { sql } from "svc/store/query.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";

const ignore = POSTGRES === undefined;

verifies(
  "2.1:shared-database:holds-serve-state",
  "a server's own isolation, times and formats change nothing for svc",
  { ignore },
  async () => {
    await using cluster = await startCluster({
      settings: [
        "default_transaction_isolation = 'serializable'",
        "idle_session_timeout = '5min'",
        "statement_timeout = '5min'",
        "timezone = 'America/St_Johns'",
        "datestyle = 'german'",
      ],
    });
    const login = await cluster.database();
    // Each waits for the turn of the one before, and has to see its tables then.
    const nodes = Array.from({ length: 4 }, () => openServer({ clock: systemClock }, login));
    const stores = await Promise.all(nodes);
    const { rows } = await sql`SELECT current_setting('transaction_isolation') AS isolation,
      current_setting('idle_session_timeout') AS idle, current_setting('timezone') AS zone`
      .execute(stores[0]!.db);
    assert.deepEqual(rows, [{ isolation: "read committed", idle: "0", zone: "UTC" }]);
    for (const store of stores) await store[Symbol.asyncDispose]();
  },
);

verifies(
  "2.1:shared-database:holds-serve-state",
  "a prepared statement that is out of date is told in any language of the server",
  { ignore },
  async () => {
    await using cluster = await startCluster();
    const connection = await connectAlone(await cluster.database());
    await connection.query("CREATE TABLE t (a int)");
    const prepared = { name: "one", text: "SELECT * FROM t WHERE a = $1", values: [1] };
    await connection.query(prepared);
    await connection.query("ALTER TABLE t ADD COLUMN b int");
    const thrown = await connection.query(prepared).then(() => undefined, (fault) => fault);
    await connection.end();
    assert.equal(thrown.message, "cached plan must not change result type");
    // As with lc_messages = 'de_DE.UTF-8'.
    thrown.message = "gecachter Plan darf den Ergebnistyp nicht ändern";
    assert.equal(isStale(thrown), true);
  },
);
