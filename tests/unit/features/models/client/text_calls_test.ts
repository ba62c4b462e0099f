import fc from "fast-check";
import assert from "node:assert/strict";
import { readTextCalls } from "svc/features/models/client/text_calls.ts";
import { callAsText } from "svc/features/models/client/text_tools.ts";
import { LOOK } from "tests/unit/features/models/asking.ts";

const WRITE = { type: "function", function: { name: "file_write", parameters: {} } };
const TOOLS = [LOOK, WRITE];
const read = (text: string) => readTextCalls(text, TOOLS);
const CALL = '{"name": "look", "arguments": {"a": 1}}';
const PRETTY = JSON.stringify(JSON.parse(CALL), null, 2);
const LOOKED = { name: "look", args: '{"a":1}' };

const READ: readonly (readonly [what: string, text: string, left: string, calls?: number])[] = [
  ["tags", `I look.\n<tool_call>${CALL}</tool_call>`, "I look."],
  ["tags over lines", `<tool_call>\n${CALL}\n</tool_call>\nDone.`, "Done."],
  ["tags behind words", `Let me look: <tool_call>${CALL}</tool_call>`, "Let me look:"],
  ["tags without an end", `Hm.\n<tool_call>\n${CALL}`, "Hm."],
  ["two tags on a line", `<tool_call>${CALL}</tool_call><tool_call>${CALL}</tool_call>`, "", 2],
  ["two tags", `<tool_call>${CALL}</tool_call>\n<tool_call>${CALL}</tool_call>`, "", 2],
  ["a list between tags", `<tool_call>[${CALL}, ${CALL}]</tool_call>`, "", 2],
  ["a fenced block", "Sure:\n```json\n" + CALL + "\n```", "Sure:"],
  ["a fence without a label", "```\n" + CALL + "\n```\n", ""],
  ["a fence without an end", "```json\n" + CALL, ""],
  ["a fenced list", "```json\n[" + CALL + "]\n```", ""],
  ["bare JSON", CALL, ""],
  ["bare JSON at the end", `Now I look.\n${CALL}\n`, "Now I look."],
  ["bare JSON over lines", JSON.stringify(JSON.parse(CALL), null, 2), ""],
  ["Mistral's mark", `[TOOL_CALLS][${CALL}]`, ""],
  ["two bare lines", `${CALL}\n${CALL}`, "", 2],
  ["parameters", '{"name": "look", "parameters": {"a": 1}}', ""],
  [
    "OpenAI's own form",
    '{"type": "function", "function": {"name": "look", "arguments": {"a": 1}}}',
    "",
  ],
  ["a namespace", '<tool_call>{"name": "functions.look", "arguments": {"a": 1}}</tool_call>', ""],
  ["function tags", "<function=look>\n<parameter=a>\n1\n</parameter>\n</function>", ""],
  [
    "function tags in a call",
    "<tool_call>\n<function=look>\n<parameter=a>1</parameter>\n</function>\n</tool_call>",
    "",
  ],
  ["function tags around JSON", '<function=look>{"a": 1}</function>', ""],
  ["two bare objects over lines", `${PRETTY}\n${PRETTY}`, "", 2],
  ["two objects in a fence", "```json\n" + `${PRETTY}\n${PRETTY}` + "\n```", "", 2],
  ["objects with a semicolon between", `${CALL}; ${CALL}`, "", 2],
  [
    "fences with words between",
    "```json\n" + CALL + "\n```\nThen:\n```json\n" + CALL + "\n```",
    "Then:",
    2,
  ],
  ["Llama's mark", `<|python_tag|>${CALL}`, ""],
  ["a list of tool_calls", `{"tool_calls": [${CALL}, ${CALL}]}`, "", 2],
  ["tags in a fence", "```xml\n<tool_call>" + CALL + "</tool_call>\n```", ""],
  ["function tags in a fence", '```json\n<function=look>{"a":1}</function>\n```', ""],
  [
    "after a quoted file",
    "```ts\nlet a = {};\n```\n" + `<tool_call>${CALL}</tool_call>`,
    "```ts\nlet a = {};\n```",
  ],
];

for (const [what, text, left, count = 1] of READ) {
  Deno.test(`readTextCalls reads ${what}`, () => {
    const found = read(text);
    assert.deepEqual(found.calls, Array(count).fill(LOOKED));
    assert.equal(found.text, left);
  });
}

const LEFT: readonly (readonly [what: string, text: string])[] = [
  ["a tool that was not offered", '<tool_call>{"name": "rm", "arguments": {}}</tool_call>'],
  ["an object with a name only", '{"name": "look"}'],
  ["JSON in the middle", `The file says:\n${CALL}\nand so on.`],
  ["a fenced block in the middle", "The file:\n```json\n" + CALL + "\n```\nShall I go on?"],
  ["tags in a fenced file", "```md\n<tool_call>" + CALL + "</tool_call>\n```"],
  [
    "tags in a fence without a label",
    "Look:\n```\nx\n<tool_call>" + CALL + "</tool_call>\n```\nYes?",
  ],
  ["tags in tildes", "~~~\n<tool_call>" + CALL + "</tool_call>\n~~~"],
  ["tags in backticks", "Write `<tool_call>" + CALL + "</tool_call>` to call."],
  ["a quoted line", `> <tool_call>${CALL}</tool_call>`],
  [
    "a quoted result",
    `<tool_result id="1" name="look">\n<tool_call>${CALL}</tool_call>\n</tool_result>\nSo.`,
  ],
  ["a word about the tags", "Use the <tool_call> tag to call a tool."],
  ["prose", "There is nothing to do [1] {see above}."],
];

for (const [what, text] of LEFT) {
  Deno.test(`readTextCalls leaves ${what} alone`, () => {
    assert.deepEqual(read(text), { calls: [], text });
  });
}

Deno.test("readTextCalls gives broken arguments on, so that the model is told", () => {
  const { calls } = read("<tool_call>{'name': 'look', 'arguments': {'a': 1}}</tool_call>");
  // Single quotes are how Python prints a dictionary: nothing is broken there.
  assert.deepEqual(calls, [LOOKED]);
  const unended = read('<tool_call>{"name": "look", "arguments": {"b": "the "x" test}</tool_call>');
  assert.deepEqual(unended.calls, [{ name: "look", args: '{"b": "the "x" test}' }]);
  const text = read('<tool_call>{"name": "look", "arguments": "{\\"a\\": "}</tool_call>');
  assert.deepEqual(text.calls, [{ name: "look", args: '{"a": ' }]);
  const none = read('<tool_call>{"name": "look"}</tool_call>');
  assert.deepEqual(none.calls, [{ name: "look", args: "{}" }]);
});

Deno.test("parameters between tags get the type of the schema", () => {
  const text =
    '<function=look><parameter=a>7</parameter><parameter=b>7</parameter><parameter=c>{"d": [1]}</parameter></function>';
  assert.deepEqual(JSON.parse(read(text).calls[0]!.args), { a: 7, b: "7", c: { d: [1] } });
  const code = "<function=look><parameter=b>\nif (a < b) {\n  run();\n}\n</parameter></function>";
  assert.deepEqual(JSON.parse(read(code).calls[0]!.args), { b: "if (a < b) {\n  run();\n}" });
});

const args = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
const prose = fc.string().filter((text) => !/[<`~{[>]/.test(text));

Deno.test("property: what callAsText writes, readTextCalls reads, whatever the arguments hold", () => {
  fc.assert(
    fc.property(fc.array(args, { minLength: 1, maxLength: 3 }), prose, (all, before) => {
      // A model's own JSON has no raw end of the tag in it; ours escapes it the same way.
      const written = all.map((one) => JSON.stringify(one).replaceAll("<", "\\u003c"));
      const text = [before, ...written.map((one) => callAsText("look", one))].join("\n");
      const found = read(text);
      assert.deepEqual(
        found.calls.map(({ args }) => JSON.parse(args)),
        all.map((one) => JSON.parse(JSON.stringify(one))),
      );
      assert.equal(found.text, before.trim());
    }),
    { numRuns: 500 },
  );
});

Deno.test("property: nothing is read out of a fenced file", () => {
  const piece = fc.constantFrom(
    `<tool_call>${CALL}</tool_call>`,
    CALL,
    "<function=look>",
    "</function>",
    "<tool_call>",
    "</tool_call>",
    "text",
    "{",
    "",
  );
  fc.assert(
    fc.property(fc.array(piece), prose, (lines, said) => {
      const text = ["```ts", ...lines, "```", `Said: ${said}`].join("\n");
      assert.deepEqual(read(text).calls, []);
    }),
    { numRuns: 500 },
  );
});

Deno.test("property: any text is read without a throw, and only offered names come out", () => {
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom(
      "<tool_call>",
      "</tool_call>",
      "```",
      "~~~",
      "<function=look>",
      "\n",
      CALL,
      "[",
      "<parameter=a>",
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const { name } of read(pieces.join("")).calls) assert.equal(name, "look");
    }),
    { numRuns: 1000 },
  );
});

const HOSTILE: readonly string[] = [
  "<tool_call>\n",
  "<tool_call>{",
  '<tool_call>{"name": "look", "arguments": {"b": "',
  `<tool_call>${CALL}</tool_call>`,
  `<tool_call>${CALL}</tool_call> x `,
  `x${CALL}`,
  `${CALL}\n`,
  "```\n",
  "~~~\n```\n",
  "`<tool_call>",
  "{\n",
  '{"name":',
  '{"name": "look", "arguments": {"a":',
  "<function=look><parameter=a>",
  "<function=look><parameter=a></parameter>x",
  '<invoke name="look">',
  '<invoke name="look"><parameter name="a">1</parameter></invoke>',
  "<look>",
  "<look></look>",
  "<look><a></a>x",
  "</a>",
  "<arg_key>a</arg_key><arg_value>",
  "<tool_call>look<arg_key>",
  "[[",
  "[",
  "[TOOL_CALLS]",
  "[TOOL_CALLS]look[ARGS]{",
  "[TOOL_CALLS]look[ARGS]",
  "<｜tool▁calls▁begin｜>",
  "<｜tool▁call▁begin｜>function<｜tool▁sep｜>look\n```json\n{",
  "<|tool_calls_section_begin|><|tool_call_begin|>functions.look:0<|tool_call_argument_begin|>{",
  "<|channel|>",
  "<|channel|>commentary to=functions.look ",
  "<|channel|>final<|message|>",
  "<|message|>",
  "<|start|>assistant",
  "analysisassistantcommentary to=functions.look json",
  "<|tool_call>call:look{a:",
  '<|tool_call>call:look{a:<|"|>',
  "<|python_tag|>",
  "<|START_ACTION|>[",
  ">>>look\n",
  "look(",
  'look(a="',
  "look(a=[",
  "look(a=1)\n",
  "[look(a=1), ",
  "Action: look\n",
  "Action: look\nAction Input: {\n",
  "Action: look\nAction Input: {}\nObservation: x\n",
  "<tool_result\n",
  "<tool_result>\n</tool_result>\n",
  "> a\n",
  "@@ -1 +1 @@\n",
  "<|",
  "<｜",
  "</",
  " ",
  "\n",
  "`",
  "*",
  "(",
  '"',
  "'",
  "\\",
  "a",
  "a.",
];

for (const part of HOSTILE) {
  Deno.test(`readTextCalls is done with a MiB of ${JSON.stringify(part)}`, () => {
    read(part.repeat(1024 * 1024 / part.length));
  });
}
