/** A person in the loop, through the real program and a scripted model: a question, its answer, and what follows. */
import assert from "node:assert/strict";
import { BUGGY, HOST, type RunSite, runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";
import { call, said, turns } from "tests/kit/scripted_turns.ts";

const ASK = call("finish", {
  disposition: "question",
  question: "May add.sh print a newline?",
  choices: ["yes", "no"],
  why: "the ticket does not say",
});

Deno.test("svc run asks, svc tickets answer answers, and the next run goes on with both", async () => {
  const fix = call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" });
  const engineer = [
    turns(call("file_read", { path: "add.sh" }), fix, ASK),
    turns(
      (request) => {
        assert.match(said(request), /May add\.sh print a newline\?[^]*Ada answered[^]*> yes/);
        assert.match(said(request), /unfinished changes are in your work tree[^]*add\.sh/);
        return call("git_commit", { message: "fix(add): add" });
      },
      call("finish", { disposition: "submitted", evidence: "make test passes" }),
    ),
  ];
  await using site = await runSite({ scenario: { roles: { engineer } }, files: BUGGY });
  await site.svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
  const asked = await site.run("engineer", "--json", ...HOST);
  assert.equal(asked.code, 1, asked.stderr);
  const { disposition, question, decision, next, job } = asked.json();
  assert.deepEqual([disposition, decision.move], ["blocked", "T-0001: in-progress → blocked"]);
  assert.deepEqual(question, {
    asked: "May add.sh print a newline?",
    choices: ["yes", "no"],
    why: "the ticket does not say",
  });
  assert.equal(next, 'svc tickets answer T-0001 "…"');
  const before = await site.svc("explain", job);
  assert.match(before.stdout, /May add\.sh print a newline\?/);
  assert.match(before.stdout, /answer: +waits: svc tickets answer T-0001/, before.stdout);

  const answered = await site.svc("tickets", "answer", "T-0001", "--choice", "1", "--yes");
  assert.match(answered.stdout, /^Answered engineer: T-0001 blocked → backlog, in commit /);
  assert.match(answered.stdout, /svc run engineer --ticket T-0001/);
  const after = await site.svc("explain", job);
  assert.match(after.stdout, /^answer: +Ada answered, [\d-]+T[\d:]+Z: yes$/m, after.stdout);
  const done = await site.run("engineer", "--json", ...HOST);
  assert.equal(done.code, 0, done.stderr + done.stdout);
  assert.deepEqual([done.json().disposition, done.json().checks], ["submitted", "passed"]);
  assert.ok(!(await site.repo.git("log", "--format=%s", done.json().branch)).includes("wip"));
});

/** While the model is being asked: from another process. */
function told({ repo, env }: RunSite, ...args: string[]): { code: number; text: string } {
  const [program, ...first] = svcCommand();
  const words = [...first, "jobs", ...args];
  const { code, stdout, stderr } = new Deno.Command(program, {
    ...{ args: words, cwd: repo.path, env, clearEnv: true, stdin: "null" },
  }).outputSync();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

Deno.test("svc jobs tell reaches a job that runs in another process, and says when it cannot", async () => {
  const site: { now?: RunSite } = {};
  const engineer = turns(
    () => {
      const listed = JSON.parse(told(site.now!, "list", "--status", "running", "--json").text);
      const { id } = listed.jobs[0];
      const { code, text } = told(site.now!, "tell", id.slice(-12), "print no newline", "--yes");
      assert.match(text, /^Told engineer, job .*: it reads this before its next turn/);
      assert.equal(code, 0);
      assert.match(told(site.now!, "tell", id, "x").text, /no terminal is here/);
      return call("file_read", { path: "add.sh" });
    },
    (request) => {
      assert.match(said(request), /A person who follows this job says[^]*Ada: print no newline/);
      return call("finish", { disposition: "blocked", evidence: "cannot" });
    },
  );
  await using made = await runSite({ scenario: { roles: { engineer } }, files: BUGGY });
  site.now = made;
  await made.svc("tickets", "new", "--title", "Mend add");
  const ran = await made.run("engineer", "--json", ...HOST);
  const { job, disposition, evidence } = ran.json();
  assert.deepEqual([disposition, evidence], ["blocked", "cannot"], ran.stderr);
  assert.match((await made.svc("explain", job)).stdout, /note: +Ada, .*, read: print no newline/);
  const over = await made.svc("jobs", "tell", job, "more", "--yes");
  assert.equal(over.code, 6);
  assert.match(over.stderr, /Cannot tell job ".*": it is over \(blocked\)/);
  const unknown = await made.svc("jobs", "tell", "0123456789ab", "more", "--yes");
  assert.match(unknown.stderr, /Cannot tell job "0123456789ab": there is none/);
});
