/** `svc run` in repos on no branch, without a commit or a prompt, and the next step that it names. */
import assert from "node:assert/strict";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";
import { verifies } from "tests/kit/verifies.ts";

const finish = (disposition: string) => ({
  reply: { calls: [{ name: "finish", args: { disposition, evidence: "seen" } }] },
});
const nextOf = (stdout: string) => /^next: (.*)$/m.exec(stdout)?.[1];

Deno.test("svc run works where no branch is checked out, and says what to do without any", async () => {
  const steps = [finish("blocked")];
  await using site = await runSite({ scenario: { roles: { engineer: [steps, steps] } } });
  await site.repo.git("switch", "--detach", "--quiet");
  const ran = await site.run("engineer", "--task", "x", "--json");
  assert.equal(ran.json().disposition, "blocked", ran.stdout + ran.stderr);

  await using bare = await runSite({ scenario: {}, harness: false });
  await bare.repo.git("branch", "--move", "main", "trunk");
  await bare.repo.git("switch", "--detach", "--quiet");
  const lost = await bare.run("engineer", "--no-init", "--task", "x");
  assert.equal(lost.code, 5, lost.stderr);
  assert.match(lost.stderr, /^try: Check out the branch .* switch/m);
  await bare.repo.git("switch", "--orphan", "new", "--quiet");
  const empty = await bare.run("engineer", "--no-init", "--task", "x");
  assert.equal(empty.code, 5, empty.stderr);
  assert.match(empty.stderr, /^try: git -C .* commit --allow-empty/m);
});

Deno.test("the next step repeats where and how this one ran, quoted for a shell", async () => {
  await using site = await runSite({ scenario: { roles: { engineer: FIX } } });
  await site.svc("tickets", "new", "--title", "Mend add");
  const where = ["--repo", site.repo.path, "--db", `${site.home}/my own.db`];
  const ran = await site.run("engineer", ...where, ...HOST);
  const place = `--repo ${site.repo.path} --db '${site.home}/my own.db'`;
  const host = "--execution-profile host --acknowledge-host-execution";
  assert.equal(
    nextOf(ran.stdout),
    `svc run qa --ticket T-0001 ${place} --model-endpoint ${site.model.url} ${host}`,
  );
});

Deno.test("the next step of a rehearsal is the same work in host profile", async () => {
  await using site = await runSite({
    scenario: { roles: { engineer: [finish("submitted")] } },
    harness: false,
  });
  const ran = await site.run("engineer", "--no-init", "--task", "Ada's add", "--max-turns", "9");
  assert.equal(
    nextOf(ran.stdout),
    `svc run engineer --task 'Ada'\\''s add' --max-turns 9 --model-endpoint ${site.model.url} ` +
      "--execution-profile host --acknowledge-host-execution --no-init",
  );
});

Deno.test("work without a ticket is followed by svc start, which knows its branch", async () => {
  await using site = await runSite({ scenario: { roles: { engineer: FIX } } });
  const ran = await site.run("engineer", "--task", "Mend add", ...HOST);
  assert.match(ran.stdout, /^on svc\/engineer-/m);
  assert.equal(
    nextOf(ran.stdout),
    `svc start --model-endpoint ${site.model.url} ${HOST.join(" ")}`,
  );
});

Deno.test("work is done where the home is named by way of a link, with a slash at its end", async () => {
  const roles = { engineer: FIX, qa: [finish("changes_requested")] };
  await using site = await runSite({ scenario: { roles } });
  const link = `${site.home}-by-link`;
  await Deno.symlink(site.home, link);
  const env = { ...site.env, SVC_HOME: `${link}//` };
  await site.svcWith(env, "tickets", "new", "--title", "Mend add");
  // The second finds the work tree of the first, by the path that git tells.
  for (const [role, end] of [["engineer", "submitted"], ["qa", "changes_requested"]] as const) {
    const where = ["--ticket", "T-0001", "--model-endpoint", site.model.url];
    const { stdout, stderr } = await site.svcWith(env, "run", role, ...where, ...HOST);
    assert.equal(stdout.split("\n")[0], `${role} on T-0001: ${end}`, stdout + stderr);
  }
});

verifies(
  ["4.5:run:repo"],
  "a role's prompt that is missing is named, though it is looked for while the work tree is made",
  async () => {
    await using site = await runSite({ scenario: {} });
    await Deno.remove(`${site.repo.path}/.harness/roles/engineer.md`);
    const { stdout, json } = await site.run("engineer", "--task", "x", ...HOST, "--json");
    const { disposition, evidence, turns } = json();
    assert.deepEqual([disposition, turns], ["blocked", 0], stdout);
    assert.match(
      evidence,
      /Cannot brief role "engineer": there is no ".harness\/roles\/engineer.md"/,
    );
    assert.doesNotMatch(stdout, /Worker died/);
  },
);

Deno.test("a sparse checkout that leaves out the harness keeps its own, and says what to do", async () => {
  await using site = await runSite({ scenario: { roles: { engineer: FIX } } });
  await site.repo.git("sparse-checkout", "set", "src");
  const before = await site.state();
  const host = ["engineer", "--task", "x", ...HOST];
  const others = [["start"], ["init", "--yes"], ["trust"], ["tickets", "list"]];
  for (const command of [["run", ...host], ["start", ...HOST], ...others]) {
    const { code, stderr } = await site.svc(...command);
    assert.equal(code, 6, `${command}: ${stderr}`);
    assert.match(stderr, /^try: git -C \S+ sparse-checkout add \.harness docs\/tickets$/m);
  }
  assert.equal(await site.state(), before);
  const doctor = await site.svc("doctor", "--skip-remote");
  assert.match(doctor.stdout, /^✗ operating-model: the sparse checkout leaves out \.harness/m);
});
