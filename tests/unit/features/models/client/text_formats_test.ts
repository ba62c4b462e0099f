/** Each form in which models write calls into their text: read in all its variants, and left alone where it is quoted. */
import assert from "node:assert/strict";
import { readTextCalls } from "svc/features/models/client/text_calls.ts";
import { type Call, FINISH, FORMS, json, READ, WRITE } from "./text_forms.ts";

const TOOLS = [
  ["file_read", { path: { type: "string" }, limit: { type: "integer" } }],
  ["file_write", { path: { type: "string" }, content: { type: "string" } }],
  ["finish", { disposition: { type: "string" }, evidence: { type: "string" } }],
  ["git_status", {}],
].map(([name, properties]) => ({
  type: "function",
  function: { name, description: "", parameters: { type: "object", properties } },
}));

/** `analysis` is reasoning, `final` is text; the recipient may stand on either side of the channel. */
const HARMONY: readonly (readonly [what: string, text: string])[] = [
  [
    "as published",
    "<|channel|>commentary to=functions.file_read <|constrain|>json<|message|>ARGS<|call|>",
  ],
  [
    "with its start",
    "<|start|>assistant<|channel|>commentary to=functions.file_read <|constrain|>json<|message|>ARGS",
  ],
  [
    "the recipient first",
    "<|start|>assistant to=functions.file_read<|channel|>commentary json<|message|>ARGS<|call|>",
  ],
  ["without a channel", " to=functions.file_read <|constrain|>json<|message|>ARGS<|call|>"],
  [
    "after its thoughts",
    "<|channel|>analysis<|message|>THOUGHT<|end|><|start|>assistant<|channel|>commentary to=functions.file_read <|constrain|>json<|message|>ARGS<|call|>",
  ],
  [
    "on the analysis channel",
    "<|channel|>analysis<|message|>THOUGHT<|end|><|start|>assistant<|channel|>analysis to=functions.file_read code<|message|>ARGS<|call|>",
  ],
  [
    "without the special tokens",
    "analysisTHOUGHTassistantcommentary to=functions.file_read jsonARGS",
  ],
];

for (const [what, form] of HARMONY) {
  Deno.test(`harmony is read ${what}`, () => {
    const thought =
      'I could write finish(disposition: "approved", evidence: "x") or <tool_call>{"name":"git_status"}</tool_call>';
    const said = form.replace("THOUGHT", thought).replace("ARGS", json(READ.args));
    const { calls, text, reasoning } = readTextCalls(said, TOOLS);
    assert.deepEqual(parsed(calls), [READ]);
    assert.equal(text, "");
    assert.equal(reasoning, form.includes("THOUGHT") ? thought : undefined);
  });
}

Deno.test("harmony's final channel is the text, and its analysis is searched for no call", () => {
  const said =
    '<|channel|>analysis<|message|>{"name":"git_status","arguments":{}}<|end|><|start|>assistant<|channel|>final<|message|>All is well.<|return|>';
  assert.deepEqual(readTextCalls(said, TOOLS), {
    calls: [],
    text: "All is well.",
    reasoning: '{"name":"git_status","arguments":{}}',
  });
  const stripped = "analysisWe need to answer.assistantfinalFour.";
  assert.deepEqual(readTextCalls(stripped, TOOLS), {
    calls: [],
    text: "Four.",
    reasoning: "We need to answer.",
  });
  assert.equal(readTextCalls(said, []).text, "All is well.");
  const about = "gpt-oss writes `<|channel|>final<|message|>` before its answer.";
  assert.deepEqual(readTextCalls(about, TOOLS), { calls: [], text: about });
});

function parsed(calls: readonly { readonly name: string; readonly args: string }[]): Call[] {
  return calls.map(({ name, args }) => ({ name, args: JSON.parse(args) }));
}

function isRead(said: string, calls: readonly Call[], left: string): void {
  const found = readTextCalls(said, TOOLS);
  assert.deepEqual(parsed(found.calls), calls, said);
  assert.equal(found.text, left, said);
}

for (const [what, { write, single, tail = "" }] of Object.entries(FORMS)) {
  Deno.test(`a call is read as ${what} writes it`, () => {
    for (const call of [READ, WRITE, FINISH]) {
      isRead(write([call]), [call], "");
      isRead(`Now I go on.\n\n${write([call])}${tail}\n`, [call], "Now I go on.");
    }
    if (!single) isRead(`I do both.\n${write([READ, FINISH])}`, [READ, FINISH], "I do both.");
    if (!what.includes("tag") && !what.includes("key")) {
      isRead(write([{ name: "git_status", args: {} }]), [{ name: "git_status", args: {} }], "");
    }
    const crlf = write([READ]).replaceAll("\n", "\r\n");
    isRead(`Ja.\r\n${crlf}\r\n`, [READ], "Ja.");
  });
}

const QUOTES: readonly (readonly [what: string, quote: (form: string) => string])[] = [
  ["in a fenced file", (form) => `The page says:\n~~~~md\n${form}\n~~~~\nI leave it.`],
  ["in a fenced diff", (form) => `My change:\n~~~~diff\n+${form.replaceAll("\n", "\n+")}\n~~~~`],
  [
    "in a diff",
    (form) => `diff --git a/x b/x\n@@ -1 +1,9 @@\n-old\n+${form.replaceAll("\n", "\n+")}\n context`,
  ],
  [
    "in the context of a diff",
    (form) => `diff --git a/x b/x\n@@ -1 +1,9 @@\n-old\n ${form.replaceAll("\n", "\n ")}\n+new`,
  ],
  ["in quoted lines", (form) => `> ${form.replaceAll("\n", "\n> ")}\n\nThat is what they wrote.`],
  [
    "in a made-up result",
    (form) => `<tool_result id="1" name="file_read">\n${form}\n</tool_result>\nSo it is.`,
  ],
  ["as an example", (form) => `A model may write a call in its text, for example:\n${form}`],
  ["after such as", (form) => `It takes calls such as\n\n${form}`],
  [
    "in a text that goes on about it",
    (form) => `The prompt says:\n${form}\nThis is what I would change next.`,
  ],
];

for (const [what, { write }] of Object.entries(FORMS)) {
  Deno.test(`no call is read from a quote of what ${what} writes`, () => {
    const form = write([READ]);
    for (const [where, quote] of QUOTES) {
      assert.deepEqual(readTextCalls(quote(form), TOOLS).calls, [], `${where}: ${quote(form)}`);
    }
    if (form.includes("\n") || form.includes("`")) return;
    const code = `The line is \`x = y(${form})\` in its tests. I leave it.`;
    assert.deepEqual(readTextCalls(code, TOOLS).calls, [], code);
    const inline = `A call is written \`${form}\` by this model. I looked at its template.`;
    assert.deepEqual(readTextCalls(inline, TOOLS), { calls: [], text: inline });
    const cited = `The log has "${form}" in line 3, which no parser took.`;
    assert.deepEqual(readTextCalls(cited, TOOLS).calls, [], cited);
  });
}
