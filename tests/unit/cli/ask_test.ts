import assert from "node:assert/strict";
import { consent } from "svc/cli/ask.ts";
import type { CommonOptions } from "svc/cli/command.ts";
import { Failure } from "svc/core/failure.ts";

const GIVEN: CommonOptions = { json: false, plain: false, yes: false, dryRun: false, rest: [] };
const QUESTION = { doing: "init", question: "Write it?", preview: ["create a", "create b"] };

/** @param answer undefined where the person leaves the question */
function terminal(answer: boolean | undefined, { terminal = true, stdinTerminal = true } = {}) {
  const asked: string[] = [];
  const shown: string[] = [];
  const { signal } = new AbortController();
  const sink = { terminal, columns: () => 80, write: (text: string) => void shown.push(text) };
  return {
    asked,
    shown,
    app: {
      signal,
      stdinTerminal,
      stdout: sink,
      stderr: sink,
      progress: { update() {}, done() {} },
      prompt: {
        // deno-lint-ignore require-await -- as the port has it
        async confirm(question: string, given: AbortSignal) {
          asked.push(question);
          assert.equal(given, signal, "Ctrl-C reaches the question");
          return answer;
        },
      },
    },
  };
}

async function codeOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
  } catch (thrown) {
    assert.ok(thrown instanceof Failure);
    return thrown.code;
  }
}

Deno.test("consent shows first, then asks", async () => {
  const { app, asked, shown } = terminal(true);
  await consent(app, GIVEN, QUESTION);
  assert.deepEqual(shown, ["create a\n", "create b\n"]);
  assert.deepEqual(asked, ["Write it?"]);
});

Deno.test("consent takes no for a refusal", async () => {
  const { app } = terminal(false);
  assert.equal(await codeOf(consent(app, GIVEN, QUESTION)), "refused");
});

Deno.test("consent takes a question that is left for no answer", async () => {
  const { app } = terminal(undefined);
  assert.equal(await codeOf(consent(app, GIVEN, QUESTION)), "interrupted");
});

Deno.test("consent asks nothing with --yes", async () => {
  const { app, asked } = terminal(undefined);
  await consent(app, { ...GIVEN, yes: true }, QUESTION);
  assert.deepEqual(asked, []);
});

const NOBODY = [
  ["input is no terminal", { stdinTerminal: false }, GIVEN],
  ["output is no terminal", { terminal: false }, GIVEN],
  ["output is for a program", {}, { ...GIVEN, json: true }],
] as const;
for (const [why, streams, given] of NOBODY) {
  Deno.test(`consent names the flag when ${why}`, async () => {
    const { app, asked } = terminal(undefined, streams);
    assert.equal(await codeOf(consent(app, given, QUESTION)), "answer_needed");
    assert.deepEqual(asked, []);
  });
}
