/** `svc run --dry-run` shows what the run sends: the window, the trust and the tools that hold now. */
import assert from "node:assert/strict";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { treeHash } from "tests/kit/script.ts";
import { verifies } from "tests/kit/verifies.ts";

const finish = {
  reply: { calls: [{ name: "finish", args: { disposition: "blocked", evidence: "seen" } }] },
};
const AGENTS = `# Our rules\n\n${"Keep functions small and say why. ".repeat(700)}\n`;

Deno.test("svc run --dry-run knows the window that the endpoint stated, and says where it assumes one", async () => {
  await using site = await runSite({
    scenario: {
      models: [{ id: "wide", owned_by: "svc-fixture", max_model_len: 131_072 }],
      roles: { engineer: [finish] },
    },
  });
  await site.repo.write("AGENTS.md", AGENTS);
  const dry = ["engineer", "--dry-run", "--task", "Mend add"];
  const guess = (await site.run(...dry, "--json")).json();
  assert.equal(guess.window.from, "assumed");
  assert.deepEqual(guess.cut, ["AGENTS.md"]);
  assert.match((await site.run(...dry)).stdout, /^window: +\d+ tokens \(assumed: /m);

  assert.equal((await site.run("engineer", "--task", "Mend add")).code, 1);
  const before = await treeHash(`${site.home}/db`);
  const shown = (await site.run(...dry, "--json")).json();
  assert.equal(await treeHash(`${site.home}/db`), before, "the database was only looked at");
  assert.deepEqual(shown.window, { tokens: 131_072, from: "probed" });
  assert.deepEqual(shown.cut, []);
  const [sent] = site.model.requests;
  assert.equal(sent!.request.messages[0]!.content, shown.system);
  assert.equal(sent!.request.messages[1]!.content, shown.task);
  assert.deepEqual(sent!.request.tools, shown.tools);
});

Deno.test("svc run --dry-run knows the trust that holds now", async () => {
  await using site = await runSite({ scenario: { roles: { engineer: [finish] } } });
  const path = site.repo.path;
  const set = await site.svc("trust", "set", "engineer", path, "observer", "--reason", "test");
  assert.equal(set.code, 0, set.stderr);
  const words = ["engineer", "--task", "Mend add", ...HOST];
  const shown = (await site.run(...words, "--dry-run", "--json")).json();
  assert.equal(shown.trust, "observer");
  await site.run(...words);
  const [sent] = site.model.requests;
  const names = (tools: readonly { readonly function: { readonly name: string } }[]) =>
    tools.map((tool) => tool.function.name);
  assert.deepEqual(names(sent!.request.tools!), names(shown.tools));
});

Deno.test("svc run --dry-run refuses what the run refuses: a database in the repo, and --resume", async () => {
  await using site = await runSite({ scenario: {} });
  const dry = ["engineer", "--task", "x", "--dry-run"];
  const inside = await site.run(...dry, "--db", `${site.repo.path}/x.db`);
  assert.equal(inside.code, 2, inside.stderr);
  assert.match(inside.stderr, /Cannot use --db/);
  const resume = await site.run("engineer", "--resume", "nonsense", "--dry-run");
  assert.equal(resume.code, 2, resume.stderr);
  assert.match(resume.stderr, /--resume with --dry-run/);
});

verifies(
  ["4.5:run:dry-run", "4.5:run:dry-run-no-init-writes-nothing"],
  "svc run --dry-run shows a role that has no ticket yet, and what the run would be refused for",
  async () => {
    await using site = await runSite({ scenario: {}, harness: false });
    const before = await site.state();
    const shown = await site.run("engineer", "--dry-run", "--no-init");
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /^# Role: engineer$/m);
    const why = /^note: it would be refused now: Cannot run "engineer": no ticket for "engineer" /m;
    assert.match(shown.stdout, why);
    assert.match(shown.stdout, /^next: svc tickets new --title "…" --role engineer, or /m);
    const qa = (await site.run("qa", "--dry-run", "--no-init", "--json")).json();
    const obstacle = {
      message: 'Cannot run "qa": no ticket is in review',
      remediation: "svc tickets list --state review",
    };
    assert.deepEqual([qa.ok, qa.ticket, qa.obstacle], [true, null, obstacle]);
    assert.equal(await site.state(), before);
    assert.deepEqual(site.model.paths, []);

    const ready = (await site.run("ceo", "--dry-run", "--no-init", "--json")).json();
    assert.equal(ready.obstacle, null);
    const named = await site.run("engineer", "--dry-run", "--no-init", "--ticket", "T-0099");
    assert.equal(named.code, 1, named.stdout);
    // No manifest is there to be corrected.
    const unknown = await site.run("nobody", "--dry-run", "--no-init");
    assert.equal(unknown.code, 2, unknown.stdout);
    const own = /^svc: Cannot find role "nobody": svc's own harness does not name it$/m;
    assert.match(unknown.stderr, own);
  },
);
