/** `svc run` as a user has it: the real program, a real repo, real checks, a scripted model over HTTP. */
import assert from "node:assert/strict";
import { BUGGY, FIX, HOST, runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";
import { verifies } from "tests/kit/verifies.ts";

const finish = (disposition: string, evidence = "seen") => ({
  reply: { calls: [{ name: "finish", args: { disposition, evidence } }] },
});

/** Says it again when svc asks for more. */
const TRUST_ME = [finish("submitted", "trust me"), finish("submitted", "trust me")];

verifies(
  [
    "1:run:one-job",
    "1:run:no-dashboard",
    "4.5:run:model-endpoint",
    "2.1:traces:directory",
    "4.5:run:execution-profile-flags",
  ],
  "svc run engineer mends a bug in a work tree of its own, proves it, and hands it to review",
  async () => {
    await using site = await runSite({ scenario: { roles: { engineer: FIX } } });
    await site.svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
    const ran = await site.run("engineer", ...HOST, "--json");
    assert.equal(ran.code, 0, ran.stderr);
    const report = ran.json();
    assert.equal(report.disposition, "submitted");
    assert.equal(report.ticket, "T-0001");
    assert.equal(report.checks, "passed");
    assert.equal(report.turns, 6);
    assert.deepEqual(report.changed, [{ path: "add.sh", added: 1, removed: 1 }]);
    assert.equal(report.model.evidence, "fixture");
    assert.equal(report.decision.next_role, "qa");
    assert.equal(report.branch, "svc/T-0001-mend-add");
    // The checkout is the user's: its files are as they were, and only the ticket moved on main.
    assert.equal(await site.repo.read("add.sh"), BUGGY["add.sh"]);
    assert.equal(await site.repo.git("status", "--porcelain"), "");
    assert.match(await site.repo.git("ls-files", "docs/tickets"), /review\/T-0001/);
    const message = await site.repo.git("log", "-1", "--format=%B", report.branch);
    assert.match(message, /^fix\(add\): add, not subtract\n\nSvc-Role: engineer\nSvc-Job: /);
    assert.match(message, /Svc-Ticket: T-0001/);
    // One job, and the next role is not started.
    assert.equal(site.model.requests.length, 6);
    assert.match(
      (await site.svc("explain", report.job)).stdout,
      /roles\.engineer\.routes\.submitted/,
    );

    const trace = (await Deno.readTextFile(report.trace)).trim().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.deepEqual(
      trace.filter(({ kind }) => kind === "turn").map(({ turn }) => turn),
      [1, 2, 3, 4, 5, 6],
    );
    assert.equal(trace.find(({ kind }) => kind === "job").evidence, "fixture");
    // A check that fails before and passes after, both seen by svc.
    const outcomes = trace.filter(({ kind }) => kind === "turn").flatMap(({ outcomes }) =>
      outcomes
    );
    const checks = outcomes.filter(({ tool }: { tool: string }) => tool === "check_run");
    assert.deepEqual(checks.map(({ status }: { status: string }) => status), ["failed", "ok"]);
    assert.ok(report.trace.startsWith(`${site.home}/traces/`));
    assert.equal((await Deno.stat(report.trace)).mode! & 0o777, 0o600);
  },
);

verifies(
  ["1:execution-profile:run-defaults-to-observer", "4.5:run:repo", "1:run:selected-database"],
  "svc run in observer profile, the default, changes nothing in the repo whatever the model tries",
  async () => {
    const tries = [
      { name: "file_write", args: { path: "evil.sh", content: "x" } },
      { name: "file_edit", args: { path: "add.sh", old: "1", new: "2" } },
      { name: "command_run", args: { argv: ["touch", "evil"] } },
      { name: "check_run", args: { name: "test" } },
      { name: "git_commit", args: { message: "x" } },
      { name: "ticket_create", args: { title: "x", context: "x", acceptance: ["x"] } },
    ];
    await using site = await runSite({
      scenario: {
        roles: { engineer: [{ reply: { calls: tries } }, finish("submitted")] },
      },
    });
    await site.svc("tickets", "new", "--title", "Mend add");
    const before = await site.state();
    const endpoint = ["--model-endpoint", site.model.url];
    const repo = ["--repo", site.repo.path];
    const ran = await site.svcFromHome("run", "engineer", ...repo, ...endpoint, "--json");
    assert.equal(await site.state(), before);
    const report = ran.json();
    assert.equal(report.profile, "observer");
    assert.equal(report.denials, tries.length);
    assert.equal(report.decision.applied, false);
    assert.equal(report.decision.move, "T-0001: in-progress → review");
    assert.equal(report.branch, null);
    const database = `${site.home}/db/${site.repo.path.split("/").at(-1)}/svc.db`;
    assert.ok((await Deno.stat(database)).isFile);
    // What it was offered is only what it may use.
    const offered = site.model.requests[0]!.request.tools!.map((tool) => tool.function.name);
    assert.ok(!offered.some((name) => /write|edit|run|commit|create/.test(name)), offered.join());
  },
);

verifies(
  ["4.5:run:dry-run", "4.5:run:no-init", "4.5:run:dry-run-no-init-writes-nothing"],
  "svc run --dry-run --no-init shows the exact prompt and tools, asks nobody and writes nothing",
  async () => {
    await using site = await runSite({ scenario: {}, harness: false });
    const before = await site.state();
    const dry = ["engineer", "--dry-run", "--no-init", "--task", "Mend add"];
    const preview = (await site.run(...dry, "--json")).json();
    assert.equal(preview.dry_run, true);
    assert.equal(preview.harness, "bundled");
    assert.match(preview.system, /# Role: engineer/);
    assert.match(preview.task, /Mend add/);
    assert.ok(preview.tools.length > 3);
    assert.equal(preview.limits.max_turns, 50);
    assert.equal(await site.state(), before);
    assert.deepEqual(site.model.paths, []);
    await assert.rejects(Deno.stat(`${site.home}/db`), Deno.errors.NotFound);

    // The preview is what is sent.
    await using real = await runSite({
      scenario: { roles: { engineer: [finish("blocked")] } },
      harness: false,
    });
    const [said] = [await real.run(...dry, "--json")];
    await real.run("engineer", "--no-init", "--task", "Mend add");
    const [sent] = real.model.requests;
    assert.equal(sent!.request.messages[0]!.content, said!.json().system);
    assert.equal(sent!.request.messages[1]!.content, said!.json().task);
    assert.deepEqual(sent!.request.tools, said!.json().tools);
    await assert.rejects(Deno.stat(`${real.repo.path}/.harness`), Deno.errors.NotFound);
  },
);

Deno.test("svc run refuses a repo without a harness in observer profile, and says both ways on", async () => {
  await using site = await runSite({ scenario: {}, harness: false });
  const before = await site.state();
  const ran = await site.run("engineer", "--task", "x");
  assert.equal(ran.code, 3, ran.stderr);
  assert.match(ran.stderr, /has no harness/);
  assert.match(ran.stderr, /svc init.*--no-init/);
  assert.equal(await site.state(), before);
});

Deno.test("svc run in host profile gives a repo its harness first, as one commit", async () => {
  await using site = await runSite({
    scenario: { roles: { engineer: [finish("blocked")] } },
    harness: false,
  });
  const ran = await site.run("engineer", "--task", "x", ...HOST);
  assert.equal(ran.code, 1, ran.stderr);
  assert.match(
    await site.repo.git("log", "--format=%s"),
    /^chore\(harness\): initialize svc harness$/m,
  );
  assert.equal(await site.repo.git("status", "--porcelain"), "");
});

verifies(
  ["4.5:run:max-turns", "4.5:run:budget"],
  "svc run ends at its limits, with a last turn in which only finish is carried out",
  async () => {
    const look = {
      reply: { calls: [{ name: "file_read", args: { path: "add.sh" } }] },
      always: true,
    };
    await using site = await runSite({ scenario: { roles: { engineer: [look] } } });
    const turns = await site.run("engineer", "--task", "x", "--max-turns", "2", "--json");
    assert.equal(turns.code, 1, turns.stderr);
    assert.equal(turns.json().disposition, "turns_exhausted");
    const [first, last] = [site.model.requests[0]!, site.model.requests.at(-1)!];
    assert.deepEqual(last.request.tools, first.request.tools);
    assert.match(JSON.stringify(last.request.messages), /only finish can be called now/);

    const asked = site.model.requests.length;
    const { tokens_in, turns: taken } = turns.json();
    const some = String(Math.ceil(tokens_in / taken) + 250);
    const budget = await site.run("engineer", "--task", "x", "--budget", some, "--json");
    assert.equal(budget.json().disposition, "budget_exhausted", budget.json().evidence);
    assert.ok(budget.json().turns > 0 && site.model.requests.length - asked < 5);
    for (const money of ["$2", "2usd"]) {
      const free = await site.run(
        "engineer",
        "--task",
        "x",
        "--budget",
        money,
        "--dry-run",
        "--json",
      );
      const { budget_tokens, budget_usd } = free.json().limits;
      assert.deepEqual([budget_tokens, budget_usd], [null, null], "a local model costs nothing");
    }
    const bad = await site.run("engineer", "--task", "x", "--budget", "lots");
    assert.equal(bad.code, 2);
    assert.match(bad.stderr, /200k/);
  },
);

verifies(
  [
    "4.5:run:debug",
    "4.5:run:trace",
    "4.5:run:log-file",
    "2.1:command-log:log-file-flag",
    "1:log-path:outside-target-repo",
  ],
  "svc run streams what happens with --debug and --trace, and logs where it is told, outside the repo",
  async () => {
    const script = [
      {
        reply: { text: "I look first.", calls: [{ name: "file_read", args: { path: "add.sh" } }] },
      },
      finish("blocked", "Ada must say what add is for"),
    ];
    await using site = await runSite({
      scenario: { roles: { engineer: [script, script, script] } },
    });
    const plain = await site.run("engineer", "--task", "x");
    assert.match(plain.stderr, /^turn 1: file_read ok/m);
    assert.doesNotMatch(plain.stderr, /I look first|^permission /m);
    const log = `${site.home.replace(/\/[^/]+$/, "")}/here.log`;
    for (const flag of ["--debug", "--trace"]) {
      const ran = await site.run("engineer", "--task", "x", flag, "--log-file", log);
      assert.match(ran.stderr, /I look first[\s\S]*file_read \|/);
      assert.match(ran.stderr, new RegExp(`^permission write: ${site.home}/db .* ${log}$`, "m"));
    }
    assert.equal((await Deno.stat(log)).mode! & 0o777, 0o600);
    assert.match(await Deno.readTextFile(log), /INFO .*job .*: engineer/);
    const inside = await site.run(
      "engineer",
      "--task",
      "x",
      "--log-file",
      `${site.repo.path}/x.log`,
    );
    assert.equal(inside.code, 2);
    assert.match(inside.stderr, /--log-file/);
  },
);

Deno.test("svc run sends work back that has no commit, or whose checks fail", async () => {
  const wrong = [
    {
      reply: {
        calls: [{ name: "file_edit", args: { path: "add.sh", old: "$1 - $2", new: "$1 * $2" } }],
      },
    },
    ...TRUST_ME,
  ];
  await using site = await runSite({ scenario: { roles: { engineer: [wrong, TRUST_ME] } } });
  await site.svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
  const red = (await site.run("engineer", ...HOST, "--json")).json();
  assert.equal(red.reported, "submitted");
  assert.equal(red.disposition, "checks_failed");
  assert.deepEqual(red.failed_checks, ["test"]);
  assert.match(await site.repo.git("ls-files", "docs/tickets"), /in-progress\/T-0001/);

  await using other = await runSite({ scenario: { roles: { engineer: TRUST_ME } } });
  await other.svc("tickets", "new", "--title", "Mend add");
  const none = (await other.run("engineer", ...HOST, "--json")).json();
  assert.equal(none.disposition, "no_work");
  const refused = { rule: "roles.engineer.routes.submitted", why: "no commit was made" };
  assert.deepEqual(none.decision.refused[0], refused);
  const ran = await other.run("engineer", ...HOST);
  assert.match(ran.stderr, /^turn 1: finish refused .*\nturn 2: finish refused /m);
  const why = /^It reported submitted; svc saw no proof of that: no commit was made$/m;
  assert.match(ran.stdout, why);
});

Deno.test("svc run names what it misses: roles, tickets, a model", async () => {
  await using site = await runSite({ scenario: {} });
  const role = await site.run("enginer", "--task", "x");
  assert.equal(role.code, 2);
  assert.match(role.stderr, /Did you mean "engineer"/);
  const ticket = await site.run("engineer", "--ticket", "T-0099");
  assert.equal(ticket.code, 1);
  assert.match(ticket.stderr, /T-0099/);
  const none = await site.run("engineer");
  assert.match(none.stderr, /no ticket for "engineer" can be started/);
  const both = await site.run("engineer", "--task", "x", "--ticket", "1");
  assert.equal(both.code, 2);
  const gone = await site.svc(
    "run",
    "engineer",
    "--task",
    "x",
    "--model-endpoint",
    "http://127.0.0.1:9/v1",
  );
  assert.equal(gone.code, 5, gone.stdout + gone.stderr);
  assert.match(gone.stdout + gone.stderr, /--model-endpoint/);
  assert.match(gone.stdout, /^next: svc models list$/m);
});

Deno.test("a model that cannot be asked is no word of the role: exit 5, and no route of it", async () => {
  await using site = await runSite({ scenario: {} });
  const at = async (endpoint: string) => {
    const asked = ["run", "engineer", "--task", "x", "--json", "--model-endpoint", endpoint];
    const { code, json } = await site.svc(...asked);
    assert.equal(code, 5);
    const { disposition, decision, evidence } = json();
    assert.equal(disposition, "model_error");
    assert.equal(decision.next_role, null);
    return evidence as string;
  };
  assert.match(await at(`${site.model.url}#nosuch`), /Cannot use the model "nosuch".*it has/);
  assert.match(
    await at(new URL("/nowhere", site.model.url).href),
    /answered 404.*Give the base URL/,
  );
});

Deno.test("a role judges only what it saw: qa approves, svc merges, the work tree's branch is on main", async () => {
  await using site = await runSite({
    scenario: {
      roles: {
        engineer: FIX,
        qa: [
          { reply: { calls: [{ name: "git_diff", args: { since: "main" } }] } },
          finish("approved", "make test passes on the branch"),
        ],
      },
    },
  });
  await site.svc("tickets", "new", "--title", "Mend add");
  assert.equal((await site.run("engineer", ...HOST)).code, 0);
  const approved = (await site.run("qa", ...HOST, "--json")).json();
  assert.equal(approved.disposition, "approved");
  assert.deepEqual(approved.decision.waits_for, []);
  assert.match(await site.repo.read("add.sh"), /\+/);
  assert.match(await site.repo.git("ls-files", "docs/tickets"), /done\/T-0001/);
  const [merge] = (await site.repo.git("log", "--merges", "--format=%s")).split("\n");
  assert.equal(merge, "chore(merge): merge svc/T-0001-mend-add into main");
  assert.equal(await site.repo.git("status", "--porcelain"), "");
});

Deno.test("svc run --resume goes on where a killed run was cut off", async () => {
  const look = { reply: { calls: [{ name: "file_read", args: { path: "add.sh" } }] } };
  await using site = await runSite({
    scenario: {
      roles: { engineer: [look, { bad: "hang" }, finish("blocked", "Ada must decide")] },
    },
  });
  const [program, ...first] = svcCommand();
  const task = ["run", "engineer", "--task", "Explain add", "--model-endpoint", site.model.url];
  const child = new Deno.Command(program, {
    args: [...first, ...task],
    cwd: site.repo.path,
    env: site.env,
    clearEnv: true,
    stdout: "null",
    stderr: "null",
  }).spawn();
  await site.model.asked(2);
  child.kill("SIGKILL");
  await child.status;
  const [trace] = await Array.fromAsync(
    Deno.readDir(`${site.home}/traces/${await only(`${site.home}/traces`, /-[0-9a-f]{12}$/)}`),
  );
  const job = trace!.name.replace(".jsonl", "");

  const other = await site.run("qa", "--resume", job);
  assert.equal(other.code, 6, other.stderr);
  assert.match(other.stderr, /it ran as engineer/);
  const resumed = await site.run("engineer", "--resume", job.slice(-8), "--json");
  assert.equal(resumed.json().disposition, "blocked", resumed.stderr);
  const sent = site.model.requests.at(-1)!.request.messages;
  assert.match(sent[1]!.content, /Explain add/);
  assert.match(sent.find(({ role }) => role === "tool")!.content, /add\.sh/);
  const again = await site.run("engineer", "--resume", resumed.json().job);
  assert.match(again.stderr, /it came to its own end/);
});

Deno.test("svc run begins nothing in the middle of a merge, and says so", async () => {
  await using site = await runSite({ scenario: { roles: { engineer: FIX } } });
  await site.svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
  const begun = `${site.repo.path}/.git/MERGE_HEAD`;
  await Deno.writeTextFile(begun, await site.repo.git("rev-parse", "HEAD"));
  const ran = await site.run("engineer", ...HOST, "--json");
  assert.equal(ran.code, 6, ran.stderr);
  assert.match(ran.json().error.message, /a merge is going on/);
  assert.equal(site.model.requests.length, 0);
  assert.match(await site.repo.git("ls-files", "docs/tickets"), /backlog\/T-0001/);
  await Deno.remove(begun);
  assert.equal((await site.run("engineer", ...HOST, "--json")).json().disposition, "submitted");
});

/** The only name in a folder that fits. */
async function only(folder: string, fits: RegExp): Promise<string> {
  const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  const found = names.filter((name) => fits.test(name));
  assert.equal(found.length, 1, names.join());
  return found[0]!;
}
