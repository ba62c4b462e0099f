import assert from "node:assert/strict";
import { consent } from "svc/cli/ask.ts";
import type { CommonOptions } from "svc/cli/command.ts";
import { Failure } from "svc/core/failure.ts";

const GIVEN: CommonOptions = { json: false, plain: false, yes: false, dryRun: false, rest: [] };
const QUESTION = { doing: "init", question: "Write it?", preview: ["create a", "create b"] };

function terminal(answer: boolean | undefined, { terminal = true, stdinTerminal = true } = {}) {
  const asked: string[] = [];
  const shown: string[] = [];
  const sink = { terminal, columns: () => 80, write: (text: string) => void shown.push(text) };
  return {
    asked,
    shown,
    app: {
      stdinTerminal,
      stdout: sink,
      stderr: sink,
      progress: { update() {}, done() {} },
      prompt: {
        confirm(question: string) {
          asked.push(question);
          assert.notEqual(answer, undefined, "nobody may be asked");
          return answer!;
        },
      },
    },
  };
}

function codeOf(work: () => void): string | undefined {
  try {
    work();
  } catch (thrown) {
    assert.ok(thrown instanceof Failure);
    return thrown.code;
  }
}

Deno.test("consent shows first, then asks", () => {
  const { app, asked, shown } = terminal(true);
  consent(app, GIVEN, QUESTION);
  assert.deepEqual(shown, ["create a\n", "create b\n"]);
  assert.deepEqual(asked, ["Write it?"]);
});

Deno.test("consent takes no for a refusal", () => {
  const { app } = terminal(false);
  assert.equal(codeOf(() => consent(app, GIVEN, QUESTION)), "refused");
});

Deno.test("consent asks nothing with --yes", () => {
  const { app, asked } = terminal(undefined);
  consent(app, { ...GIVEN, yes: true }, QUESTION);
  assert.deepEqual(asked, []);
});

const NOBODY = [
  ["input is no terminal", { stdinTerminal: false }, GIVEN],
  ["output is no terminal", { terminal: false }, GIVEN],
  ["output is for a program", {}, { ...GIVEN, json: true }],
] as const;
for (const [why, streams, given] of NOBODY) {
  Deno.test(`consent names the flag when ${why}`, () => {
    const { app } = terminal(undefined, streams);
    assert.equal(codeOf(() => consent(app, given, QUESTION)), "answer_needed");
  });
}
