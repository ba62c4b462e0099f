/** Tool declarations as models and MCP clients read them: JSON Schema, small and always the same. */
import { z } from "zod";
import type { AnyTool, ToolDefinition } from "./tool.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Prompt caches compare bytes, and callers objects: each tool has one definition for good. */
const known = new WeakMap<AnyTool, ToolDefinition>();

export function definitionOf(tool: AnyTool): ToolDefinition {
  return known.get(tool) ?? define(tool, tool.parameters ?? parametersOf(tool));
}

/** For a tool whose parameters were derived before (`parameters.gen.ts`). */
export function define(tool: AnyTool, parameters: JsonSchema): ToolDefinition {
  const definition: ToolDefinition = {
    type: "function",
    function: { name: tool.name, description: tool.about, parameters },
  };
  known.set(tool, definition);
  return definition;
}

/** Derived from `tool.args`. */
export function parametersOf(tool: AnyTool): JsonSchema {
  const { $schema: _, ...parameters } = lean(
    z.toJSONSchema(tool.args, { io: "input" }),
  ) as JsonSchema;
  return parameters;
}

/** Limits that no model comes near; a call beyond them gets an error. */
const UNSAID = new Set(["minLength", "maxLength", "minItems", "maxItems", "pattern"]);

/** Removes those limits, and the bounds of every JavaScript integer. */
function lean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lean);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) =>
        // A field may be named like a limit; its value is a schema then.
        (typeof inner === "object" || !UNSAID.has(key)) &&
        Math.abs(Number(inner)) !== Number.MAX_SAFE_INTEGER
      )
      .map(([key, inner]) => [key, lean(inner)]),
  );
}

/**
 * As a model is sent it: without `additionalProperties: false`, some 7 % of what tools cost in each request.
 * The toolbox refuses unknown fields anyway, and llama.cpp's grammars take its absence for false
 * (`_build_object_rule` of json-schema-to-grammar.cpp).
 */
export function asSent(
  { type, function: { parameters, ...rest } }: ToolDefinition,
): ToolDefinition {
  const { additionalProperties: closed, ...lean } = parameters;
  return { type, function: { ...rest, parameters: closed === false ? lean : parameters } };
}

/** Such as `{"path": string, "offset"?: integer}`. */
export function schemaLine(tool: AnyTool): string {
  const { properties = {}, required = [] } = definitionOf(tool).function.parameters;
  const fields = Object.entries(properties as Record<string, JsonSchema>).map(([name, schema]) => {
    const mark = (required as string[]).includes(name) ? "" : "?";
    return `"${name}"${mark}: ${typeLine(schema)}`;
  });
  return `{${fields.join(", ")}}`;
}

function typeLine(schema: JsonSchema): string {
  if (Array.isArray(schema["enum"])) {
    return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  }
  if (schema["type"] === "array") return `[${typeLine((schema["items"] ?? {}) as JsonSchema)}, …]`;
  const { minimum, maximum } = schema;
  const range = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(maximum === undefined ? [] : [`to ${maximum}`]),
  ];
  return [String(schema["type"] ?? "any"), ...range].join(" ");
}
