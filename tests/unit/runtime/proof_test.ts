/** What never reaches the default branch, whatever the roles say; with the real engine and real git. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { plainGit, tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  type HarnessedPlan,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "./engine_place.ts";
import { BRANCH } from "./merge_place.ts";
import { said } from "tests/kit/scripted_turns.ts";
import { call, ENGINEER, finish, ORCHESTRATOR, QA, turns } from "./team.ts";

type Steps = ReturnType<typeof turns>;

interface Told {
  readonly lines: readonly string[];
  readonly state: string | undefined;
  /** The ticket's text; empty where the ticket is gone. */
  readonly text: string;
  readonly unblock: string | undefined;
  readonly refused: readonly string[];
  /** All that any commit of main holds. */
  readonly history: string;
}

interface Scene extends HarnessedPlan {
  readonly qa?: Steps;
  /** What a person does before the engine begins. */
  prepare?(repo: TempRepo): Promise<void>;
}

/** One ticket from its engineer on, until nothing is left to do. */
async function played(
  engineer: Steps | ((repo: TempRepo) => Steps),
  { qa, prepare, ...plan }: Scene = {},
): Promise<Told> {
  await using repo = await harnessedRepo(plan);
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  const roles = { orchestrator: ORCHESTRATOR, qa: qa ?? QA };
  await using endpoint = modelEndpoint({
    roles: { ...roles, engineer: typeof engineer === "function" ? engineer(repo) : engineer },
  });
  const id = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await prepare?.(repo);
  await queued(ports, id, "engineer", "T-0001");
  await carryOut(ports, endpoint.url);
  const [ticket] = await ticketsOf(ports, repo.path);
  const decisions = await ports.db.selectFrom("decisions").select("refused").execute();
  return {
    lines: (await jobLines(ports)).filter((line) => !line.startsWith("orchestrator")),
    state: ticket?.state,
    text: ticket === undefined ? "" : await repo.read(ticket.path),
    unblock: ticket?.unblock?.action,
    refused: decisions.flatMap(({ refused }) =>
      (JSON.parse(refused) as { why: string }[]).map(({ why }) => why)
    ),
    history: await repo.git("log", "-p", "main"),
  };
}

/** A person at the checkout. */
async function byHand(repo: TempRepo, script: string): Promise<void> {
  const ended = await new Deno.Command("sh", {
    args: ["-ec", script],
    cwd: repo.path,
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  }).output();
  assert.ok(ended.success, new TextDecoder().decode(ended.stderr));
}

const ADA = "git -c user.name=Ada -c user.email=ada@example.org";
const SECRET = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");

/** Commits past git_commit, by a script that names no git command to the policy. */
const sneaking = (script: string) =>
  turns(
    call("file_write", {
      path: "mk.sh",
      content: `${script}\n: > fixed.txt\ngit add -A\n${ADA} commit -qm sneaky || true\n`,
    }),
    call("command_run", { argv: ["sh", "mk.sh"] }),
    finish("submitted"),
    finish("submitted"),
  );

/** Its first job commits under another name, its next ones work as they should. */
function forging(trailers: string): Steps {
  const first = (request: Parameters<typeof said>[0]) => !/^attempts: [1-9]/m.test(said(request));
  const script = "mkdir -p .github/workflows\necho x > .github/workflows/ci.yml\n" +
    "j=${SVC_JOB_ID%/*}; j=${j##*/}\n" +
    `git add .github\n${ADA} commit -qm "ci: x\n\n${trailers}"\n`;
  return turns(
    (request) =>
      call(
        "file_write",
        first(request)
          ? { path: "mk.sh", content: script }
          : { path: "fixed.txt", content: "fixed\n" },
      ),
    (request) => call("command_run", { argv: first(request) ? ["sh", "mk.sh"] : ["true"] }),
    (request) =>
      call("git_commit", { message: "fix: it", paths: [first(request) ? "mk.sh" : "fixed.txt"] }),
    finish("submitted"),
    finish("submitted"),
  );
}

/** Says it again when svc asks for more. */
const TRUST_ME = turns(finish("submitted"), finish("submitted"));

const writing = (...paths: string[]) =>
  turns(
    ...paths.map((path) => call("file_write", { path, content: "x\n" })),
    call("git_commit", { message: "fix: it" }),
    finish("submitted"),
    finish("submitted"),
  );

Deno.test("work without a commit is none: it is tried again, and then a person is asked", async () => {
  const { lines, state, refused, text } = await played(TRUST_ME);
  assert.deepEqual(lines, Array(3).fill("engineer T-0001 completed no_work"));
  assert.equal(state, "blocked");
  assert.deepEqual(refused.filter((why) => why === "no commit was made").length, 3);
  assert.match(text, /no_work in attempt 3 of 3: no commit was made/);
});

Deno.test("that there is nothing to do is for a person to say, not for a judge", async () => {
  const { lines, state, unblock } = await played(turns(finish("no_work")));
  assert.deepEqual(lines, ["engineer T-0001 completed no_work"]);
  assert.deepEqual([state, unblock], ["blocked", "it is no_work"]);
});

Deno.test("a secret that a script commits goes nowhere, and the ticket names the commit", async () => {
  const script = `printf 'token = "%s%s"\\n' ghp_ ${SECRET.slice(4)} > key.txt`;
  const { lines, state, text, unblock, history } = await played(sneaking(script));
  assert.deepEqual(lines, [
    "engineer T-0001 completed checks_failed",
    "engineer T-0001 completed blocked",
  ]);
  assert.equal(state, "blocked");
  assert.match(text, /gave no result: checks_failed: commits that git_commit did not make: /);
  assert.match(text, /secrets in its commits: key\.txt:1: /);
  assert.match(unblock!, /[0-9a-f]{12} "sneaky" by Ada\. Look at each with git show\./);
  assert.ok(!history.includes("mk.sh") && !`${history}${text}`.includes(SECRET));
});

Deno.test("a script commits neither the manifest nor CI files into the default branch", async () => {
  const script = "echo '# hi' >> .harness/manifest.yaml\n" +
    "mkdir -p .github/workflows\necho x > .github/workflows/ci.yml";
  const { state, text, history } = await played(sneaking(script));
  assert.equal(state, "blocked");
  assert.match(text, /protected files: .*ci\.yml/);
  assert.ok(!history.includes("mk.sh"));
});

Deno.test("what an engineer commits as a gardener has no gardener's rights in the next job either", async () => {
  const names = [
    ["Svc-Role: gardener\nSvc-Job: other", /neither a job nor a person says it made.*ci: x/],
    ["Svc-Role: gardener\nSvc-Job: $j", /protected files: .*ci\.yml/],
  ] as const;
  for (const [trailers, why] of names) {
    const { lines, state, text, history } = await played(forging(trailers), {
      manifest: (text) => text.replace(/^guardrails:\n/m, "$&  allow_ci_roles: [gardener]\n"),
    });
    assert.equal(lines[0], "engineer T-0001 completed checks_failed");
    assert.equal(state, "blocked", lines.join("\n"));
    assert.match(text, why);
    assert.doesNotMatch(history, /^\+{3} b\/\.github/m, "it was merged");
  }
});

Deno.test("a check that passes by an ignored file is red in the judge's own work tree", async () => {
  const { lines, state, refused } = await played(writing("fixed.txt", "other.txt"), {
    qa: turns(finish("approved"), finish("approved")),
    files: { ".gitignore": "fixed.txt\n" },
    manifest: (text) => text.replace("max_rework: 3", "max_rework: 0"),
  });
  assert.deepEqual(lines, [
    "engineer T-0001 completed submitted",
    "qa T-0001 completed changes_requested",
  ]);
  assert.equal(state, "blocked");
  assert.ok(refused.some((why) => why.startsWith("checks failed: test. test: ended with")));
});

Deno.test("a file that cannot be committed proves nothing, though the check passes with it", async () => {
  const engineer = turns(
    call("file_write", { path: "other.txt", content: "x\n" }),
    call("git_commit", { message: "fix: it" }),
    call("file_write", { path: "fixed.txt", content: `token = "${SECRET}"\n` }),
    finish("submitted"),
    finish("submitted"),
  );
  const { lines, state, text } = await played(engineer);
  assert.deepEqual(lines, Array(3).fill("engineer T-0001 completed checks_failed"));
  assert.equal(state, "blocked");
  assert.match(text, /not committed, so that no check says anything: fixed\.txt/);
});

const onBranch = (message: string) => async (repo: TempRepo) => {
  await byHand(
    repo,
    `git branch -q ${BRANCH}; git worktree add -q ../hand-$$ ${BRANCH}
    cd ../hand-$$; echo hand > hand.txt; git add -A; ${ADA} commit -qm '${message}'
    cd -; git worktree remove ../hand-$$`,
  );
};

Deno.test("a commit that a person made on the branch goes in once they say that it is theirs", async () => {
  const asked = await played(ENGINEER, { prepare: onBranch("by hand") });
  assert.deepEqual(asked.lines, ["engineer T-0001 completed blocked"]);
  assert.match(asked.unblock!, /"by hand" by Ada\. .*the trailer "Svc-Role: person"/);
  assert.ok(!asked.history.includes("hand.txt"));

  const said = await played(ENGINEER, { prepare: onBranch("by hand\n\nSvc-Role: person") });
  assert.equal(said.state, "done");
  assert.ok(said.history.includes("hand.txt"));
  assert.match(said.history, /^ {4}chore\(merge\): .*\n\s+\n {4}Svc-Role: qa\n {4}Svc-Job: /m);
});

Deno.test("a branch of what the default branch was goes to a person before a model is asked", async () => {
  const asked: string[] = [];
  const { lines, state, unblock } = await played(
    turns(() => {
      asked.push("engineer");
      return finish("no_work");
    }),
    {
      prepare: (repo) =>
        byHand(repo, `git branch -q ${BRANCH}; ${ADA} commit -q --amend -m 'chore: pulled'`),
    },
  );
  assert.deepEqual(asked, []);
  assert.deepEqual(lines, ["engineer T-0001 completed blocked"]);
  assert.equal(state, "blocked");
  assert.match(unblock!, /^"main" was rewritten, .*: git rebase --fork-point main\. /);
});

Deno.test("work that a person merged meanwhile is approved and done", async () => {
  const merging = (repo: TempRepo) =>
    turns(() => {
      const args = ["-c", `${ADA} merge -q --no-ff -m mine ${BRANCH}`];
      assert.ok(new Deno.Command("sh", { args, cwd: repo.path }).outputSync().success);
      return finish("approved");
    });
  const qa: Steps = [];
  const { lines, state } = await played((repo) => {
    qa.push(...merging(repo));
    return ENGINEER;
  }, { qa });
  assert.deepEqual(lines, [
    "engineer T-0001 completed submitted",
    "qa T-0001 completed approved",
  ]);
  assert.equal(state, "done");
});

const IN_PROGRESS = "docs/tickets/in-progress/T-0001*";
const MEANWHILE = {
  "moved back": [`git mv ${IN_PROGRESS} docs/tickets/backlog/`, "T-0001 is backlog by now"],
  "deleted": [`git rm -q ${IN_PROGRESS}`, "T-0001 is gone from the checkout, or cannot be read"],
  "made unreadable": [
    `echo garbage > $(ls ${IN_PROGRESS}); git add -A`,
    "T-0001 is gone from the checkout, or cannot be read",
  ],
} as const;

for (const [what, [script, stop]] of Object.entries(MEANWHILE)) {
  Deno.test(`a ticket that a person has ${what} meanwhile ends its work, and nothing is merged`, async () => {
    await using repo = await harnessedRepo();
    await using base = await tempFolder();
    await using ports = await enginePorts(base.path);
    const engineer = turns(
      call("file_write", { path: "fixed.txt", content: "fixed\n" }),
      () => {
        const args = [
          "-ec",
          `mkdir -p docs/tickets/backlog; ${script}; ${ADA} commit -qm meanwhile`,
        ];
        const { success } = new Deno.Command("sh", { args, cwd: repo.path }).outputSync();
        assert.ok(success);
        return call("git_commit", { message: "fix: it" });
      },
      finish("submitted"),
    );
    await using endpoint = modelEndpoint({ roles: { engineer, qa: QA } });
    const id = await registered(ports, repo.path);
    await ticketed(ports, repo.path);
    await queued(ports, id, "engineer", "T-0001");
    await carryOut(ports, endpoint.url);
    // Who dispatches may have been asked already what to do with a ticket in the backlog, and have begun it again.
    const work = (await jobLines(ports)).filter((line) => !line.startsWith("orchestrator"));
    assert.deepEqual([...new Set(work)], ["engineer T-0001 completed submitted"]);
    const [decision] = await ports.db.selectFrom("decisions").selectAll().orderBy("id").execute();
    assert.deepEqual([decision!.stop, decision!.next_role], [stop, null]);
    const { code } = await plainGit(repo.path, ["cat-file", "-e", "main:fixed.txt"]);
    assert.notEqual(code, 0);
  });
}
