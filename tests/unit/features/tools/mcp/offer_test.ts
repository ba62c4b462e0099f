/** What of a server's tools a model is shown, and what is left out with which reason. */
import assert from "node:assert/strict";
import { redactor } from "svc/core/redact.ts";
import { offerTools } from "svc/features/tools/mcp/offer.ts";

const SECRET = "hush-hush-123";

const plan = {
  ...{ server: "far", wanted: undefined, taken: new Map<string, unknown>() },
  ...{ redact: redactor([SECRET]), roomBytes: 99_999 },
};

/** Such as a server sends, whatever its types say. */
const object = (more: Record<string, unknown>) => ({ ...more, type: "object" as const }) as never;

const reasonOf = (inputSchema: never, name = "act") =>
  offerTools([{ name, inputSchema }], plan).leftOut.map(({ reason }) => reason);

Deno.test("no part of what a server says of its tools shows a model a secret", () => {
  const inputSchema = object({
    properties: {
      a: { type: "string", description: `or ${SECRET}`, default: SECRET, enum: ["x", SECRET] },
      [SECRET]: { type: "string" },
    },
  });
  const description = `Sends ${SECRET}`;
  const { tools } = offerTools([{ name: "act", description, inputSchema }], plan);
  assert.equal(tools.length, 1);
  const { name, about, parameters, renamed } = tools[0]!;
  const shown = JSON.stringify([name, about, parameters, [...renamed]]);
  assert.doesNotMatch(shown, /hush/);
  assert.match(shown, /or \[redacted\]/);
  assert.equal(about, "[tool of far] Sends [redacted]");
});

Deno.test("a tool that says nothing of itself is told by its server", () => {
  const [tool] = offerTools([{ name: "act", inputSchema: object({}) }], plan).tools;
  assert.equal(tool!.about, "[tool of far]");
  assert.deepEqual(tool!.parameters, { type: "object", properties: {}, required: [] });
});

Deno.test("parameters that are no object's are left out, and cost no other tool", () => {
  const wrong = ["its parameters are no JSON Schema of an object"];
  const schemas: readonly unknown[] = [
    ...[true, [], "object", { type: "array" }],
    object({ properties: { a: "text" } }),
    object({ properties: { a: {} }, required: ["a", "b"] }),
  ];
  for (const schema of schemas) {
    assert.deepEqual(reasonOf(schema as never), wrong, JSON.stringify(schema));
  }
  const { tools } = offerTools([
    ...schemas.map((schema, at) => ({ name: `bad${at}`, inputSchema: schema as never })),
    { name: "good", inputSchema: object({ properties: { a: { enum: ["x"] } }, required: ["a"] }) },
  ], plan);
  assert.deepEqual(tools.map(({ name }) => name), ["far__good"]);
});

Deno.test("a tool's name, depth and size are bounded", () => {
  assert.deepEqual(reasonOf(object({}), "n".repeat(59)), []);
  assert.deepEqual(reasonOf(object({}), "n".repeat(60)), ["its name is longer than 64 characters"]);
  const nested = (depth: number): unknown => depth === 0 ? "end" : { in: nested(depth - 1) };
  // The schema itself and `default` are the first two.
  assert.deepEqual(reasonOf(object({ default: nested(19) })), []);
  assert.deepEqual(reasonOf(object({ default: nested(20) })), [
    "its parameters are nested too deeply",
  ]);
  const listed = (depth: number): unknown => depth === 0 ? "end" : [listed(depth - 1)];
  assert.deepEqual(reasonOf(object({ default: listed(20) })), [
    "its parameters are nested too deeply",
  ]);
  assert.match(
    reasonOf(object({ title: "é".repeat(7_000) }))[0]!,
    /^its parameters take 14\d+ bytes$/,
  );
});

Deno.test("of a server's tools a person chooses, and what is missing or too many is told in bounds", () => {
  const tools = Array.from({ length: 400 }, (_, at) => ({
    ...{ name: `t${at}`, inputSchema: object({}) },
  }));
  const chosen = offerTools(tools, { ...plan, wanted: ["t3", "t399", "gone"] });
  assert.deepEqual(chosen.tools.map(({ theirs }) => theirs), ["t3", "t399"]);
  assert.deepEqual(chosen.leftOut, [{
    ...{ name: "far.gone", reason: "the server has no such tool" },
  }]);
  const all = offerTools(tools, plan);
  assert.deepEqual([all.tools.length, all.leftOut.length], [64, 128]);
  assert.equal(all.leftOut[0]!.reason, "only 64 tools of a server are offered");
});
