/** What a run sends beside its prompt, and what it says that it cost: the real program, bodies as they came. */
import assert from "node:assert/strict";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";

const finish = {
  reply: { calls: [{ name: "finish", args: { disposition: "blocked", evidence: "x" } }] },
};

Deno.test("svc run samples the served model as its maker advises, and tells what it cost", async () => {
  await using site = await runSite({
    scenario: {
      // Named as Ollama does, so that its evidence is live.
      models: [{ id: "qwen3-coder:30b", owned_by: "library" }],
      roles: { engineer: [[finish], [finish]] },
    },
  });
  const free = await site.run("engineer", "--task", "x");
  assert.match(free.stdout, /^cost: +no price \(local\)$/m, free.stderr);
  const advised = JSON.parse(site.model.requests[0]!.text);
  assert.deepEqual(
    [advised.temperature, advised.top_p, advised.top_k, advised.repetition_penalty],
    [0.7, 0.8, 20, 1.05],
  );
  assert.ok(!("min_p" in advised) && !("reasoning_effort" in advised));

  await Deno.writeTextFile(
    `${site.home}/config.yaml`,
    'models:\n  sampling: {"*coder*": {temperature: 0.25, min_p: 0.1}}\n' +
      '  prices: {"qwen3-*": {input: 2, output: 10}}\n',
  );
  const priced = (await site.run("engineer", "--task", "x", "--json")).json();
  const asked = JSON.parse(site.model.requests[1]!.text);
  assert.deepEqual([asked.temperature, asked.top_p, asked.min_p], [0.25, 0.8, 0.1]);
  const { tokens_in, tokens_out, cost_basis, cost_usd } = priced;
  assert.equal(cost_basis, "price");
  assert.ok(Math.abs(cost_usd - (tokens_in * 2 + tokens_out * 10) / 1e6) < 1e-7, String(cost_usd));

  // The first stays as it was stored.
  const { roles } = (await site.svc("scores", "--json")).json();
  const engineer = roles.find(({ role }: { role: string }) => role === "engineer");
  assert.deepEqual([engineer.cost_usd, engineer.cost_unknown], [cost_usd, 0]);
  assert.match(engineer.last_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

Deno.test("the day's budget ends a run before it is crossed, and lets no job begin until it is raised", async () => {
  await using site = await runSite({ scenario: { roles: { engineer: FIX } } });
  const config = (day: string) =>
    Deno.writeTextFile(
      `${site.home}/config.yaml`,
      `models:\n  prices: {"*": {input: 1000, output: 1000}}\nbudgets: {day: ${day}}\n`,
    );
  await config("$9");
  await site.svc("tickets", "new", "--title", "Mend add");
  const cut = await site.run("engineer", ...HOST, "--json");
  assert.equal(cut.json().disposition, "budget_exhausted", cut.stderr);
  assert.match(cut.json().evidence, /left of the day's budget of \$9\.00 \(budgets\.day in ~/);
  assert.ok((cut.json().tokens_in + cut.json().tokens_out) / 1_000 <= 9);
  const asked = site.model.requests.length;

  await config("$0.50");
  const refused = await site.run("engineer", ...HOST);
  assert.equal(refused.code, 6, refused.stdout);
  assert.match(
    refused.stderr,
    /^svc: Cannot start "engineer": nothing is left of the day's budget of \$0\.50/m,
  );
  assert.match(refused.stderr, /^try: Raise budgets\.day in ~\/\.svc\/config\.yaml, or wait for/m);
  assert.equal(site.model.requests.length, asked);

  // No repo raises what its user has set.
  const manifest = `${site.repo.path}/.harness/manifest.yaml`;
  await Deno.writeTextFile(
    manifest,
    `${await Deno.readTextFile(manifest)}\nbudgets: {day: $900}\n`,
  );
  assert.equal((await site.run("engineer", ...HOST)).code, 6);
  await config("$500");
  const done = await site.run("engineer", ...HOST, "--json");
  assert.equal(done.json().disposition, "submitted", done.stdout + done.stderr);
});
