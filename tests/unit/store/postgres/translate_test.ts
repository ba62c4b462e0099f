import assert from "node:assert/strict";
import { MIGRATIONS } from "svc/store/migrations/all.ts";
import { storable } from "svc/store/storable.ts";
import { queryText, regexOfGlob, schemaStatements } from "svc/store/postgres/translate.ts";

Deno.test("a pattern of GLOB fits the same texts as a regular expression", () => {
  const fits = (glob: string, text: string) => new RegExp(regexOfGlob(glob), "s").test(text);
  assert.ok(fits("/*", "/a") && !fits("/*", "a/"));
  assert.ok(fits("?*/?*", "a/b") && !fits("?*/?*", "/b"));
  assert.ok(fits("*[^0-9a-f]*", "ag") && !fits("*[^0-9a-f]*", "abc"));
  assert.ok(fits("http*://?*", "https://x") && !fits("http*://?*", "https://"));
  assert.ok(fits("a.b", "a.b") && !fits("a.b", "axb"));
  assert.ok(fits("*[*/@ ]*", "a b") && !fits("*[*/@ ]*", "ab"));
});

Deno.test("no statement of a migration keeps words that only SQLite knows", () => {
  const all = MIGRATIONS.flatMap(({ statements }) => statements.flatMap(schemaStatements)).join(
    ";\n",
  );
  const foreign =
    /\b(?:STRICT|ROWID|AUTOINCREMENT|GLOB|INTEGER|REAL|RAISE\()|\bOR (?:REPLACE (?!FUNCTION)|IGNORE)/;
  assert.doesNotMatch(all, foreign);
});

Deno.test("a trigger that settles conflicts in SQLite's way must be said anew", () => {
  const trigger = `CREATE TRIGGER x AFTER UPDATE OF id ON repos
BEGIN
  UPDATE OR REPLACE y SET repo_id = NEW.id WHERE repo_id = OLD.id;
END`;
  assert.throws(() => schemaStatements(trigger), { message: /say it in SETTLED/ });
});

Deno.test("a query loses its index, and locks the row that it claims", () => {
  assert.equal(
    queryText("SELECT id FROM jobs AS due INDEXED BY jobs_pending LIMIT 1 /* skip locked */"),
    "SELECT id FROM jobs AS due  LIMIT 1 FOR UPDATE SKIP LOCKED",
  );
  assert.equal(queryText("a LIKE 'x'"), "a ILIKE 'x'");
});

Deno.test("what PostgreSQL does not store becomes U+FFFD; all else stays", () => {
  assert.equal(storable("a\0b\ud800c😀"), "a\ufffdb\ufffdc😀");
  const json = JSON.stringify({ a: "x\0\ud800y", b: "\\u0000", c: "😀" });
  assert.deepEqual(JSON.parse(storable(json)), { a: "x\ufffd\ufffdy", b: "\\u0000", c: "😀" });
  assert.equal(storable('{"a":"\\ud83d\\ude00"}'), '{"a":"\\ud83d\\ude00"}');
  assert.equal(storable("say \\u0000"), "say \\u0000");
});

Deno.test("the checks of a table that is written often become a trigger", () => {
  const [table, body, trigger] = schemaStatements(`CREATE TABLE jobs (
  id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
  role TEXT CHECK (role IN ('id (', 'it''s')),
  CHECK ((role IS NULL) = (id <> '')),
  CHECK (id <> role)
) STRICT`);
  assert.equal(
    table!.replaceAll(/\s+/g, " "),
    'CREATE TABLE jobs ( id TEXT COLLATE "C" NOT NULL PRIMARY KEY , role TEXT COLLATE "C" )',
  );
  const tests = [...body!.matchAll(/IF \((.*)\) IS FALSE/g)].map(([, test]) => test);
  assert.deepEqual(tests, [
    "length(NEW.id) = 36",
    "NEW.role IN ('id (', 'it''s')",
    "(NEW.role IS NULL) = (NEW.id <> '')",
    "NEW.id <> NEW.role",
  ]);
  assert.match(trigger!, /^CREATE TRIGGER jobs_checked BEFORE INSERT OR UPDATE ON jobs/);
});
