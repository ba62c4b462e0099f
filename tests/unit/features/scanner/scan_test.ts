import assert from "node:assert/strict";
import { BASELINE_PATH, serializeBaseline } from "svc/features/guardrails/baseline.ts";
import { Fingerprints, newKey } from "svc/features/guardrails/fingerprint.ts";
import { DAY_MS } from "svc/features/scanner/rule.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { scanned } from "./scanned.ts";

const COMMITTED = Date.parse("2026-01-02T03:04:05Z");
const FILES = {
  "README.md": "# Shed\n\n[plan](plan.md)\n",
  "src/a.ts": "// TODO: paint\nexport const a = 1;\n",
  "src/b.ts": "export const b = process.env.SHED_DOOR;\n",
  "image.bin": new Uint8Array([0, 1, 2, 0]),
};

async function cacheFile(home: string): Promise<string> {
  const [entry] = await Array.fromAsync(Deno.readDir(`${home}/cache/scan`));
  return `${home}/cache/scan/${entry!.name}`;
}

Deno.test("scan reads a file again only when it changed", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  await using home = await tempFolder();
  await repo.write("new.md", "new\n");
  const first = await scanned(repo.path, home.path);
  assert.deepEqual(first.paths.toSorted(), [...Object.keys(FILES), "new.md"].toSorted());

  const second = await scanned(repo.path, home.path);
  assert.deepEqual(second.paths, []);
  assert.deepEqual(second.findings, first.findings);

  await repo.write("src/a.ts", "export const a = 2;\n");
  await repo.write("new.md", "newer\n");
  assert.deepEqual((await scanned(repo.path, home.path)).paths.toSorted(), ["new.md", "src/a.ts"]);
  assert.deepEqual((await scanned(repo.path, home.path)).paths, []);

  // Committing gives the same bytes another identity: git's own.
  await repo.commit("second");
  assert.deepEqual((await scanned(repo.path, home.path)).paths.toSorted(), ["new.md", "src/a.ts"]);
  await Deno.remove(`${repo.path}/src/b.ts`);
  const last = await scanned(repo.path, home.path);
  assert.deepEqual(last.paths, []);
  assert.equal(last.counts.files, 4);
  assert.equal(last.findings.some(({ path }) => path === "src/b.ts"), false);
});

Deno.test("scan rebuilds a cache that is damaged, foreign or gone", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  await using home = await tempFolder();
  const first = await scanned(repo.path, home.path);
  const path = await cacheFile(home.path);
  const text = await Deno.readTextFile(path);
  const damages = [
    text.slice(0, text.length / 2),
    text.replace("SHED_DOOR", "SHED_ROOF"),
    "",
    "not a cache",
    new Uint8Array([0xff, 0xfe, 0x00]),
  ];
  for (const damage of damages) {
    if (typeof damage === "string") await Deno.writeTextFile(path, damage);
    else await Deno.writeFile(path, damage);
    const again = await scanned(repo.path, home.path);
    assert.equal(again.counts.read, 4);
    assert.deepEqual(again.findings, first.findings);
    assert.equal((await scanned(repo.path, home.path)).counts.read, 0);
  }
  await Deno.remove(path);
  assert.equal((await scanned(repo.path, home.path)).counts.read, 4);
});

Deno.test("scan finds the same where its cache cannot be written", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  await using home = await tempFolder();
  await using elsewhere = await tempFolder();
  const { findings } = await scanned(repo.path, home.path);
  // A file where the folder has to be: as on a full or a read-only disk, but for root too.
  await Deno.writeTextFile(`${elsewhere.path}/cache`, "");
  assert.ok(findings.length > 0);
  for (const _ of ["first", "again"]) {
    const report = await scanned(repo.path, elsewhere.path);
    assert.deepEqual([report.findings, report.paths.length], [findings, 4]);
  }
});

Deno.test("scan keeps its cache in the home, for the user alone, and none on a dry run", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  await using home = await tempFolder();
  await scanned(repo.path, home.path, { dryRun: true });
  await assert.rejects(Deno.stat(`${home.path}/cache`), Deno.errors.NotFound);
  await scanned(repo.path, home.path);
  const path = await cacheFile(home.path);
  assert.match(path, /\/[0-9a-f]{12}\.json$/);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  assert.equal((await repo.git("status", "--porcelain")).trim(), "");
});

verifies("4.5:scan:reports-gaps", "scan names a gap the same while its line moves", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  await using home = await tempFolder();
  const before = (await scanned(repo.path, home.path)).findings;
  await repo.write("README.md", `# Shed\n\nMore.\n\nAnd more.\n\n[plan](plan.md)\n`);
  await repo.write("src/b.ts", `\n\n${FILES["src/b.ts"]}`);
  const after = (await scanned(repo.path, home.path)).findings;
  const names = (findings: typeof before) => findings.map(({ fingerprint }) => fingerprint);
  assert.deepEqual(names(after), names(before));
  const lineOf = (findings: typeof before) =>
    findings.find(({ rule }) => rule === "docs-link-broken")?.line;
  assert.deepEqual([lineOf(before), lineOf(after)], [3, 7]);
  // Tickets and accepted findings keep them: another version of svc must give the same.
  const link = before.find(({ rule }) => rule === "docs-link-broken");
  assert.equal(link?.fingerprint, "22923979c65b596a");
  assert.equal(new Set(names(before)).size, before.length);
});

Deno.test("scan reports a TODO once its line is half a year old, and not a young one", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  await using home = await tempFolder();
  const old = async (now: number) =>
    (await scanned(repo.path, home.path, { now })).findings.filter(({ rule }) =>
      rule === "todo-old"
    ).map(({ path, line }) => [path, line]);
  assert.deepEqual(await old(COMMITTED + 100 * DAY_MS), []);
  assert.deepEqual(await old(COMMITTED + 200 * DAY_MS), [["src/a.ts", 1]]);
  // A young line beside the old one: git says which is which. Uncommitted lines are of today.
  await repo.write("src/a.ts", `${FILES["src/a.ts"]}// FIXME: roof\n`);
  assert.deepEqual(await old(Date.now() + DAY_MS), [["src/a.ts", 1]]);
});

verifies(
  "4.5:scan:reports-gaps",
  "a TODO that is staged and not committed is of today, and the one that it pushed down as old as before",
  async () => {
    await using repo = await tempRepo({ files: FILES, commit: true });
    await using home = await tempFolder();
    await repo.write("src/a.ts", `// TODO: roof\n${FILES["src/a.ts"]}`);
    await repo.git("add", "src/a.ts");
    const { findings } = await scanned(repo.path, home.path, { now: Date.now() + DAY_MS });
    const old = findings.filter(({ rule }) => rule === "todo-old");
    assert.deepEqual(old.map(({ path, line }) => [path, line]), [["src/a.ts", 2]]);
  },
);

Deno.test("scan dates the TODOs of some files a time, and goes on where it stopped", async () => {
  const files = Object.fromEntries(
    ["a", "b", "c"].map((name) => [`${name}.ts`, "// TODO: paint\n"]),
  );
  await using repo = await tempRepo({ files, commit: true });
  // What one commit added is dated without asking git for its lines.
  await repo.commit(
    "changed",
    Object.fromEntries(Object.keys(files).map((path) => [path, "// TODO: oil\n"])),
  );
  await using home = await tempFolder();
  const next = async () => {
    const { blamed, counts } = await scanned(repo.path, home.path, { blamedFiles: 2 });
    return [blamed.toSorted(), counts.undated];
  };
  assert.deepEqual(await next(), [["a.ts", "b.ts"], 1]);
  assert.deepEqual(await next(), [["c.ts"], 0]);
  assert.deepEqual(await next(), [[], 0]);
});

verifies(
  "4.5:scan:reports-gaps",
  "scan dates the TODOs of a file that nobody changed since it was added by that commit, and of no other",
  async () => {
    await using repo = await tempRepo({ files: FILES, commit: true });
    await using home = await tempFolder();
    await repo.commit("second", { "new.ts": "// TODO: new\n" });
    await repo.git("mv", "src/a.ts", "src/moved.ts");
    await repo.commit("third");
    const { blamed, counts } = await scanned(repo.path, home.path);
    assert.deepEqual([blamed, counts.undated], [["src/moved.ts"], 0]);
    await repo.write("new.ts", "// FIXME: uncommitted\n");
    assert.deepEqual((await scanned(repo.path, home.path)).blamed, ["new.ts"]);
    const ages = async (now: number) =>
      (await scanned(repo.path, home.path, { now })).findings
        .filter(({ rule }) => rule === "todo-old").map(({ path }) => path);
    assert.deepEqual(await ages(COMMITTED + 100 * DAY_MS), []);
  },
);

Deno.test("a TODO in a file whose name git is not asked about is left undated, and the scan goes on", async () => {
  const name = "src/a\x01b.ts";
  await using repo = await tempRepo({ files: { [name]: "// TODO: one\n" }, commit: true });
  await using home = await tempFolder();
  await repo.commit("second", { [name]: "// TODO: one\n// TODO: two\n" });
  const { counts } = await scanned(repo.path, home.path);
  assert.equal(counts.files, 1);
});

Deno.test("scan counts churn, and reads it again when HEAD moves", async () => {
  const code = (text: string) => `${"export const one = 1;\n".repeat(60)}// ${text}\n`;
  await using repo = await tempRepo({
    files: { "src/hot.ts": code("0"), "tests/other.test.ts": 'import "../src/other.ts";\n' },
    commit: true,
  });
  await using home = await tempFolder();
  const hot = async () =>
    (await scanned(repo.path, home.path)).findings.filter(({ rule }) =>
      rule === "hot-file-untested"
    );
  assert.deepEqual(await hot(), []);
  for (let at = 1; at < 8; at++) await repo.commit(`change ${at}`, { "src/hot.ts": code(`${at}`) });
  assert.match((await hot())[0]!.title, /^Changed in 8 commits of 180 days/);
});

Deno.test("scan takes submodules, links, odd names and a repo without commits", async () => {
  await using repo = await tempRepo();
  await using home = await tempFolder();
  assert.deepEqual((await scanned(repo.path, home.path)).findings, []);
  await repo.write("a b/\n.md", "[x](gone.md)\n");
  await repo.write("README.md", "[sub](sub/page.md) [link](link/page.md)\n");
  await Deno.symlink("/etc", `${repo.path}/link`);
  await repo.git("init", "--quiet", "sub");
  await repo.git("-C", "sub", "commit", "--quiet", "--allow-empty", "--message", "sub");
  await repo.git("-c", "advice.addEmbeddedRepo=false", "add", "--all");
  const { findings } = await scanned(repo.path, home.path);
  assert.deepEqual(findings.map(({ rule, path }) => [rule, path]), [
    ["docs-link-broken", "a b/\n.md"],
  ]);
});

Deno.test("scan leaves out secrets that the baseline accepts", async () => {
  const token = ["ghp", "x7Kq2Vb9LmTd4RsWf6HjZk3MQw8nRt5Y1a2B"].join("_");
  await using repo = await tempRepo({ files: { "a.env": `T=${token}\n` }, commit: true });
  await using home = await tempFolder();
  const [found] = (await scanned(repo.path, home.path)).findings;
  assert.equal(found?.rule, "secret");
  assert.equal(JSON.stringify(found).includes(token.slice(8)), false);
  const cached = await Deno.readTextFile(await cacheFile(home.path));
  assert.equal(cached.includes(token.slice(8)), false);

  const key = newKey();
  const rule = /kind (\S+):/.exec(found.title)![1]!;
  const accepted = { rule, path: "a.env", fingerprint: await new Fingerprints(key).of(token) };
  await repo.write(BASELINE_PATH, serializeBaseline({ key, findings: [accepted] }));
  assert.deepEqual((await scanned(repo.path, home.path)).findings, []);
});

Deno.test("scan leaves out tracked files whose folder became a link to elsewhere", async () => {
  await using away = await tempFolder();
  await away.write("page.md", "[x](gone.md)\n");
  const page = "[x](nowhere.md)\n";
  await using repo = await tempRepo({ files: { "docs/page.md": page }, commit: true });
  await using home = await tempFolder();
  const links = async () =>
    (await scanned(repo.path, home.path)).findings.filter(({ rule }) => rule === "docs-link-broken")
      .length;
  assert.equal(await links(), 1);
  await Deno.remove(`${repo.path}/docs`, { recursive: true });
  await Deno.symlink(away.path, `${repo.path}/docs`);
  assert.equal(await links(), 0);
});

Deno.test("scan leaves out a file that no tool can name until it is committed", async () => {
  await using repo = await tempRepo({ files: { "README.md": "# Shed\n" }, commit: true });
  await using home = await tempFolder();
  await repo.write("a b/\u00e9\n.md", "[x](gone.md)\n");
  const links = async () =>
    (await scanned(repo.path, home.path)).findings.filter(({ rule }) => rule === "docs-link-broken")
      .map(({ path }) => path);
  assert.deepEqual(await links(), []);
  await repo.commit("odd");
  assert.deepEqual(await links(), ["a b/\u00e9\n.md"]);
});
