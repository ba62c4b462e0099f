import assert from "node:assert/strict";
import { VERSION } from "svc/core/version.ts";
import { type DefaultFile, defaultFiles, ownerOf } from "svc/features/harness/defaults.ts";
import { detect } from "svc/features/harness/detect.ts";
import { readMetadata } from "svc/features/harness/metadata.ts";
import { carryOut, type HarnessTarget } from "svc/features/harness/operate.ts";
import { planUpdate } from "svc/features/harness/plan_update.ts";
import { treeHash } from "tests/kit/script.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { init, siteAt } from "./harness_site.ts";

type Edit = (file: DefaultFile) => DefaultFile;

/** The defaults of a later svc. */
const later = (edit: Edit): typeof defaultFiles => (...facts) => defaultFiles(...facts).map(edit);

const added = (...paths: string[]): Edit => (file) =>
  paths.includes(file.path) ? { ...file, text: `${file.text}A newer line.\n` } : file;

async function update(site: HarnessTarget, defaults = defaultFiles) {
  const { plan } = await carryOut(site, "update harness", async () => {
    const before = await readMetadata(site);
    const { draft, offers } = await planUpdate(site, {
      before,
      project: (await detect(site)).project,
      defaults,
    });
    return Object.assign(draft, { offers });
  });
  return plan;
}

async function ground() {
  const home = await tempFolder();
  const repo = await tempRepo({ files: { "go.mod": "module x\n" }, commit: true });
  const site = await siteAt(repo.path, home.path);
  await init(site);
  return {
    repo,
    site,
    async [Symbol.asyncDispose]() {
      site[Symbol.dispose]();
      await repo[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

verifies(
  "4.5:update-harness:fills-missing-defaults",
  "planUpdate fills what is missing",
  async () => {
    await using at = await ground();
    const whole = await treeHash(`${at.repo.path}/.harness`);
    await Deno.remove(`${at.repo.path}/.harness/roles`, { recursive: true });
    await Deno.remove(`${at.repo.path}/docs/plans/README.md`);
    const { changes } = await update(at.site);
    assert.equal(changes.filter(({ change }) => change === "create").length, 6);
    assert.equal(await treeHash(`${at.repo.path}/.harness`), whole);
    assert.match(await at.repo.read("docs/plans/README.md"), /^# Plans/);
  },
);

Deno.test("planUpdate finds nothing to do in a fresh harness", async () => {
  await using at = await ground();
  const { steps } = await update(at.site);
  assert.deepEqual(steps, []);
});

Deno.test("planUpdate refreshes what nobody has changed", async () => {
  await using at = await ground();
  const path = ".harness/skills/fix-a-bug/SKILL.md";
  const { changes } = await update(at.site, later(added(path)));
  assert.deepEqual(changes.map(({ path }) => path), [path, ".harness/metadata.json"]);
  assert.match(await at.repo.read(path), /A newer line/);
  assert.deepEqual((await update(at.site, later(added(path)))).steps, []);
});

const USER_OWNED = [
  ".harness/manifest.yaml",
  ".harness/roles/qa.md",
  ".harness/knowledge/routes.yaml",
  ".harness/guardrails/rules.md",
  "docs/tickets/README.md",
  "docs/plans/README.md",
  "docs/references/README.md",
  "AGENTS.md",
];

verifies(
  ["4.5:update-harness:keeps-user-owned-files", "4.5:update-harness:keeps-agent-guidance"],
  "planUpdate never writes over a user's file, edited or not, whatever is newer",
  async () => {
    for (const edited of [true, false]) {
      await using at = await ground();
      const before = new Map<string, string>();
      for (const path of USER_OWNED) {
        assert.equal(ownerOf(path), "user", path);
        if (edited) await at.repo.write(path, `${await at.repo.read(path)}# mine\n`);
        before.set(path, await at.repo.read(path));
      }
      const { offers } = await update(at.site, later(added(...USER_OWNED)));
      for (const [path, text] of before) assert.equal(await at.repo.read(path), text);
      assert.deepEqual(offers.map(({ path }) => path).sort(), [...USER_OWNED].sort());
    }
  },
);

Deno.test("planUpdate lays a proposal that git merge-file merges, and takes it back when settled", async () => {
  await using at = await ground();
  const path = ".harness/roles/qa.md";
  const newer = later(added(path));
  await at.repo.write(path, `My first line.\n${await at.repo.read(path)}`);
  const { offers: [offer] } = await update(at.site, newer);
  assert.ok(offer);
  assert.deepEqual((await update(at.site, newer)).steps, [], "a second run changes nothing");
  const merged = await plainGit(at.repo.path, ["merge-file", path, offer.base, offer.newer]);
  assert.equal(merged.code, 0, merged.stderr);
  const text = await at.repo.read(path);
  assert.match(text, /^My first line\.\n/);
  assert.match(text, /A newer line\.\n$/);
  await at.repo.write(path, await at.repo.read(offer.newer));
  await update(at.site, newer);
  await assert.rejects(Deno.stat(`${at.repo.path}/${offer.newer}`));
  await assert.rejects(Deno.stat(`${at.repo.path}/${offer.base}`));
});

Deno.test("planUpdate keeps a file of svc that somebody changed, and offers the newer one", async () => {
  await using at = await ground();
  const path = "docs/contracts/README.md";
  await at.repo.write(path, "ours\n");
  const { offers } = await update(at.site, later(added(path)));
  assert.equal(await at.repo.read(path), "ours\n");
  assert.deepEqual(offers.map((offer) => offer.path), [path]);
});

Deno.test("planUpdate does without a record: it only adds", async () => {
  await using at = await ground();
  await Deno.remove(`${at.repo.path}/.harness/metadata.json`);
  await Deno.remove(`${at.repo.path}/.harness/README.md`);
  const { changes } = await update(at.site, later(added(...USER_OWNED)));
  assert.deepEqual(changes.map(({ path }) => path), [
    ".harness/README.md",
    ".harness/metadata.json",
  ]);
});

Deno.test("planUpdate puts no marker into a folder of tickets that holds one", async () => {
  await using at = await ground();
  await at.repo.write("docs/tickets/backlog/T-0001-x.md", "x");
  await Deno.remove(`${at.repo.path}/docs/tickets/backlog/.gitkeep`);
  assert.deepEqual((await update(at.site)).steps, []);
});

/** Makes the harness look as if another svc had written it. */
async function madeBy(version: string, at: Awaited<ReturnType<typeof ground>>): Promise<void> {
  for (const path of [".harness/manifest.yaml", ".harness/metadata.json"]) {
    const text = (await at.repo.read(path))
      .replace(/^harness_version: .*$/m, `harness_version: ${version} # ours`)
      .replace(/"tool_version": ".*?"/, `"tool_version": "${version}"`)
      .replace(/harness_version: [\d.]+/, `harness_version: ${version}`);
    await at.repo.write(path, text);
  }
}

Deno.test("planUpdate writes over and through no link, and tells which ones it left alone", async () => {
  await using at = await ground();
  const prompts = ["qa", "ceo"].map((role) => `.harness/roles/${role}.md`);
  for (const path of prompts) {
    await Deno.remove(`${at.repo.path}/${path}`);
    await Deno.symlink("../../go.mod", `${at.repo.path}/${path}`);
  }
  await Deno.remove(`${at.repo.path}/.harness/roles/gardener.md`);
  const { kept, changes } = await update(at.site);
  const why = "it is a symlink";
  assert.deepEqual(kept.map(({ path }) => path).sort(), prompts.toSorted());
  assert.ok(kept.every((one) => one.why === why));
  assert.deepEqual(changes.map(({ path }) => path), [".harness/roles/gardener.md"]);
  assert.equal(await at.repo.read("go.mod"), "module x\n");
  // So do proposals: their folder is anybody's, too.
  const mine = ".harness/guardrails/rules.md";
  await at.repo.write(mine, "mine\n");
  await at.repo.write(".harness/updates/harness/guardrails/x", "");
  const link = ".harness/updates/harness/guardrails/rules.md.base";
  await Deno.symlink("../../../../go.mod", `${at.repo.path}/${link}`);
  const offered = await update(at.site, later(added(mine)));
  assert.ok(offered.kept.some(({ path }) => path === link));
  assert.equal(await at.repo.read("go.mod"), "module x\n");
  assert.match(await at.repo.read(link.replace(".base", ".new")), /A newer line/);
});

Deno.test("planUpdate offers a newer default until a person removes it, and shows what it refreshes", async () => {
  await using at = await ground();
  const [mine, own] = [".harness/roles/qa.md", ".harness/README.md"];
  await at.repo.write(mine, "mine\n");
  const newer = later(added(mine, own));
  const first = await update(at.site, newer);
  assert.match(first.changes.find(({ path }) => path === own)!.diff!, /\n\+A newer line\.\n/);
  assert.equal(first.changes.find(({ path }) => path === mine), undefined);
  const again = await update(at.site, newer);
  assert.deepEqual([again.steps, again.offers], [[], first.offers]);
  for (const { base, newer } of first.offers) {
    await Deno.remove(`${at.repo.path}/${base}`);
    await Deno.remove(`${at.repo.path}/${newer}`);
  }
  const declined = await update(at.site, newer);
  assert.deepEqual([declined.steps, declined.offers], [[], []]);
});

Deno.test("planUpdate forgets no file that it made, also one that is not needed now", async () => {
  await using at = await ground();
  const marker = "docs/tickets/backlog/.gitkeep";
  await at.repo.write("docs/tickets/backlog/T-0001-a.md", "a\n");
  await Deno.remove(`${at.repo.path}/docs/plans/README.md`);
  await update(at.site);
  assert.ok(Object.hasOwn((await readMetadata(at.site))!.files, marker));
});

Deno.test("planUpdate stamps the version into the manifest and changes no other byte of it", async () => {
  await using at = await ground();
  await madeBy("0.0.1", at);
  const before = await at.repo.read(".harness/manifest.yaml");
  const { changes, offers } = await update(at.site);
  const after = await at.repo.read(".harness/manifest.yaml");
  assert.equal(after, before.replace("0.0.1", VERSION));
  assert.deepEqual(changes.map(({ path }) => path), [
    ".harness/manifest.yaml",
    ".harness/metadata.json",
  ]);
  assert.deepEqual(offers, []);
  assert.deepEqual((await update(at.site)).steps, []);
});

Deno.test("planUpdate refuses a harness of a newer svc", async () => {
  await using at = await ground();
  await madeBy("99.0.0", at);
  await assert.rejects(update(at.site), /it is of svc 99\.0\.0/);
});

Deno.test("planUpdate takes a harness that a prerelease of this very svc made", async () => {
  await using at = await ground();
  await madeBy(`${VERSION}-rc.1`, at);
  await update(at.site);
  const { tool_version } = JSON.parse(await at.repo.read(".harness/metadata.json"));
  assert.equal(tool_version, VERSION);
});

Deno.test("planUpdate refuses a repo without a harness", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo({ files: { "a.txt": "a" }, commit: true });
  using site = await siteAt(repo.path, home.path);
  await assert.rejects(update(site), /Cannot update the harness: there is no/);
});
