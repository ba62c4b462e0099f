/**
 * What another reader of calls in text writes and reads, ours reads the same. Not ours: npm `@ai-sdk-tool/parser`,
 * which gives the AI SDK tool calls with models that have none.
 */
import {
  hermesProtocol,
  morphXmlProtocol,
  qwen3CoderProtocol,
  uiTarsXmlProtocol,
} from "@ai-sdk-tool/parser";
import fc from "fast-check";
import assert from "node:assert/strict";
import { readTextCalls } from "svc/features/models/client/text_calls.ts";

const PARAMETERS = {
  type: "object",
  properties: {
    path: { type: "string" },
    text: { type: "string" },
    line: { type: "integer" },
    all: { type: "boolean" },
  },
} as const;
const OURS = [{ type: "function", function: { name: "file_edit", parameters: PARAMETERS } }];
const THEIRS = [{ type: "function" as const, name: "file_edit", inputSchema: PARAMETERS }];

const PROTOCOLS = {
  hermes: hermesProtocol(),
  "the tool's name as a tag": morphXmlProtocol(),
  "Qwen3-Coder": qwen3CoderProtocol(),
  "UI-TARS": uiTarsXmlProtocol(),
};

/**
 * Tags do not say where blanks at the ends of a text come from, and have no sign for `<` and `&`. The package
 * (4.1.26) loses its place behind a letter such as "İ", whose lower case is longer.
 */
const plain = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) =>
  text === text.trim() && !/[<>&]/.test(text) && text.toLowerCase().length === text.length
);
const args = fc.record(
  { path: plain, text: plain, line: fc.integer(), all: fc.boolean() },
  { noNullPrototype: true },
);

function theirs(protocol: typeof PROTOCOLS["hermes"], text: string): unknown[] {
  return protocol.parseGeneratedText({ text, tools: THEIRS }).flatMap((part) =>
    part.type === "tool-call" ? [{ name: part.toolName, args: JSON.parse(part.input) }] : []
  );
}

for (const [what, protocol] of Object.entries(PROTOCOLS)) {
  Deno.test(`property: calls that @ai-sdk-tool/parser writes as ${what} are read as it reads them`, () => {
    fc.assert(
      fc.property(fc.array(args, { minLength: 1, maxLength: 3 }), (all) => {
        const written = all.map((one, at) =>
          protocol.formatToolCall({
            type: "tool-call",
            toolCallId: `c${at}`,
            toolName: "file_edit",
            input: JSON.stringify(one),
          })
        ).join("\n");
        const { calls, text } = readTextCalls(`I edit.\n${written}`, OURS);
        const read = calls.map(({ name, args }) => ({ name, args: JSON.parse(args) }));
        assert.deepEqual(read, all.map((one) => ({ name: "file_edit", args: one })), written);
        assert.equal(text, "I edit.");
        assert.deepEqual(theirs(protocol, written), read);
      }),
      { numRuns: 200 },
    );
  });
}
