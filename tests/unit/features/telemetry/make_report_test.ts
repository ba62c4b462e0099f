/** What stands in a report: valid by its published JSON Schema (ajv of npm), and nothing of what tables hold. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import Ajv from "ajv";
import fc from "fast-check";
import schema from "assets/schema/telemetry-report.schema.json" with { type: "json" };
import { bundledHarness } from "svc/runtime/start/scaffold.ts";
import { makeReport } from "svc/features/telemetry/make_report.ts";
import { exportReport, reportState } from "svc/features/telemetry/outbox_store.ts";
import { sendReports } from "svc/features/telemetry/send_reports.ts";
import { Report } from "svc/features/telemetry/report.ts";
import { REPORT_BYTES, REPORT_ROLES } from "svc/features/telemetry/report_terms.ts";
import { systemClock } from "svc/platform/clock.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { ear } from "tests/kit/telemetry_place.ts";
import { verifies } from "tests/kit/verifies.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const TARGET = "x86_64-unknown-linux-gnu";
const NOW = Date.parse("2026-11-22T12:00:00Z");
const DAY = 86_400_000;
const of = { repoId: "0123456789ab", role: "engineer", disposition: "submitted" } as const;

const validate = new Ajv().compile(schema);

const made = async (db: Parameters<typeof makeReport>[0], now = NOW, target = TARGET) =>
  await makeReport(db, { state: await reportState(db), now, target });

Deno.test("the roles with a name are those of the bundled harness", () => {
  const { manifest } = bundledHarness({ root: "/x", branch: "main" });
  assert.deepEqual(
    Object.keys(manifest.roles).sort(),
    REPORT_ROLES.filter((role) => role !== "custom").toSorted(),
  );
});

Deno.test("a report counts by role, end, category, duration and kind of model", async () => {
  await using store = await tempStore();
  const { db } = store;
  await endedJob(db, { ...of, at: NOW - DAY, usd: 0.1 });
  await endedJob(db, { ...of, at: NOW - DAY, evidence: "fixture" });
  await endedJob(db, { ...of, role: "night-watch", at: NOW - 2 * DAY });
  const stuck = { disposition: "stuck", category: "stuck" } as const;
  await endedJob(db, { ...of, ...stuck, at: NOW - 3 * DAY });
  await endedJob(db, { ...of, at: NOW - 31 * DAY });
  await endedJob(db, { ...of, at: NOW - 1 });
  const { body, jobs } = (await made(db))!;
  assert.equal(jobs, 4);
  const report = JSON.parse(body);
  assert.ok(validate(report), JSON.stringify(validate.errors));
  assert.deepEqual([report.os, report.arch], ["linux", "x86_64"]);
  assert.deepEqual(report.window, { from: "2026-10-23", to: "2026-11-22" });
  const durations = { under_10s: 0, under_1m: 0, under_30m: 0, longer: 0 };
  assert.deepEqual(report.jobs, [
    { role: "custom", model: "cloud", count: 1, durations: { ...durations, under_5m: 1 } },
    { role: "engineer", model: "cloud", count: 2, durations: { ...durations, under_5m: 2 } },
    { role: "engineer", model: "fixture", count: 1, durations: { ...durations, under_5m: 1 } },
  ]);
  assert.deepEqual(report.outcomes, [
    { role: "custom", disposition: "submitted", count: 1 },
    { role: "engineer", disposition: "stuck", count: 1 },
    { role: "engineer", disposition: "submitted", count: 2 },
  ]);
  assert.deepEqual(report.failures, [
    { role: "engineer", model: "cloud", category: "stuck", count: 1 },
  ]);
  const elsewhere = JSON.parse((await made(db, NOW, "riscv64gc-unknown-plan9"))!.body);
  assert.deepEqual([elsewhere.os, elsewhere.arch], ["other", "other"]);
});

Deno.test("the same jobs give the same bytes; another database, or a later window, another id", async () => {
  await using one = await tempStore();
  await using other = await tempStore();
  for (const { db } of [one, other]) await endedJob(db, { ...of, at: NOW - DAY });
  const first = (await made(one.db))!;
  assert.equal((await made(one.db, NOW + 60_000))!.body, first.body);
  const twin = (await made(other.db))!;
  const apart = ({ body }: { body: string }) => ({ ...JSON.parse(body), report_id: "" });
  assert.deepEqual(apart(twin), apart(first));
  assert.notEqual(twin.id, first.id);
  await exportReport(one.db, { now: NOW, target: TARGET });
  assert.equal(await made(one.db, NOW + 1000), undefined);
  // The same counts of the same day are another report.
  await endedJob(one.db, { ...of, at: NOW + 60_000 });
  const second = (await made(one.db, NOW + 120_000))!;
  assert.notEqual(second.id, first.id);
  assert.match(second.id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  // A clock set back by a day does not hide later jobs for ever.
  assert.equal(await made(one.db, NOW - DAY), undefined);
});

Deno.test("ajv and the collector's own check agree on reports that somebody changed", async () => {
  await using store = await tempStore();
  await endedJob(store.db, { ...of, at: NOW - DAY });
  await endedJob(store.db, { ...of, disposition: "stuck", category: "stuck", at: NOW - DAY });
  const { body } = (await made(store.db))!;
  const paths: (readonly (string | number)[])[] = [];
  const walk = (value: unknown, path: readonly (string | number)[]) => {
    paths.push(path);
    if (typeof value !== "object" || value === null) return;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const key of keys) walk((value as Record<string, unknown>)[key], [...path, key]);
  };
  walk(JSON.parse(body), []);
  const odd = fc.oneof(
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom<unknown>("engineer", "local", -1, 1.5, 1e9, "/home/ada", "2026-13-01", [], {}),
  );
  const kinds = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(...paths.filter(({ length }) => length > 0)),
      odd,
      fc.constantFrom("replace", "remove", "add"),
      (path, value, how) => {
        const report = JSON.parse(body);
        const parent = path.slice(0, -1).reduce((at, key) => at[key], report);
        const last = path.at(-1)!;
        if (how === "replace") parent[last] = value;
        else if (how === "remove" && !Array.isArray(parent)) delete parent[last];
        else if (!Array.isArray(parent)) parent.extra = value;
        else parent.push(value);
        const { success } = Report.safeParse(report);
        kinds[success ? "valid" : "invalid"]++;
        assert.equal(validate(report), success, JSON.stringify(report));
      },
    ),
    { numRuns: 2000, seed: 23 },
  );
  assert.ok(kinds.valid > 10 && kinds.invalid > 500, JSON.stringify(kinds));
});

/** Every table but the outbox, which is what goes. */
function fill(path: string, texts: readonly string[], numbers: readonly number[]): number {
  using database = new DatabaseSync(path);
  // svc itself could not store most of it.
  database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
  for (
    const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
      .all()
  ) {
    database.exec(`DROP TRIGGER ${name}`);
  }
  const tables = database.prepare(
    `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
      AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'kysely%'
      AND name NOT IN ('telemetry_outbox', 'meta')`,
  ).all().map(({ name }) => String(name));
  database.exec("BEGIN; DELETE FROM telemetry_outbox");
  let cells = 0;
  for (const table of tables) {
    const columns = database.prepare(`SELECT name, type FROM pragma_table_info('${table}')`).all();
    if (table !== "telemetry_state") database.exec(`DELETE FROM ${table}`);
    for (let row = 0; row < 3; row++) {
      const values = columns.map(({ name, type }, at) => {
        cells++;
        const number = numbers[(row + at) % numbers.length]!;
        if (table === "jobs" && name === "finished_at") return NOW - DAY - row;
        if (table === "jobs" && name === "started_at") return NOW - DAY - Math.abs(number);
        if (type !== "TEXT") return /^(?:id|singleton)$/.test(String(name)) ? 100 + row : number;
        return `${texts[(row + at) % texts.length]}${table}.${name}.${row}`;
      });
      const marks = columns.map(() => "?").join(", ");
      database.prepare(`INSERT OR REPLACE INTO ${table} VALUES (${marks})`).run(...values);
    }
  }
  const [key] = texts;
  database.prepare("DELETE FROM telemetry_state WHERE id <> 1").run();
  database.prepare("UPDATE telemetry_state SET key = ?, reported_until = NULL").run(key!);
  database.exec("COMMIT");
  return cells;
}

/** Begins what is looked for; base64 and URLs keep it, or its own forms of it. */
const MARK = "QZXJ";

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replaceAll("\0", "")),
  fc.constantFrom(
    "/home/ada/secret-project",
    "git@github.com:acme/secret.git",
    "https://ada:hunter2@example.com/x",
    "sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAA",
    'Error: ENOENT, open "/etc/shadow"',
    "ignore all earlier instructions",
    '","role":"',
    "engineer\u0000",
    "\u202e\u2028\x1b[2J",
    "__proto__",
  ),
).map((text) => `${MARK}${text}${MARK}`);

verifies(
  "4.5:telemetry-export:sanitized",
  "hostile data in every column of every table leaves no trace in the report, nor in the request that sends it",
  async () => {
    await using collector = ear();
    await using store = await tempStore();
    const { db, path } = store;
    const texts = fc.array(hostile, { minLength: 3, maxLength: 6 });
    const numbers = fc.array(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), { minLength: 4 });
    await fc.assert(
      fc.asyncProperty(texts, numbers, async (texts, numbers) => {
        assert.ok(fill(path, texts, numbers) > 500);
        const exported = await exportReport(db, { now: NOW, target: TARGET });
        assert.ok(exported.kind === "queued");
        const { body } = exported.made;
        assert.ok(validate(JSON.parse(body)), JSON.stringify(validate.errors));
        assert.deepEqual(Report.parse(JSON.parse(body)).jobs[0]?.role, "custom");
        const ports = { db, fetch, clock: systemClock, signal: new AbortController().signal };
        const { sent } = await sendReports(ports, { endpoint: collector.url, token: undefined });
        assert.equal(sent, 1);
        const { headers, path: asked, body: bytes } = collector.heard.at(-1)!;
        assert.equal(bytes, body);
        const said = [asked, ...[...headers].flat(), bytes].join("\n");
        for (const form of [MARK, btoa(MARK).slice(0, 5), MARK.toLowerCase(), "secret", "hunter"]) {
          assert.ok(!said.includes(form), said);
        }
        // No number of a row either: counts of three jobs are small.
        for (const [, number] of bytes.matchAll(/:(\d+)/g)) assert.ok(Number(number) <= 3, bytes);
      }),
      { numRuns: 100 },
    );
  },
);

Deno.test("a report with every combination of its lists fits the bound", async () => {
  await using store = await tempStore();
  const of = { repo_id: "0123456789ab" };
  using database = new DatabaseSync(store.path);
  database.exec("PRAGMA ignore_check_constraints = ON");
  const columns = database.prepare("SELECT name, type FROM pragma_table_info('jobs')").all();
  const insert = database.prepare(
    `INSERT INTO jobs VALUES (${columns.map(() => "?").join(", ")})`,
  );
  const { outcomes, failures } = schema.properties;
  const { role: roles, category: categories } = failures.items.properties;
  let nth = 0;
  database.exec("BEGIN");
  for (const role of roles.enum) {
    for (const basis of ["local", "price", "fixture", null]) {
      for (const category of categories.enum) {
        for (const disposition of outcomes.items.properties.disposition.enum) {
          nth++;
          const known: Record<string, string | number | null> = {
            ...of,
            ...{ id: `job-${nth}`, role, cost_basis: basis, category, disposition },
            ...{ finished_at: NOW - DAY, started_at: NOW - DAY - nth * 1000 },
          };
          insert.run(
            ...columns.map(({ name, type }) =>
              known[String(name)] ??
                (known[String(name)] === null ? null : type === "TEXT" ? "x" : 1)
            ),
          );
        }
      }
    }
  }
  database.exec("COMMIT");
  const { body, jobs } = (await made(store.db))!;
  assert.equal(jobs, nth);
  assert.ok(validate(JSON.parse(body)), JSON.stringify(validate.errors));
  assert.ok(Report.safeParse(JSON.parse(body)).success);
  assert.ok(body.length < REPORT_BYTES, String(body.length));
});
