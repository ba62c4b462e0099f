/** The schema on a real server: migrated once by many, refused where it is not this svc's. */
import assert from "node:assert/strict";
import { VERSION } from "svc/core/version.ts";
import { systemClock } from "svc/platform/clock.ts";
import { type Migration, MIGRATIONS } from "svc/store/migrations/all.ts";
import { openServer, openServerToRead } from "svc/store/postgres/open.ts";
import { sql } from "svc/store/query.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import { addressOf, POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";
import { declaredTables } from "tests/kit/declared_tables.ts";

const ports = { clock: systemClock };
const later = (number: number): Migration => ({
  name: `000${number}_later`,
  statements: [`CREATE TABLE later_${number} (a INTEGER NOT NULL) STRICT`],
});
const FIRST = [...MIGRATIONS.slice(0, 8)];
const then = (
  count: number,
) => [...FIRST, ...Array.from({ length: count }, (_, at) => later(at + 9))];

async function seen<R>(login: ServerLogin, migrations: readonly Migration[], query: string) {
  await using store = await openServer(ports, login, migrations);
  return (await sql.raw<R>(query).execute(store.db)).rows;
}

const TYPES: Readonly<Record<string, string>> = {
  text: "TEXT",
  bigint: "INTEGER",
  "double precision": "REAL",
};

verifies(
  "2.1:shared-database:holds-serve-state",
  "the schema of a PostgreSQL database",
  { ignore: POSTGRES === undefined },
  async (t) => {
    await using cluster = await startCluster();

    await t.step(
      "has the columns that the row types say, and compares texts by their bytes",
      async () => {
        await using store = await openServer(ports, await cluster.database());
        const { rows } = await sql<
          { table: string; name: string; type: string; null: string; collation: string | null }
        >`SELECT table_name AS table, column_name AS name, data_type AS type, is_nullable AS null,
        collation_name AS collation FROM information_schema.columns WHERE table_schema = 'public'`
          .execute(store.db);
        const found: Record<string, Record<string, string>> = {};
        for (const column of rows) {
          (found[column.table] ??= {})[column.name] = TYPES[column.type]! +
            (column.null === "NO" ? " NOT NULL" : "");
          if (column.type === "text") assert.equal(column.collation, "C", column.name);
        }
        const declared = await declaredTables();
        assert.deepEqual(
          found,
          Object.fromEntries(declared.map(({ name, columns }) => [name, columns])),
        );
      },
    );

    await t.step(
      "is made once by many nodes that open it at once, and then migrated once",
      async () => {
        const login = await cluster.database();
        const count = "SELECT count(*) AS n FROM meta WHERE key LIKE 'migration:%later'";
        for (const steps of [0, 3]) {
          const all = await Promise.all(
            Array.from({ length: 6 }, () => seen(login, then(steps), count)),
          );
          assert.deepEqual(all, Array(6).fill([{ n: steps }]));
        }
      },
    );

    await t.step(
      "is refused when a newer svc made it, or another text of a migration did",
      async () => {
        const login = await cluster.database();
        await seen(login, then(2), "SELECT 1");
        await assert.rejects(seen(login, then(1), "SELECT 1"), {
          code: "conflict",
          message: `Cannot use the database "${
            addressOf(login)
          }": its schema is version 10, and this svc knows 9`,
        });
        const edited = then(2).map((one) => ({
          ...one,
          statements: one.statements.map((text) => `${text} `),
        }));
        await assert.rejects(seen(login, edited, "SELECT 1"), {
          message: /is not the one of this svc$/,
        });
        assert.equal(await openServerToRead(ports, await cluster.database()), undefined);
      },
    );

    await t.step(
      "keeps the functions of a newer svc, and replaces those of an older one",
      async () => {
        const login = await cluster.database();
        const value = async (written: string) => {
          await seen(login, FIRST, "SELECT 1");
          const key = "key = 'migration:postgres_words'";
          await cluster.psql(`UPDATE meta SET value = '${written}' WHERE ${key}`, login.database);
          await seen(login, FIRST, "SELECT 1");
          return (await seen<{ value: string }>(
            login,
            FIRST,
            `SELECT value FROM meta WHERE ${key}`,
          ))[0]!
            .value;
        };
        assert.equal(await value("newer 99.0.0"), "newer 99.0.0");
        for (const older of ["older 0.0.1", "older"]) {
          assert.match(await value(older), new RegExp(`^[0-9a-f]{64} ${RegExp.escape(VERSION)}$`));
        }
      },
    );

    await t.step("stays as it was where a migration fails", async () => {
      const login = await cluster.database();
      await seen(login, then(1), "SELECT 1");
      const broken = {
        name: "0010_broken",
        statements: [...later(10).statements, "CREATE NONSENSE"],
      };
      await assert.rejects(seen(login, [...then(1), broken], "SELECT 1"), /syntax error/);
      const tables = "SELECT tablename FROM pg_tables WHERE tablename LIKE 'later_10'";
      assert.deepEqual(await seen(login, then(1), tables), []);
    });

    await t.step(
      "is not put among the tables of another program, nor on a server that cannot keep it",
      async () => {
        const login = await cluster.database();
        await cluster.psql("CREATE TABLE theirs (a int)", login.database);
        await assert.rejects(openServer(ports, login), {
          code: "usage",
          message: /another program made its tables$/,
        });
        await cluster.psql(
          "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'",
        );
        await assert.rejects(openServer(ports, { ...login, database: "latin" }), {
          message: /its encoding is LATIN1$/,
        });
        await assert.rejects(openServer(ports, { ...login, database: "absent" }), {
          message: /the server has no such database$/,
        });
      },
    );

    await t.step(
      "keeps each follower of a repo that moves, where SQLite replaces or ignores",
      async () => {
        await using store = await openServer(ports, await cluster.database());
        const { db } = store;
        const [old, own] = ["aaaaaaaaaaaa", "bbbbbbbbbbbb"];
        const say = (text: string) => sql.raw(text).execute(db);
        await say(
          `INSERT INTO repos (id, path, branch, created_at, updated_at) VALUES ('${old}', '/a', 'main', 1, 1)`,
        );
        for (const [id, at] of [[old, 5], [own, 9]] as const) {
          await say(`INSERT INTO schedules VALUES ('${id}', 'qa', 'daily', ${at})`);
          await say(`INSERT INTO check_waivers VALUES ('${id}', 'of ${id}', ${at})`);
          await say(
            `INSERT INTO tool_approvals VALUES ('${id}', 't', '${
              "0".repeat(64)
            }', 'person', ${at})`,
          );
          await say(
            `INSERT INTO job_commits VALUES ('${id}', 'svc/x', '${
              "1".repeat(40)
            }', 'job of ${id}', 'qa', ${at})`,
          );
        }
        await say(`INSERT INTO schedules VALUES ('${own}', 'ceo', 'weekly', 3)`);
        await say(`UPDATE repos SET id = '${own}'`);
        const { rows } =
          await sql`SELECT role, counted_to FROM schedules WHERE repo_id = ${own} ORDER BY role`
            .execute(db);
        assert.deepEqual(rows, [{ role: "ceo", counted_to: 3 }, { role: "qa", counted_to: 5 }]);
        const of = async (table: string, column: string) =>
          (await sql.raw(`SELECT ${column} AS it FROM ${table} WHERE repo_id = '${own}'`).execute(
            db,
          )).rows;
        assert.deepEqual(await of("check_waivers", "waived_at"), [{ it: 5 }]);
        assert.deepEqual(await of("tool_approvals", "approved_at"), [{ it: 5 }]);
        assert.deepEqual(await of("job_commits", "at"), [{ it: 9 }]);
      },
    );
  },
);
