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

function asked(given: Partial<typeof NOTHING>, terminal = false, answer = false) {
  const questions: string[] = [];
  const app = {
    stdinTerminal: terminal,
    stdout: { terminal, write() {} },
    stderr: { terminal, write() {} },
    progress: { update() {}, done() {} },
    prompt: { confirm: (text: string) => (questions.push(text), answer) },
  };
  const may = mayTry(
    app as unknown as Parameters<typeof mayTry>[0],
    { ...NOTHING, ...given },
    PLAN,
  );
  return { may, questions: questions.length };
}

Deno.test("nothing is tried without a word for it: scripts give two flags, a terminal is asked", () => {
  const both = { tryChecks: true, acknowledgeHostExecution: true };
  assert.deepEqual(asked({}), { may: false, questions: 0 });
  assert.deepEqual(asked({ yes: true }, true, true), { may: false, questions: 0 });
  assert.deepEqual(asked({ acknowledgeHostExecution: true }), { may: false, questions: 0 });
  assert.deepEqual(asked({}, true, true), { may: true, questions: 1 });
  assert.deepEqual(asked({}, true, false), { may: false, questions: 1 });
  assert.deepEqual(asked({ tryChecks: true }, true, true), { may: true, questions: 1 });
  assert.deepEqual(asked({ ...both, yes: true }), { may: true, questions: 0 });
  assert.deepEqual(asked({ ...both, dryRun: true }), { may: false, questions: 0 });
  for (const given of [{ tryChecks: true }, { tryChecks: true, yes: true }]) {
    assert.throws(() => asked(given), {
      code: "answer_needed",
      remedy: /--acknowledge-host-execution/,
    });
  }
});
