/**
 * Makes of a server's JSON Schema one that model APIs take. They refuse a whole request, and so the job, because of one tool
 * whose schema they do not take; the server itself checks the arguments.
 */

import { inForm, isObject, type JsonObject } from "./keyword_forms.ts";

export const NO_SCHEMA = "its parameters are no JSON Schema of an object";

/** Keywords that hold schemas: one or a list of them, or one for each name (JSON Schema 2020-12, Core, section 10). */
const SCHEMAS = [
  ...["allOf", "anyOf", "contains", "else", "if", "items", "not", "oneOf", "prefixItems"],
  ...["propertyNames", "then"],
];
const NAMED_SCHEMAS = [
  ...["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"],
];

function keyword(key: string, value: unknown): unknown {
  if (SCHEMAS.includes(key)) return plain(value);
  // Also a boolean here, which they take.
  if (key === "additionalProperties") return isObject(value) ? plain(value) : value;
  if (!NAMED_SCHEMAS.includes(key) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
}

/**
 * {} for the schema `true` and {"not": {}} for `false`, as servers in Go write them (google/jsonschema-go, `MarshalJSON`);
 * `items` for each array, which OpenAI wants ("array schema missing items", mark3labs/mcphost#35).
 */
function plain(schema: unknown): unknown {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isObject(schema)) throw new Error(NO_SCHEMA);
  const formed = inForm(schema);
  const isList = [formed["type"]].flat().includes("array");
  const keywords = Object.entries(formed).map(([key, value]) => [key, keyword(key, value)]);
  return { ...Object.fromEntries(keywords), ...(isList && !("items" in formed) && { items: {} }) };
}

const DEFINITIONS = ["$defs", "definitions"] as const;

/** Whose definition a reference leads to, or into; undefined for other references. */
function definitionOf(
  reference: unknown,
): { readonly part: string; readonly name: string } | undefined {
  const [root, part = "", name = ""] = String(reference).split("/");
  const known = root === "#" && (DEFINITIONS as readonly string[]).includes(part);
  // Other spellings of a name, as in JSON Pointer, are not worth reading.
  return known && !/[~%]/.test(name) ? { part, name } : undefined;
}

/** The schema that a reference to the schema's own definitions leads to, itself otherwise. */
function referred(root: JsonObject, branch: unknown): unknown {
  const at = isObject(branch) ? definitionOf(branch["$ref"]) : undefined;
  const known = at && root[at.part];
  return isObject(known) && Object.hasOwn(known, at!.name) ? known[at!.name] : branch;
}

function referencesIn(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    /^\$(?:dynamicRef|recursiveRef|ref)$/.test(key) && !isObject(inner)
      ? [inner]
      : referencesIn(inner)
  );
}

/** Some servers repeat all their definitions in each tool (`@notionhq/notion-mcp-server`), which costs room and tokens. */
function withoutUnusedDefinitions(schema: JsonObject): JsonObject {
  const { $defs: _, definitions: __, ...rest } = schema;
  const used = new Set<string>();
  const open = referencesIn(rest);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const at = definitionOf(next);
    if (at === undefined) return schema;
    const place = `${at.part}/${at.name}`;
    if (used.has(place)) continue;
    used.add(place);
    for (const more of referencesIn(referred(schema, { $ref: `#/${place}` }))) open.push(more);
  }
  const kept = DEFINITIONS.flatMap((part) => {
    const all = Object.entries(isObject(schema[part]) ? schema[part] : {});
    const some = all.filter(([name]) => used.has(`${part}/${name}`));
    return some.length === 0 ? [] : [[part, Object.fromEntries(some)]];
  });
  return { ...rest, ...Object.fromEntries(kept) };
}

const listed = (value: unknown): readonly unknown[] => Array.isArray(value) ? value : [];

/** Each once; several where branches differ, as in the constants that tell them apart. */
function eitherOf(schemas: readonly unknown[]): unknown {
  const different = [...new Map(schemas.map((one) => [JSON.stringify(one), one])).values()];
  return different.length === 1 ? different[0] : { anyOf: different };
}

/**
 * Neither OpenAI nor Anthropic take a choice at the top (makenotion/notion-mcp-server#340): the properties of its branches
 * become the tool's own. What `allOf` requires stays required.
 */
function withoutChoice(schema: JsonObject): JsonObject {
  const { allOf, anyOf, oneOf, not: _, enum: __, ...rest } = schema;
  const own = isObject(rest["properties"]) ? rest["properties"] : {};
  const branchesOf = (choice: unknown) =>
    listed(choice).map((branch) => (referred(schema, branch) ?? {}) as JsonObject);
  const all = branchesOf(allOf);
  const found = Map.groupBy(
    [...all, ...branchesOf(anyOf), ...branchesOf(oneOf)]
      .flatMap(({ properties }) => Object.entries(isObject(properties) ? properties : {}))
      .filter(([name]) => !Object.hasOwn(own, name)),
    ([name]) => name,
  );
  const must = all.flatMap(({ required }) => listed(required))
    .filter((name) => Object.hasOwn(own, String(name)) || found.has(String(name)));
  const required = [...new Set([...listed(rest["required"]), ...must])];
  if (found.size === 0 && required.length === 0) return rest;
  const more = [...found].map(([name, some]) => [name, eitherOf(some.map(([, one]) => one))]);
  return { ...rest, properties: { ...own, ...Object.fromEntries(more) }, required };
}

/** A reference at the top is what it leads to, as zod-to-json-schema writes a schema that has a name. */
function withoutReference(schema: JsonObject): JsonObject {
  const { $ref, ...rest } = schema;
  const whole = referred(schema, { $ref });
  return isObject(whole) && !("$ref" in whole) ? { ...whole, ...rest } : schema;
}

/** @throws Error for what is no schema */
export function plainSchema(schema: JsonObject): JsonObject {
  return withoutUnusedDefinitions(withoutChoice(withoutReference(plain(schema) as JsonObject)));
}
