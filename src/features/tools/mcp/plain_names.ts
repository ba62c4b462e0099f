/** Gives the parameters of a server's tool names that model APIs take, and knows the server's own. */
import type { JsonObject } from "./keyword_forms.ts";

export interface ObjectSchema extends JsonObject {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
}

/**
 * What Anthropic takes; for another, such as OData's `$filter` or `filter[name]`, it refuses the whole request, and so the
 * job ("Property keys should match pattern", ComposioHQ/composio#3500, beautyfree/appstore-connect-mcp#2).
 */
const TAKEN = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Leaves room for a number behind it. */
const NAME_CHARS = 60;

/** `filter` for `$filter`, and `filter_2` where that is another's. */
function plainName(theirs: string, others: ReadonlySet<string>): string {
  const plain = (theirs.match(/[a-zA-Z0-9.-]+/g) ?? []).join("_");
  const base = plain.slice(0, NAME_CHARS) || "value";
  for (let n = 1;; n++) {
    const name = n === 1 ? base : `${base}_${n}`;
    if (!others.has(name)) return name;
  }
}

function described(theirs: string, field: JsonObject): JsonObject {
  const { description } = field;
  const own = `The server calls it ${JSON.stringify(theirs)}.`;
  return { ...field, description: typeof description === "string" ? `${own} ${description}` : own };
}

/** Those at the top: there names were refused. */
export function withPlainNames({ properties, required, ...rest }: ObjectSchema): {
  readonly schema: ObjectSchema;
  /** From a new name to the server's own. */
  readonly renamed: ReadonlyMap<string, string>;
} {
  const used = new Set(Object.keys(properties));
  const ours = new Map<string, string>();
  for (const theirs of Object.keys(properties)) {
    if (TAKEN.test(theirs)) continue;
    const name = plainName(theirs, used);
    ours.set(theirs, name);
    used.add(name);
  }
  const fields = Object.entries(properties).map(([theirs, field]) => {
    const name = ours.get(theirs);
    return name === undefined ? [theirs, field] : [name, described(theirs, field)];
  });
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(fields),
      required: required.map((name) => ours.get(name) ?? name),
    },
    renamed: new Map([...ours].map(([theirs, name]) => [name, theirs])),
  };
}

/** As the server names them; a name that no parameter has is left to it. */
export function asServerNames(
  given: Readonly<Record<string, unknown>>,
  renamed: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const fields = Object.entries(given).map(([name, value]) => [renamed.get(name) ?? name, value]);
  return Object.fromEntries(fields);
}
