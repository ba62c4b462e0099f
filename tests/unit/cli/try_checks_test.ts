import assert from "node:assert/strict";
import { mayTry } from "svc/cli/try_checks.ts";

const PLAN = {
  setup: [],
  source: "package.json",
  groups: [{ name: "test", candidates: [{ name: "test", run: ["true"], source: "Makefile" }] }],
};

const NOTHING = {
  ...{ json: false, plain: false, yes: false, dryRun: false, rest: [] },
  ...{ tryChecks: false, acknowledgeHostExecution: false },
};

/** @param sandbox undefined unless the user asked for one */
async function asked(
  given: Partial<typeof NOTHING>,
  terminal = false,
  answer = false,
  { sandbox, questions = [] }: { readonly sandbox?: object; readonly questions?: string[] } = {},
) {
  const app = {
    stdinTerminal: terminal,
    stdout: { terminal, write() {} },
    stderr: { terminal, write() {} },
    progress: { update() {}, done() {} },
    sandbox: () => Promise.resolve(sandbox),
    prompt: { confirm: (text: string) => (questions.push(text), answer) },
  };
  const may = await mayTry(
    app as unknown as Parameters<typeof mayTry>[0],
    { ...NOTHING, ...given },
    PLAN,
  );
  return { may, questions: questions.length };
}

Deno.test("nothing is tried without a word for it: scripts give two flags, a terminal is asked", async () => {
  const both = { tryChecks: true, acknowledgeHostExecution: true };
  assert.deepEqual(await asked({}), { may: false, questions: 0 });
  assert.deepEqual(await asked({ yes: true }, true, true), { may: false, questions: 0 });
  assert.deepEqual(await asked({ acknowledgeHostExecution: true }), { may: false, questions: 0 });
  assert.deepEqual(await asked({}, true, true), { may: true, questions: 1 });
  assert.deepEqual(await asked({}, true, false), { may: false, questions: 1 });
  assert.deepEqual(await asked({ tryChecks: true }, true, true), { may: true, questions: 1 });
  assert.deepEqual(await asked({ ...both, yes: true }), { may: true, questions: 0 });
  assert.deepEqual(await asked({ ...both, dryRun: true }), { may: false, questions: 0 });
  for (const given of [{ tryChecks: true }, { tryChecks: true, yes: true }]) {
    await assert.rejects(asked(given), {
      code: "answer_needed",
      remedy: /--acknowledge-host-execution/,
    });
  }
});

Deno.test("the question says whether a sandbox contains what is tried", async () => {
  const questions: string[] = [];
  await asked({}, true, true, { questions });
  await asked({}, true, true, { questions, sandbox: {} });
  assert.match(questions[0]!, /with the full authority of your user/);
  assert.match(questions[1]!, /contained by the sandbox/);
  assert.doesNotMatch(questions[1]!, /full authority/);
});
