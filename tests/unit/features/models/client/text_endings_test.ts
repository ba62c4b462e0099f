/** How models end a run in words: what is meant as a call of finish, and what only speaks of one. */
import assert from "node:assert/strict";
import { readTextCalls } from "svc/features/models/client/text_calls.ts";

const TOOLS = [
  ["finish", { disposition: { type: "string" }, evidence: { type: "string" } }],
  ["file_read", { path: { type: "string" } }],
  ["git_status", {}],
].map(([name, properties]) => ({
  type: "function",
  function: { name, description: "", parameters: { type: "object", properties } },
}));

const CALL = 'finish(disposition: "approved", evidence: "npm test: 3 passed")';
const JSON_CALL =
  '{"name": "finish", "arguments": {"disposition": "approved", "evidence": "npm test: 3 passed"}}';
const FINISH = {
  name: "finish",
  args: { disposition: "approved", evidence: "npm test: 3 passed" },
};

const MEANT: readonly (readonly [what: string, said: string, left: string])[] = [
  ["alone", CALL, ""],
  ["on its last line", `All checks pass.\n\n${CALL}`, "All checks pass."],
  ["on its last line, in backticks", `All checks pass.\n\n\`${CALL}\``, "All checks pass."],
  ["on its last line, in bold", `Done.\n**${CALL}**`, "Done."],
  ["on its last line, behind a label", `Done.\n\nTool call: ${CALL}`, "Done.\n\nTool call:"],
  ["behind a label in bold, in backticks", `Done.\n**Call:** \`${CALL}\``, "Done.\n**Call:**"],
  ["as the last item of a list", `1. I ran the tests.\n2. ${CALL}`, "1. I ran the tests.\n2."],
  [
    "at the end of a line of prose",
    `All checks pass, so I finish now. ${CALL}`,
    "All checks pass, so I finish now.",
  ],
  [
    "behind a colon",
    `The work is done, so here is my call: ${CALL}`,
    "The work is done, so here is my call:",
  ],
  ["with a full stop", `Done.\n${CALL}.`, "Done."],
  ["in a fence", `Done.\n\`\`\`\n${CALL}\n\`\`\``, "Done."],
  [
    "in a fence for Python",
    `Done.\n\`\`\`python\n${CALL.replaceAll(': "', '="')}\n\`\`\``,
    "Done.",
  ],
  ["in a fence on one line", `Done.\n\`\`\`${CALL}\`\`\``, "Done."],
  [
    "over several lines",
    'Done.\nfinish(\n  disposition="approved",\n  evidence="npm test: 3 passed",\n)',
    "Done.",
  ],
  ["with an end token", `Done.\n${CALL}<|im_end|>`, "Done."],
  ["with half an end token", `Done.\n${CALL}<|im_e`, "Done."],
  ["with single quotes", "finish(disposition='approved', evidence='npm test: 3 passed')", ""],
  [
    "with typographic quotes",
    "finish(disposition: “approved”, evidence: “npm test: 3 passed”)",
    "",
  ],
  ["with values alone", 'finish("approved", "npm test: 3 passed")', ""],
  [
    "as an object in brackets",
    'finish({disposition: "approved", evidence: "npm test: 3 passed"})',
    "",
  ],
  ["with a bare word", 'finish(disposition: approved, evidence: "npm test: 3 passed")', ""],
  ["in JSON at the end of a line", `I am done. ${JSON_CALL}`, "I am done."],
  ["in JSON, in backticks", `I am done.\n\`${JSON_CALL}\``, "I am done."],
  ["in JSON, then words", `${JSON_CALL}\n\nThe change is good.`, "The change is good."],
  [
    "in a fence, then words",
    `\`\`\`json\n${JSON_CALL}\n\`\`\`\nThe change is good.`,
    "The change is good.",
  ],
  ["as code, then words", `${CALL}\n\nThe change is good.`, "The change is good."],
  [
    "in JSON with the arguments beside the name",
    '{"name": "finish", "disposition": "approved", "evidence": "npm test: 3 passed"}',
    "",
  ],
  ["in tags, then a closing word", `<tool_call>${JSON_CALL}</tool_call>\nDone.`, "Done."],
  ["in tags with a bracket too many", `<tool_call>${JSON_CALL}}</tool_call>`, ""],
  ["in tags, the closing one cut", `<tool_call>${JSON_CALL}</tool_ca`, ""],
  ["in tags, twice the opening one", `<tool_call>\n${JSON_CALL}\n<tool_call>`, ""],
  ["with a tick behind it", `Done.\n${CALL} ✅`, "Done."],
  [
    "in a fence that it announces, then words",
    `Let me finish now.\n\n\`\`\`json\n${JSON_CALL}\n\`\`\`\n\nLet me know what else you need!`,
    "Let me finish now.\n\n\n\nLet me know what else you need!",
  ],
  [
    "in JSON that it announces, then words",
    `I will finish:\n${JSON_CALL}\nGood luck!`,
    "I will finish:\nGood luck!",
  ],
  ["as attributes", '<finish disposition="approved" evidence="npm test: 3 passed"/>', ""],
  ["as a name and its JSON", `Done.\nfinish\n${JSON.stringify(FINISH.args)}`, "Done."],
  ["as a name, a colon and its JSON", `finish: ${JSON.stringify(FINISH.args)}`, ""],
  ["as a tool and its arguments", `Tool: finish\nArguments: ${JSON.stringify(FINISH.args)}`, ""],
  ["as Qwen-Agent has it", `✿FUNCTION✿: finish\n✿ARGS✿: ${JSON.stringify(FINISH.args)}`, ""],
  [
    "in tags within tags",
    `<tool_use><name>finish</name><arguments>${JSON.stringify(FINISH.args)}</arguments></tool_use>`,
    "",
  ],
  ["in a fence between tags", `<tool_call>\n\`\`\`json\n${JSON_CALL}\n\`\`\`\n</tool_call>`, ""],
  [
    "in a fence before a made-up result",
    `\`\`\`tool_code\n${CALL}\n\`\`\`\n\`\`\`tool_outputs\nok\n\`\`\``,
    "",
  ],
  [
    "after words about what it will see",
    `Let me see what the file says:\n${JSON_CALL}`,
    "Let me see what the file says:",
  ],
];

for (const [what, said, left] of MEANT) {
  Deno.test(`a reply that ends with finish ${what} finishes`, () => {
    const { calls, text } = readTextCalls(said, TOOLS);
    assert.deepEqual(calls.map(({ name, args }) => ({ name, args: JSON.parse(args) })), [FINISH]);
    assert.equal(text, left);
  });
}

const MENTIONED: readonly string[] = [
  `I will call \`${CALL}\` at the end, but first I run the tests.`,
  `When all is done I call ${CALL}`,
  `I cannot write ${CALL} yet: one test fails.`,
  `I will not call ${CALL}`,
  `I don't call ${CALL}`,
  `Without the tests I would ${CALL}`,
  `An engineer ends with a line such as ${CALL}`,
  `For example: ${CALL}`,
  `Example:\n${CALL}`,
  `The prompt says: ${CALL}`,
  `My role file shows "${CALL}".`,
  `To end, a role calls \`${CALL}\`.`,
  `${CALL} is how a role ends. I go on.`,
  `${CALL}\nis how a role ends. I go on.`,
  `Then I call finish(disposition, evidence).`,
  "Then I call finish(...).",
  "finish(...)",
  "finish(disposition, evidence)",
  "finish(disposition: string, evidence: string)",
  "The last step is finish().",
  "I look at the tree with git_status().",
  `- \`${CALL}\` ends the run\n- \`git_status()\` shows the tree\nThese are the calls I know.`,
  `\`\`\`ts\n${CALL}\n\`\`\``,
  `\`\`\`python\nimport os\n${CALL}\n\`\`\``,
  `The docs:\n\`\`\`\n${CALL}\n\`\`\`\nThat is all they say.`,
  `The file contains:\n\`\`\`json\n${JSON_CALL}\n\`\`\``,
  `It returned ${JSON_CALL}`,
  `${JSON_CALL} is what the fixture holds.`,
  `${JSON_CALL}\nThis is what the fixture holds.`,
  `The fixture holds ${JSON_CALL} in line 3, and I change it.`,
  `- const x = ${CALL};\n+ const y = ${CALL};\nI change the line.`,
  'defish(disposition: "approved", evidence: "x")',
  'my.unfinish(disposition: "approved", evidence: "x")',
  `Use <tool_call>${JSON_CALL}</tool_call> to end a run; I do that later.`,
  `The template shows:\n<tool_call>${JSON_CALL}</tool_call>\nThat is the form which the parser takes.`,
  `I will document the form:\n\`\`\`json\n${JSON_CALL}\n\`\`\`\nThen I go on.`,
  `I will keep\n${JSON_CALL}\nin the fixture.`,
  `The file:\n\n${JSON_CALL}\n\nIt is old.`,
  `Let me look at the test. It has\n${JSON_CALL}\nNothing else.`,
  `1. file_read(path="a")\n2. ${CALL}`,
  `Plan:\n- file_read(path="a")\n- ${CALL}`,
  `My plan is:\n1. Read it with file_read(path="a")\n2. Then ${CALL}`,
  `const end = ${CALL}`,
  `The model should output:\n\`\`\`json\n${JSON_CALL}\n\`\`\``,
  `The expected output is:\n${JSON_CALL}`,
  `Here is the content of calls.json:\n\`\`\`json\n[${JSON_CALL}]\n\`\`\``,
  `I wrote this test case:\n\`\`\`json\n${JSON_CALL}\n\`\`\``,
  '{"name": "finish", "parameters": {"type": "object", "properties": {"evidence": {"type": "string"}}}}',
  '<tools>\n{"name": "finish", "description": "Ends", "parameters": {"type": "object", "properties": {}}}\n</tools>',
];

for (const said of MENTIONED) {
  Deno.test(`a mention is no call: ${JSON.stringify(said)}`, () => {
    assert.deepEqual(readTextCalls(said, TOOLS), { calls: [], text: said });
  });
}

const BROKEN: readonly (readonly [said: string, args: string])[] = [
  [
    'finish(disposition: "approved", evidence: "the "x", y" test")',
    'disposition: "approved", evidence: "the "x", y" test"',
  ],
  [
    '{"name": "finish", "arguments": {"disposition": "approved", "evidence": "the "x", y" test"}}',
    '{"disposition": "approved", "evidence": "the "x", y" test"}',
  ],
  [
    '```json\n{"name": "finish", "arguments": {"disposition": "approved",}}\n```',
    '{"disposition":"approved"}',
  ],
  [
    '[TOOL_CALLS]finish[ARGS]{"disposition": "approved", "evidence": "cut',
    '{"disposition": "approved", "evidence": "cut',
  ],
  [
    '<|tool_call_begin|>functions.finish:0<|tool_call_argument_begin|>{"a" 1}<|tool_call_end|>',
    '{"a" 1}',
  ],
  ['<function=finish>{"a" 1}</function>', '{"a" 1}'],
  [
    '<|channel|>commentary to=functions.finish <|constrain|>json<|message|>{"a" 1}<|call|>',
    '{"a" 1}',
  ],
  ["Action: finish\nAction Input: it is done", "it is done"],
];

for (const [said, args] of BROKEN) {
  Deno.test(`broken arguments count, so that the model is told: ${JSON.stringify(said)}`, () => {
    assert.deepEqual(readTextCalls(said, TOOLS), { calls: [{ name: "finish", args }], text: "" });
  });
}

Deno.test("what a model says after a result that it made up is not done", () => {
  const said =
    '<tool_call>{"name": "git_status", "arguments": {}}</tool_call>\n<tool_response>\nclean\n</tool_response>\n' +
    `The tree is clean.\n<tool_call>${JSON_CALL}</tool_call>`;
  assert.deepEqual(readTextCalls(said, TOOLS), {
    calls: [{ name: "git_status", args: "{}" }],
    text: "",
  });
  const steps =
    `Thought: look\nAction: git_status\nAction Input: {}\nObservation: clean\nThought: done\nAction: finish\nAction Input: {}`;
  assert.deepEqual(readTextCalls(steps, TOOLS), {
    calls: [{ name: "git_status", args: "{}" }],
    text: "Thought: look",
  });
});

Deno.test("another agent's name for an offered tool goes on, so that the toolbox can name ours", () => {
  const said = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>';
  assert.deepEqual(readTextCalls(said, TOOLS).calls, [{ name: "read_file", args: '{"path":"a"}' }]);
});

Deno.test("special tokens leave the text, but not what quotes them", () => {
  assert.equal(readTextCalls("All is well.<|im_end|>", TOOLS).text, "All is well.");
  assert.equal(readTextCalls("<|assistant|>All is well.</s>", []).text, "All is well.");
  const about = "It ends with `<|im_end|>` or:\n```\n<|eot_id|>\n```\nas the page says.";
  assert.equal(readTextCalls(about, TOOLS).text, about);
});
