/** `svc eject --apply`: what is svc's own outside of the repo, and what svc works with meanwhile. */
import assert from "node:assert/strict";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { repoId } from "svc/core/ids.ts";
import { serving } from "tests/kit/service_site.ts";
import { CEO } from "tests/unit/runtime/team.ts";

const ANYWHERE = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];

const AT_WORK: Readonly<Record<string, readonly string[]>> = {
  "svc start": ["start", ...ANYWHERE],
  "a job of engineer": ["run", "engineer"],
};

for (const [user, words] of Object.entries(AT_WORK)) {
  Deno.test(`eject removes the harness, and not the database with which ${user} works`, async () => {
    const hangs = [{ always: true, bad: "hang" }];
    await using site = await runSite({ scenario: { roles: { ceo: CEO, engineer: hangs } } });
    const { repo, home, env, model } = site;
    const name = repo.path.slice(repo.path.lastIndexOf("/") + 1);
    const folder = `${home}/db/${name}/`;
    await site.svc("tickets", "new", "--title", "Mend add", "--role", "engineer");
    const args = [...words, "--json", "--model-endpoint", model.url, ...HOST];
    await using working = serving({ cwd: repo.path, env, args });
    if (words[0] === "start") await working.said(/engineer T-0001 begins/);
    else await model.asked(1);

    const why = new RegExp(`^${user}, process \\d+ uses it; end that, then eject again$`);
    const apply = ["eject", "--apply", "--confirm", name, "--json"];
    for (const line of [["eject", "--json"], apply]) {
      const { kept } = (await site.svc(...line)).json();
      assert.match(kept.find(({ path }: { path: string }) => path === folder)?.why ?? "", why);
    }
    assert.ok((await Deno.stat(`${folder}svc.db`)).isFile);
    await assert.rejects(Deno.stat(`${repo.path}/.harness/manifest.yaml`), Deno.errors.NotFound);

    working.signal("SIGKILL");
    await working.ended;
    const applied = await site.svc(...apply);
    assert.equal(applied.code, 0, "what a killed process left keeps nothing");
    await assert.rejects(Deno.stat(folder), Deno.errors.NotFound);
  });
}

Deno.test("eject removes what set-ups made for the repo's next work tree, and no other repo's", async () => {
  await using site = await runSite({ scenario: {} });
  const name = site.repo.path.slice(site.repo.path.lastIndexOf("/") + 1);
  const pool = `${site.home}/worktrees/pool`;
  const own = `${pool}/${name}-${await repoId(site.repo.path)}`;
  for (const folder of [own, `${pool}/${name}-0123456789ab`]) {
    await Deno.mkdir(`${folder}/a-job/made/node_modules`, { recursive: true });
  }
  const removes = ({ changes }: { changes: { path: string; change: string }[] }) =>
    changes.some(({ path, change }) => path === `${own}/` && change === "remove");
  assert.ok(removes((await site.svc("eject", "--json")).json()));
  assert.ok((await Deno.stat(own)).isDirectory);
  assert.ok(removes((await site.svc("eject", "--apply", "--confirm", name, "--json")).json()));
  assert.deepEqual([...Deno.readDirSync(pool)].map((one) => one.name), [`${name}-0123456789ab`]);
});
