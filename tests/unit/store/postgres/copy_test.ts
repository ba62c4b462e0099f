/** A database between a file and a real server, and back. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { claimNext, enqueue, finish } from "svc/features/jobs/job_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { copyDatabase } from "svc/store/copy.ts";
import { openStore } from "svc/store/open.ts";
import { openServer } from "svc/store/postgres/open.ts";
import { sql } from "svc/store/query.ts";
import type { Db } from "svc/store/schema.ts";
import { TABLES } from "svc/store/tables.ts";
import { POSTGRES, startCluster } from "tests/kit/postgres.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { ports } from "tests/unit/store/temp_store.ts";

const REPO = "aaaaaaaaaaaa";
const ORDER = { repo_id: REPO, role: "qa", trigger: "manual", source_trust: "observer" } as const;

/** Rows of every kind of value, and more of one table than a page. */
async function fill(db: Db): Promise<void> {
  const at = 1_700_000_000_000;
  await db.insertInto("meta").values([
    { key: "git_dir:/a", value: "mark" },
    { key: "repo_path", value: "/a" },
  ]).execute();
  for (let nth = 0; nth < 3; nth++) {
    await enqueue(db, { ...ORDER, payload: { text: `é😀 ${nth}` }, parallel: nth === 1 }, at + nth);
  }
  const job = (await claimNext(db, { owner: "w", now: at + 9 }))!;
  await finish(db, job, {
    disposition: "reported",
    cost_basis: "price",
    cost_usd: 0.25,
    tokens_in: 7,
  }, at + 10);
  await db.transaction().execute(async (tx) => {
    for (let nth = 0; nth < 1_203; nth++) {
      await recordEvent(tx, { type: "telemetry", data: { nth } }, at + nth);
      // Keys of several columns, of which a page ends amid those that share the first.
      await tx.insertInto("deliveries").values({
        ...{ source: nth % 2 === 0 ? "github" : "linear", id: `é${nth}`, event: "ping" },
        ...{ subject: null, repo_id: null, outcome: "ignored", reason: "x", received_at: at },
      }).execute();
    }
  });
}

Deno.test("the tables that are copied are those of a fresh database, with their keys", async () => {
  await using folder = await tempFolder();
  await using store = await openStore(ports, `${folder.path}/svc.db`);
  const { rows } = await sql<{ name: string }>`SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'kysely%'`.execute(
    store.db,
  );
  const found: Record<string, string[]> = {};
  for (const { name } of rows) {
    const key = await sql<{ name: string }>`SELECT name FROM pragma_table_info(${name})
      WHERE pk > 0 ORDER BY pk`.execute(store.db);
    found[name] = key.rows.map((column) => column.name);
  }
  assert.deepEqual(found, { ...TABLES });
});

Deno.test("a copy pages along the keys, and reads no rows again to skip them", async () => {
  await using folder = await tempFolder();
  await using file = await openStore(ports, `${folder.path}/svc.db`);
  await using copy = await openStore(ports, `${folder.path}/copy.db`);
  await fill(file.db);
  const plans: string[] = [];
  const db = file.db.withPlugin({
    transformQuery({ node, queryId }) {
      plans.push(file.db.getExecutor().compileQuery(node, queryId).sql);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  });
  await copyDatabase({ ...file, db }, copy);
  const pages = plans.filter((sql) => /"(?:events|deliveries)"/.test(sql));
  assert.equal(pages.length, 6);
  for (const page of pages) {
    const { rows } = await sql<{ detail: string }>`EXPLAIN QUERY PLAN ${
      sql.raw(page.replaceAll("?", "1"))
    }`.execute(file.db);
    const details = rows.map(({ detail }) => detail);
    const read = /WHERE/.test(page) ? /^SEARCH \w+ USING .*>/ : /^SCAN /;
    assert.ok(details.length === 1 && read.test(details[0]!), `${page}: ${details}`);
    assert.doesNotMatch(page, /OFFSET/);
  }
});

Deno.test({
  name: "a database is copied to a server and back, whole or not at all",
  ignore: POSTGRES === undefined,
  async fn(t) {
    await using cluster = await startCluster();
    await using folder = await tempFolder();
    await using file = await openStore(ports, `${folder.path}/svc.db`);
    await fill(file.db);
    await using server = await openServer({ clock: systemClock }, await cluster.database());
    const there = await copyDatabase(file, server);

    await t.step("with the same rows, and ids that go on", async () => {
      const counts = Object.fromEntries(there.map(({ table, rows }) => [table, rows]));
      assert.deepEqual([counts.jobs, counts.events, counts.meta], [3, 1_203, 1]);
      assert.equal(counts.deliveries, 1_203);
      assert.equal(await recordEvent(server.db, { type: "telemetry", data: {} }, 1), 1_204);
      await server.db.deleteFrom("events").where("id", "=", 1_204).execute();
      await using back = await openStore(ports, `${folder.path}/back.db`);
      assert.deepEqual(await copyDatabase(server, back), there);
      const all = (db: Db) => db.selectFrom("jobs").selectAll().orderBy("id").execute();
      assert.deepEqual(await all(back.db), await all(file.db));
    });

    await t.step("not into one that holds anything, nor while a job runs", async () => {
      await assert.rejects(copyDatabase(file, server), {
        code: "conflict",
        message: /^Cannot copy into ".*": its table jobs has rows$/,
      });
      await claimNext(file.db, { owner: "w", now: Date.now() });
      await using empty = await openServer({ clock: systemClock }, await cluster.database());
      await assert.rejects(copyDatabase(file, empty), { message: /: job \S+ runs$/ });
    });

    await t.step(
      "not in part: what reads back otherwise, or breaks off, leaves nothing",
      async () => {
        await using empty = await openServer({ clock: systemClock }, await cluster.database());
        await sql.raw(`CREATE FUNCTION forge() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN NEW.at := NEW.at + 1; RETURN NEW; END'`).execute(empty.db);
        await sql.raw(`CREATE TRIGGER forge BEFORE INSERT ON events FOR EACH ROW
        WHEN (NEW.id = 700) EXECUTE FUNCTION forge()`).execute(empty.db);
        await assert.rejects(copyDatabase(server, empty), {
          message: /^Cannot copy events: it reads back/,
        });
        for (const table of ["jobs", "events"] as const) {
          assert.deepEqual(await empty.db.selectFrom(table).select("id").execute(), []);
        }
      },
    );
  },
});
