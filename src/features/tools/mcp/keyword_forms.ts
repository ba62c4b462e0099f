/**
 * The keywords of a JSON Schema in the form of draft 2020-12. For one tool with another, Anthropic refuses the whole request,
 * and so the job ("It must match JSON Schema draft 2020-12", anthropics/claude-code#586), and so does OpenAI for some.
 */
export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";
const isNumber = (value: unknown): value is number => typeof value === "number";
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isList = (value: unknown) => Array.isArray(value);
const isFullList = (value: unknown) => Array.isArray(value) && value.length > 0;
const isSchema = (value: unknown) => isObject(value) || isFlag(value);

/** Its meta-schema (json-schema.org/draft/2020-12/schema); OpenAI refuses an empty `enum` as well. */
const FORMS: readonly (readonly [fits: (value: unknown) => boolean, keywords: string])[] = [
  [isText, "$anchor $comment $dynamicAnchor $dynamicRef $id $ref contentEncoding"],
  [isText, "contentMediaType description format pattern title"],
  [isFlag, "deprecated readOnly uniqueItems writeOnly"],
  [isNumber, "exclusiveMaximum exclusiveMinimum maximum minimum"],
  [(value) => isNumber(value) && value > 0, "multipleOf"],
  [isCount, "maxContains maxItems maxLength maxProperties"],
  [isCount, "minContains minItems minLength minProperties"],
  [isList, "examples"],
  [isFullList, "allOf anyOf enum oneOf prefixItems"],
  [isSchema, "additionalProperties contains else if items not propertyNames then"],
  [isSchema, "unevaluatedItems unevaluatedProperties"],
  [isObject, "$defs definitions dependentSchemas patternProperties properties"],
];

const FITS = new Map(FORMS.flatMap(([fits, names]) => names.split(" ").map((key) => [key, fits])));

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** No type for one that is none, such as `string[]` (s-stefanov/actual-mcp#26): the server itself checks. */
function typeOf(type: unknown): string | string[] | undefined {
  const named = [...new Set([type].flat().map((one) => String(one).toLowerCase()))];
  if (named.length === 0 || !named.every((one) => TYPES.includes(one))) return undefined;
  return Array.isArray(type) ? named : named[0];
}

/** Draft 4: true beside `minimum`, as `@dokploy/mcp` has it (Dokploy/mcp#74). */
function bounds(schema: JsonObject): JsonObject {
  const form = (bound: "Minimum" | "Maximum"): JsonObject => {
    const [plain, exclusive] = [bound.toLowerCase(), `exclusive${bound}`];
    return schema[exclusive] === true ? { [plain]: undefined, [exclusive]: schema[plain] } : {};
  };
  return { ...form("Minimum"), ...form("Maximum") };
}

/** Draft 7: a list of `items` for a tuple, as zod-to-json-schema and npm fastmcp write it (hyperdxio/hyperdx#2925). */
function tuple({ items, additionalItems }: JsonObject): JsonObject {
  if (!Array.isArray(items)) return {};
  return { prefixItems: items, items: isObject(additionalItems) ? additionalItems : {} };
}

/** Keywords in another form are left out; the schemas in it are left as they are. */
export function inForm(schema: JsonObject): JsonObject {
  const { type, required, $ref, $schema: _, ...given } = schema;
  const formed: JsonObject = {
    ...("type" in schema && { type: typeOf(type) }),
    ...given,
    ...bounds(schema),
    ...tuple(schema),
    additionalItems: undefined,
    // Draft 3 and 4: true for a property.
    required: Array.isArray(required) ? [...new Set(required.filter(isText))] : undefined,
    $ref: typeof $ref === "string" ? $ref.replaceAll(/\/items\/(?=\d)/g, "/prefixItems/") : $ref,
  };
  return Object.fromEntries(
    Object.entries(formed).filter(([key, value]) =>
      value !== undefined && (FITS.get(key)?.(value) ?? true)
    ),
  );
}
