/** The finish gate answers in the run: a scripted model over real HTTP, the real engine, git and checks. */
import assert from "node:assert/strict";
import { type ChatRequest, modelEndpoint } from "tests/kit/model_endpoint.ts";
import type { Reply } from "tests/kit/scripted_turns.ts";
import { said } from "tests/kit/scripted_turns.ts";
import { type Files, tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "./engine_place.ts";
import { call, finish, ORCHESTRATOR, QA, turns } from "./team.ts";

interface Told {
  readonly lines: readonly string[];
  readonly state: string | undefined;
  readonly ticket: string;
  /** Inputs of the decisions, oldest first. */
  // deno-lint-ignore no-explicit-any -- the shape of what was stored is what tests look at
  readonly inputs: readonly any[];
  /** What the roles were asked, by the role. */
  asked(role: string): readonly ChatRequest[];
  /** Names of the recorded runs of checks, oldest first. */
  readonly ran: readonly string[];
}

/** The check `test` is red until there is a `fixed.txt`, `lint` once there is a `bad.txt`. */
async function played(engineer: readonly Reply[], scene: {
  readonly qa?: readonly Reply[];
  readonly files?: Files;
  readonly acceptance?: readonly string[];
} = {}): Promise<Told> {
  await using repo = await harnessedRepo({
    files: {
      "lint.sh": "test ! -e bad.txt || { seq 1 50; echo bad.txt is bad; exit 3; }\n",
      ...scene.files,
    },
    manifest: (text) =>
      text.replace(
        /^( +)checks:$/m,
        (line, space) => `${line}\n${space}  - { name: lint, run: [sh, lint.sh] }`,
      ),
  });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const { qa } = scene;
  await using endpoint = modelEndpoint({
    roles: {
      orchestrator: ORCHESTRATOR,
      qa: qa === undefined ? QA : turns(...qa),
      engineer: turns(...engineer),
    },
  });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path, { acceptance: scene.acceptance ?? ["there is a two.txt"] });
  await queued(ports, id, "engineer", "T-0001");
  await carryOut(ports, endpoint.url);
  const [ticket] = await ticketsOf(ports, repo.path);
  const decisions = await ports.db.selectFrom("decisions").select("inputs").orderBy("id").execute();
  const checks = await ports.db.selectFrom("checks").select("name").orderBy("started_at")
    .orderBy("id").execute();
  return {
    lines: (await jobLines(ports)).filter((line) => !line.startsWith("orchestrator")),
    state: ticket?.state,
    ticket: ticket === undefined ? "" : await repo.read(ticket.path),
    inputs: decisions.map(({ inputs }) => JSON.parse(inputs)),
    asked: (role) =>
      endpoint.requests.map(({ request }) => request)
        .filter(({ messages }) => messages[0]!.content.includes(`# Role: ${role}`)),
    ran: checks.map(({ name }) => name),
  };
}

const write = (path: string, content = "x\n") => call("file_write", { path, content });
const commit = call("git_commit", { message: "fix: it" });
const lastText = ({ messages }: ChatRequest) => messages.at(-1)!.content;
const DONE = ["engineer T-0001 completed submitted", "qa T-0001 completed approved"];

Deno.test("a check that was red before the work lets a right change through in one attempt", async () => {
  const told = await played([write("two.txt"), commit, finish("submitted")]);
  assert.deepEqual(told.lines, DONE);
  assert.equal(told.state, "done");
  assert.match(told.ticket, /engineer: it is submitted\. svc saw red before and after: test ·/);
  const { checks, red_before, red_before_output } = told.inputs[0];
  assert.deepEqual([checks, red_before], ["red_before", ["test"]]);
  assert.match(red_before_output, /^test: ended with exit code 1/);
  // The base is asked once, for engineer and qa.
  assert.equal(told.ran.filter((name) => name === "test (base)").length, 2);
});

Deno.test("what the work broke beside it comes back with its last lines, and is mended in the same run", async () => {
  const told = await played([
    write("bad.txt"),
    finish("submitted"),
    (request) => {
      const text = lastText(request);
      assert.match(text, /^Not finished: checks failed: lint\.$/m);
      assert.match(text, /^Red before your work too, and not yours to mend: test\.$/m);
      assert.match(text, /^--- lint: ended with exit code 3; the last lines of its output:\n12\n/m);
      assert.match(text, /^bad\.txt is bad$/m);
      return call("command_run", { argv: ["rm", "bad.txt"] });
    },
    write("two.txt"),
    commit,
    finish("submitted"),
  ]);
  assert.deepEqual(told.lines, DONE);
  assert.equal(told.state, "done");
  const tools = told.asked("engineer").map(({ tools }) => JSON.stringify(tools));
  assert.equal(new Set(tools).size, 1);
});

Deno.test("a ticket about the red check needs it green, and the second refusal ends the job with its lines", async () => {
  const told = await played([
    (request) => {
      const again = /attempts: 1$/m.test(said(request));
      if (again) assert.match(said(request), /checks failed: test\. test: ended with exit code 1/);
      return write(again ? "fixed.txt" : "wrong.txt");
    },
    finish("submitted"),
    { text: "The check was red before I came. I have done my part." },
    finish("submitted", { evidence: "it was red before" }),
  ], {
    acceptance: ["`sh test.sh` passes"],
    files: { "test.sh": "test -e fixed.txt || { echo no fix; exit 1; }\n" },
  });
  assert.deepEqual(told.lines, ["engineer T-0001 completed checks_failed", ...DONE]);
  assert.match(
    told.ticket,
    /no result: checks_failed: checks failed: test\. .*its output ends: no fix/,
  );
  assert.equal(told.ran.filter((name) => name.endsWith("(base)")).length, 0);
});

Deno.test("a check that is red by chance costs no attempt, and is named in the decision", async () => {
  await using folder = await tempFolder();
  const flag = `${folder.path}/flag`;
  const told = await played([write("odd.txt"), finish("submitted")], {
    files: { "test.sh": `test ! -e odd.txt || test -e ${flag} || { touch ${flag}; exit 1; }\n` },
  });
  assert.deepEqual(told.lines, DONE);
  const [submitted, approved] = told.inputs;
  assert.deepEqual([submitted.checks, submitted.flaky_checks], ["passed", ["test"]]);
  assert.equal(approved.flaky_checks, undefined);
});

Deno.test("a judge that approves what is red hears it, and sends the work back in its own words", async () => {
  const told = await played([
    (request) => write(/^rework: 1$/m.test(said(request)) ? "more.txt" : "fixed.txt"),
    (request) => write(/^rework: 1$/m.test(said(request)) ? "evenmore.txt" : "other.txt"),
    finish("submitted"),
  ], {
    qa: [
      finish("approved"),
      (request) => {
        assert.match(lastText(request), /^Not finished: checks failed: test\.$/m);
        return finish("changes_requested", { evidence: "git ignores fixed.txt" });
      },
    ],
    files: {
      ".gitignore": "fixed.txt\n",
      "test.sh": "test -e fixed.txt || test -e more.txt\n",
    },
    acceptance: ["the check test passes"],
  });
  assert.deepEqual(told.lines, [
    "engineer T-0001 completed submitted",
    "qa T-0001 completed changes_requested",
    ...DONE,
  ]);
  assert.match(told.ticket, /qa: git ignores fixed\.txt ·/);
});

Deno.test("work that was not committed, and fields that nobody asked for, cost no attempt", async () => {
  const told = await played([
    finish("submitted", { ticket: "T-0001" }),
    (request) => {
      assert.match(lastText(request), /^Not finished: no commit was made\.$/m);
      return write("two.txt");
    },
    finish("submitted", { ticket_id: "T-0001" }),
  ]);
  assert.deepEqual(told.lines, DONE);
  const [first] = told.asked("engineer");
  const offered = first!.tools!.find((tool) => tool.function.name === "finish");
  assert.ok(!JSON.stringify(offered).includes("ticket"));
  const [choosing] = told.asked("orchestrator");
  assert.ok(choosing === undefined || JSON.stringify(choosing.tools).includes("the chosen ticket"));
});

Deno.test("a check that the machine cannot run ends the job at once: the role cannot mend it", async () => {
  const told = await played([write("two.txt"), finish("submitted")], {
    files: { "lint.sh": "exit 127\n" },
  });
  assert.deepEqual(told.lines, ["engineer T-0001 completed blocked"]);
  assert.match(told.ticket, /Cannot run check "lint"/);
  assert.doesNotMatch(told.ticket, /^attempts: [1-9]/m);
});
