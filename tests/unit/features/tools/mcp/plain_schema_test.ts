/** Schemas that servers have and model APIs refuse, each with where it was met. */
import assert from "node:assert/strict";
import Ajv from "ajv";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import { offerTools } from "svc/features/tools/mcp/offer.ts";
import { asServerNames } from "svc/features/tools/mcp/plain_names.ts";

const text = { type: "string" };

const plan = {
  ...{ server: "far", wanted: undefined, taken: new Map(), redact: (said: string) => said },
  roomBytes: 99_999,
};

/** What svc offers of a tool, which takes each of these arguments as the server does. */
function offered(schema: object, takes: readonly object[]) {
  const { tools, leftOut } = offerTools(
    [{ name: "act", inputSchema: schema as McpTool["inputSchema"] }],
    plan,
  );
  assert.deepEqual(leftOut, []);
  const { parameters } = tools[0]!;
  for (const args of takes) {
    assert.ok(new Ajv().validate(schema, args), JSON.stringify(args));
    assert.ok(new Ajv().validate(parameters, args), JSON.stringify([parameters, args]));
  }
  return parameters;
}

Deno.test("the schema `true` of a Go server (google/jsonschema-go) is an empty one, wherever it stands", () => {
  const schema = {
    type: "object",
    properties: {
      value: true,
      never: false,
      list: { type: "array", items: true },
      map: { type: "object", additionalProperties: true, properties: { deep: true } },
      nullable: { type: "boolean", default: true },
    },
  };
  assert.deepEqual(offered(schema, [{ value: 5, list: [1, "a"], map: { deep: {} } }]), {
    type: "object",
    properties: {
      value: {},
      never: { not: {} },
      list: { type: "array", items: {} },
      map: { type: "object", additionalProperties: true, properties: { deep: {} } },
      nullable: { type: "boolean", default: true },
    },
    required: [],
  });
});

Deno.test("a list says what it holds, as OpenAI wants it (mark3labs/mcphost#35)", () => {
  const schema = {
    type: "object",
    properties: { texts: { type: "array" }, more: { anyOf: [{ type: ["array", "null"] }, text] } },
    required: ["texts"],
  };
  assert.deepEqual(offered(schema, [{ texts: ["a"], more: null }]), {
    type: "object",
    properties: {
      texts: { type: "array", items: {} },
      more: { anyOf: [{ type: ["array", "null"], items: {} }, text] },
    },
    required: ["texts"],
  });
});

Deno.test("a choice at the top, which OpenAI and Anthropic refuse, becomes properties (notion-mcp-server#340)", () => {
  const branch = (kind: string, name: string) => ({
    type: "object",
    properties: { kind: { const: kind }, page: text, [name]: text },
    required: ["kind", name],
  });
  const schema = {
    type: "object",
    properties: { page: text },
    required: ["page"],
    anyOf: [branch("text", "content"), { $ref: "#/$defs/url" }],
    $defs: { url: branch("url", "source_url") },
  };
  const parameters = offered(schema, [
    { page: "p", kind: "text", content: "c" },
    { page: "p", kind: "url", source_url: "u" },
  ]);
  assert.deepEqual(parameters, {
    type: "object",
    properties: {
      page: text,
      kind: { anyOf: [{ const: "text" }, { const: "url" }] },
      content: text,
      source_url: text,
    },
    required: ["page"],
  });
});

Deno.test("what all branches want together stays required, and a condition at the top is the server's to check", () => {
  const schema = {
    type: "object",
    properties: { mode: text },
    allOf: [
      { properties: { size: { type: "integer" } }, required: ["size", "mode", "unknown"] },
      { if: { properties: { mode: { const: "small" } } }, then: { required: ["size"] } },
    ],
    not: { required: ["other"] },
  };
  const args = { mode: "small", size: 3, unknown: 1 };
  assert.deepEqual(offered(schema, [args]), {
    type: "object",
    properties: { mode: text, size: { type: "integer" } },
    required: ["size", "mode"],
  });
});

Deno.test("definitions that a tool does not use are left out, as npm @notionhq/notion-mcp-server has them", () => {
  const definitions = {
    block: { type: "object", properties: { parent: { $ref: "#/$defs/parent" }, text } },
    parent: { anyOf: [{ $ref: "#/$defs/block" }, text] },
    icon: { type: "object", properties: { emoji: text } },
  };
  const schema = (properties: object) => ({ type: "object", properties, $defs: definitions });
  const ids = { id: text };
  assert.deepEqual(offered(schema(ids), [{ id: "a" }])["$defs"], undefined);
  const one = offered(schema({ block: { $ref: "#/$defs/block" } }), [
    { block: { parent: { parent: "top" }, text: "a" } },
  ]);
  assert.deepEqual(Object.keys(one["$defs"] as object), ["block", "parent"]);
  // A reference of another kind may lead anywhere.
  const other = { $ref: "#/properties/id" };
  const all = offered(schema({ ...ids, other, $ref: text }), [{ id: "a", other: "b" }]);
  assert.deepEqual(Object.keys(all["$defs"] as object), ["block", "parent", "icon"]);
});

Deno.test("a schema of very many references is left out for its size", () => {
  const anyOf = Array.from({ length: 160_000 }, () => ({ $ref: "#/$defs/a" }));
  const inputSchema = {
    type: "object" as const,
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { anyOf } },
  };
  const { leftOut } = offerTools([{ name: "act", inputSchema }], plan);
  assert.match(leftOut[0]!.reason, /^its parameters take \d+ bytes$/);
});

Deno.test("names that Anthropic refuses are plain ones for models, and the server's own in a call", () => {
  const [long, name] = [
    "settings__approved__or__denied__countries__or__regions__approved__list",
    "é".repeat(3),
  ];
  const inputSchema = {
    type: "object" as const,
    properties: {
      ...{ path: text, filter: text, "$filter": { ...text, description: "OData" } },
      ...{ "filter[name]": text, "filter(name)": text, [long]: text, [name]: text },
    },
    required: ["path", "$filter"],
  };
  const [tool] = offerTools([{ name: "act", inputSchema }], plan).tools;
  const { properties, required } = tool!.parameters as {
    properties: Record<string, { description?: string }>;
    required: string[];
  };
  const names = Object.keys(properties);
  for (const one of names) assert.match(one, /^[a-zA-Z0-9_.-]{1,64}$/);
  assert.deepEqual(required, ["path", "filter_2"]);
  assert.equal(properties["filter_2"]!.description, 'The server calls it "$filter". OData');
  assert.deepEqual(names.slice(0, 5), [
    "path",
    "filter",
    "filter_2",
    "filter_name",
    "filter_name_2",
  ]);
  assert.equal(names.at(-1), "value");
  const given = Object.fromEntries(names.map((one) => [one, "x"]));
  const sent = asServerNames({ ...given, more: 1 }, tool!.renamed);
  assert.deepEqual(Object.keys(sent), [...Object.keys(inputSchema.properties), "more"]);
});

/** Forms of other drafts, and of none; each made Anthropic, OpenAI or both refuse a whole request. */
const OLD_FORMS: Readonly<Record<string, readonly [given: object, made: object]>> = {
  "a tuple of draft 7 (npm fastmcp, hyperdxio/hyperdx#2925)": [
    { type: "array", items: [text, { type: "number" }], additionalItems: false, maxItems: 2 },
    { type: "array", prefixItems: [text, { type: "number" }], items: {}, maxItems: 2 },
  ],
  "a tuple whose rest refers into it (kintone/mcp-server#553)": [
    { type: "array", items: [text], additionalItems: { $ref: "#/properties/it/items/0" } },
    { type: "array", prefixItems: [text], items: { $ref: "#/properties/it/prefixItems/0" } },
  ],
  "a bound of draft 4 (Dokploy/mcp#74)": [
    { type: "integer", exclusiveMinimum: true, minimum: 0, exclusiveMaximum: false, maximum: 9 },
    { type: "integer", exclusiveMinimum: 0, maximum: 9 },
  ],
  "required of draft 3": [{ ...text, required: true }, text],
  "types that are none (s-stefanov/actual-mcp#26)": [
    { anyOf: [{ type: ["string", "string[]"] }, { type: "any" }, { type: "STRING" }] },
    { anyOf: [{}, {}, text] },
  ],
  "null, as servers in Go and Python write nothing": [
    {
      type: "object",
      description: null,
      properties: null,
      required: null,
      enum: null,
      items: null,
    },
    { type: "object" },
  ],
  "nothing to choose from, and a bound in quotation marks": [
    { type: "string", enum: [], anyOf: [], minLength: "1", pattern: 5 },
    text,
  ],
};

/** Takes draft 2020-12 alone. @throws Error for another */
const compiled = (properties: object) => {
  const schema = JSON.stringify({ type: "object", properties });
  return new AjvJsonSchemaValidator().getValidator(JSON.parse(schema));
};

for (const [what, [given, made]] of Object.entries(OLD_FORMS)) {
  Deno.test(`parameters are offered in the form of draft 2020-12: ${what}`, () => {
    assert.throws(() => compiled({ it: given }));
    compiled({ it: made });
    for (const where of [(it: object) => ({ it }), (it: object) => ({ it: { not: it } })]) {
      const parameters = offered({ type: "object", properties: where(given) }, []);
      assert.deepEqual(parameters["properties"], where(made));
    }
  });
}

Deno.test("a reference at the top is what it leads to", () => {
  const Args = { type: "object", properties: { a: text }, required: ["a"] };
  const schema = { type: "object", $ref: "#/definitions/Args", definitions: { Args } };
  assert.deepEqual(offered(schema, [{ a: "b" }]), Args);
});

Deno.test("a tool is left out in which a property is no schema, also far inside", () => {
  const inputSchema = { properties: { a: { type: "object", properties: { type: "object" } } } };
  const { tools, leftOut } = offerTools([{ name: "act", inputSchema }], plan);
  assert.deepEqual(tools, []);
  assert.match(leftOut[0]!.reason, /no JSON Schema of an object/);
});
