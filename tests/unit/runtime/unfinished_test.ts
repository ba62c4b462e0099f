/** What becomes of work that a run leaves without handing it in, with the real engine, a scripted model and real git. */
import assert from "node:assert/strict";
import { type ChatRequest, modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { type Clock, systemClock } from "svc/platform/clock.ts";
import type { EnginePlan } from "svc/runtime/engine/engine_plan.ts";
import {
  carryOut,
  enginePorts,
  type HarnessedPlan,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  type Taps,
  ticketed,
  ticketsOf,
  watchedEngine,
} from "./engine_place.ts";
import { type Reply, said } from "tests/kit/scripted_turns.ts";
import { call, finish, TEAM, turns } from "./team.ts";

type Steps = ReturnType<typeof turns>;

const RIGHT = call("file_write", { path: "fixed.txt", content: "fixed\n" });
const DONE = { text: "I am done: the check passes now." };
/** Each run begins with its own steps. */
const stuckAfter = (...replies: readonly Reply[]) => turns(...replies, DONE, DONE, DONE);

interface Told {
  readonly lines: readonly string[];
  readonly state: string | undefined;
  readonly text: string;
  readonly git: (...args: string[]) => Promise<string>;
  /** What engineers were told first. */
  readonly prompts: readonly string[];
}

interface Scene extends HarnessedPlan {
  readonly engine?: Partial<EnginePlan>;
  readonly taps?: Taps;
  readonly qa?: Steps;
}

async function played(
  engineer: readonly Steps[],
  { engine, taps, qa, ...plan }: Scene,
  judge: (told: Told, repo: TempRepo) => Promise<void>,
): Promise<void> {
  await using repo = await harnessedRepo(plan);
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path, taps);
  const { orchestrator, qa: approves } = TEAM.roles;
  await using endpoint = modelEndpoint({
    roles: { orchestrator, engineer, qa: qa ?? approves },
  });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, id, "engineer", "T-0001");
  await carryOut(ports, endpoint.url, engine);
  const [ticket] = await ticketsOf(ports, repo.path);
  const first = ({ messages }: ChatRequest) =>
    messages.length === 2 && /Role: engineer/.test(messages[0]!.content);
  await judge({
    lines: (await jobLines(ports)).filter((line) => !line.startsWith("orchestrator")),
    state: ticket?.state,
    text: ticket === undefined ? "" : await repo.read(ticket.path),
    git: repo.git,
    prompts: endpoint.requests.map(({ request }) => request).filter(first)
      .map(({ messages }) => messages[1]!.content),
  }, repo);
}

Deno.test("a right edit and then only words: svc proves it, hands it in, and it is merged", async () => {
  await played([stuckAfter(RIGHT)], {}, async ({ lines, state, text, git }) => {
    assert.deepEqual(lines, [
      "engineer T-0001 completed submitted",
      "qa T-0001 completed approved",
    ]);
    assert.equal(state, "done");
    assert.match(
      text,
      /The run ended stuck \(.*\)\. What it had done is whole and passes the checks/,
    );
    assert.equal(await git("show", "main:fixed.txt"), "fixed\n");
    assert.doesNotMatch(await git("log", "--format=%B", "main"), /wip|Svc-Unfinished/);
    assert.match(await git("log", "--format=%s", "main"), /^feat: make the test pass$/m);
  });
});

Deno.test("half of the work: it is committed as unfinished with what was tried, and the next attempt has both", async () => {
  const first = stuckAfter(
    call("file_write", { path: "wrong.txt", content: "half\n" }),
    call("check_run", { name: "test" }),
  );
  const unfinished: string[] = [];
  const second = turns(
    call("command_run", { argv: ["git", "log", "--format=%B", "-1", "HEAD@{1}"] }),
    (request) => {
      unfinished.push(said(request));
      return call("git_diff", {});
    },
    (request) => {
      assert.match(request.messages.at(-1)!.content, /^\+half$/m);
      return RIGHT;
    },
    call("git_commit", { message: "fix: make the test pass" }),
    finish("submitted"),
  );
  await played([first, second], {}, async ({ lines, state, text, git, prompts }) => {
    assert.deepEqual(lines, [
      "engineer T-0001 failed stuck",
      "engineer T-0001 completed submitted",
      "qa T-0001 completed approved",
    ]);
    assert.equal(state, "done");
    assert.doesNotMatch(prompts[0]!, /An attempt before yours/);
    for (
      const told of [
        /# An attempt before yours/,
        /It ended stuck: /,
        /- file_write "wrong\.txt"\n- check_run "test": failed/,
        /Its last words: I am done: the check passes now\./,
        /--- test: .*the last lines of its output/,
        /in your work tree, not committed[^`]*```text\nA wrong\.txt\n```/,
      ]
    ) assert.match(prompts[1]!, told);
    assert.match(unfinished[0]!, /chore\(wip\): make the test pass/);
    assert.match(unfinished[0]!, /Svc-Unfinished: stuck/);
    assert.match(text, /attempt 1 of 3 gave no result: stuck/);
    // The unfinished commit itself goes nowhere.
    assert.doesNotMatch(await git("log", "--format=%B", "main"), /wip|Svc-Unfinished/);
    assert.equal(await git("show", "main:wrong.txt"), "half\n");
  });
});

Deno.test("a run that changed nothing leaves nothing, and is tried again", async () => {
  await played([stuckAfter(call("file_list", {}))], {}, async ({ lines, state, git, prompts }) => {
    assert.deepEqual(lines, Array(3).fill("engineer T-0001 failed stuck"));
    assert.equal(state, "blocked");
    assert.equal(await git("log", "--format=%s", "--all", "--grep=wip"), "");
    assert.equal(await git("for-each-ref", "refs/svc"), "");
    assert.match(prompts[1]!, /What it tried \(1 calls, newest last\):\n- file_list/);
  });
});

Deno.test("an edit that no check can prove, or that the policy ended, is not handed in", async () => {
  const manifest = (text: string) =>
    text.replace(/(checks:\n +- ).*\n/, '$1{ name: lint, run: ["false"] }\n');
  await played([stuckAfter(RIGHT)], { manifest }, ({ lines, git: _ }) => {
    assert.equal(lines[0], "engineer T-0001 failed stuck");
    return Promise.resolve();
  });
  const denied = call("file_write", { path: ".harness/manifest.yaml", content: "x" });
  const stubborn = turns(RIGHT, ...Array(6).fill(denied));
  await played([stubborn], {}, async ({ lines, git }) => {
    assert.equal(lines[0], "engineer T-0001 failed policy_denied");
    assert.match(await git("log", "--format=%s", "--all"), /^chore\(wip\)/m);
  });
});

Deno.test("out of turns with work of its own commit: what it committed is proven", async () => {
  const engineer = turns(RIGHT, call("git_commit", { message: "fix: it" }), call("file_list", {}));
  await played([engineer], { engine: { maxTurns: 3 } }, async ({ lines, state, git }) => {
    assert.deepEqual(lines, [
      "engineer T-0001 completed submitted",
      "qa T-0001 completed approved",
    ]);
    assert.equal(state, "done");
    assert.match(await git("log", "--format=%s", "main"), /^fix: it$/m);
  });
});

Deno.test("a model that is gone after the edit: the edit is proven all the same", async () => {
  const engineer = [...turns(RIGHT), { when: { turn: 1 }, always: true, bad: "http_401" }];
  await played([engineer], {}, ({ lines, git: _ }) => {
    assert.equal(lines[0], "engineer T-0001 completed submitted");
    return Promise.resolve();
  });
});

Deno.test("out of time in the middle: the edit that is there is proven", async () => {
  const over = Promise.withResolvers<void>();
  const clock: Clock = {
    ...systemClock,
    // The role's own time; the turn of grace keeps its minute.
    sleep: (ms, signal) =>
      ms === 30 * 60_000
        ? Promise.race([over.promise, systemClock.sleep(ms, signal)])
        : systemClock.sleep(ms, signal),
  };
  const engineer = turns(RIGHT, () => {
    over.resolve();
    return call("file_list", {});
  }, ...Array(4).fill(DONE));
  await played([engineer], { taps: { clock } }, ({ lines, text }) => {
    assert.deepEqual(lines, [
      "engineer T-0001 completed submitted",
      "qa T-0001 completed approved",
    ]);
    assert.match(text, /The run ended timed_out \(/);
    return Promise.resolve();
  });
});

Deno.test("an attempt that was cut off: the next one finds its edit and what it did", async () => {
  await using repo = await harnessedRepo();
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, id, "engineer", "T-0001");
  {
    const engineer = [...turns(RIGHT), { when: { turn: 1 }, always: true, bad: "hang" }];
    await using endpoint = modelEndpoint({ roles: { engineer } });
    const { engine, seen } = watchedEngine(ports, { modelEndpoint: endpoint.url });
    await seen(({ kind }) => kind === "turn");
    await engine.stop({ graceMs: 0 });
  }
  assert.deepEqual(await jobLines(ports), ["engineer T-0001 pending -"]);
  let told = "";
  const engineer = turns((request) => {
    told = request.messages.at(-1)!.content;
    return finish("submitted");
  });
  await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer } });
  await carryOut(ports, endpoint.url);
  assert.match(
    told,
    /It was cut off\.\n\nWhat it tried \(1 calls, newest last\):\n- file_write "fixed/,
  );
  assert.match(told, /in your work tree, not committed[^`]*```text\nA fixed\.txt\n```/);
  assert.equal((await ticketsOf(ports, repo.path))[0]?.state, "done");
  assert.equal(await repo.git("show", "main:fixed.txt"), "fixed\n");
});

Deno.test("what a guard refuses is kept beside the branch and told; the rest is committed", async () => {
  const secret = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");
  const script = `printf 'token = "%s%s"\\n' ghp_ ${secret.slice(4)} > key.txt\n` +
    "mkdir -p .github/workflows; echo x > .github/workflows/ci.yml; ln -s app.txt link\n";
  const first = stuckAfter(
    call("file_write", { path: "mk.sh", content: script }),
    call("command_run", { argv: ["sh", "mk.sh"] }),
    RIGHT,
  );
  const second = turns(call("git_commit", { message: "fix: it" }), finish("submitted"));
  await played([first, second], {}, async ({ lines, state, text, git, prompts }) => {
    assert.deepEqual(lines, [
      "engineer T-0001 failed stuck",
      "engineer T-0001 completed submitted",
      "qa T-0001 completed approved",
    ]);
    assert.equal(state, "done");
    const [ref] = (await git("for-each-ref", "--format=%(refname)", "refs/svc")).split("\n");
    assert.ok((await git("show", `${ref}:key.txt`)).includes(secret));
    assert.match(prompts[1]!, new RegExp(`leftovers \\{"ref": "${ref}"\\}`));
    assert.match(prompts[1]!, /A \.github\/workflows\/ci\.yml\nA key\.txt\nA link/);
    assert.ok(![...prompts, text].join("").includes(secret));
    assert.ok(!(await git("log", "-p", "main")).includes(secret));
    assert.doesNotMatch(await git("ls-tree", "-r", "--name-only", "main"), /key\.txt|ci\.yml|link/);
  });
});
