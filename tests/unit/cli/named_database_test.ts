/** Who named a database with --db is sent to no other one. */
import assert from "node:assert/strict";
import { svc } from "tests/kit/entrance.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const LISTED = /^try: svc jobs list (?=.*--all)(?=.*--db \S+\/team\/svc\.db)[^;]*$/m;
const ID = "0194f6a0-1111-7000-8000-0123456789ab";

Deno.test("what a named database does not know is looked for there, not in that of svc serve", async () => {
  await using base = await tempFolder();
  await using app = await tempRepo({ files: { "a.txt": "a\n" }, commit: true });
  await using other = await tempRepo({ files: { "a.txt": "a\n" }, commit: true });
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base.path, USER: "ada" };
  const db = `${base.path}/team/svc.db`;
  const run = (...args: string[]) => svc([...args, "--db", db], { env, cwd: base.path });
  assert.equal((await run("register", "--repo", app.path)).code, 0);
  const unknown: readonly (readonly [RegExp, ...string[]])[] = [
    [LISTED, "jobs", "show", ID],
    [LISTED, "jobs", "logs", ID],
    [LISTED, "jobs", "cancel", ID, "--yes"],
    [/^try: svc tickets show .*T-0001\b.*; for jobs of another database/m, "explain", "T-0001"],
    [/^try: Nothing is to be done here; for jobs of another database/m, "cleanup"],
    [/^try: svc start\b.*; for jobs of another database/m, "tickets", "review", "T-0001"],
  ];
  for (const [way, ...words] of unknown) {
    const { code, stderr } = await run(...words, "--repo", other.path);
    assert.notEqual(code, 0, words.join(" "));
    assert.match(stderr, way, `${words.join(" ")}: ${stderr}`);
    assert.doesNotMatch(stderr, /svc-harness/);
  }
});
