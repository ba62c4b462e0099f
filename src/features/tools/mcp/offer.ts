/** Turns what a server says of its tools into svc's own tools: named, bounded and cleaned, or left out with a reason. */
import { oneLine, plainText } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import { type OfferedNames, offeredToolName } from "svc/core/tool_names.ts";
import { type ObjectSchema, withPlainNames } from "./plain_names.ts";
import { isObject, type JsonObject } from "./keyword_forms.ts";
import { NO_SCHEMA, plainSchema } from "./plain_schema.ts";
import type { ListedTool } from "./results.ts";

/** Tools of one server; a model chooses badly among many more. */
const TOOLS = 64;

/** JSON bytes of one tool's parameters. */
const SCHEMA_BYTES = 12 * 1024;

const SCHEMA_DEPTH = 20;

const ABOUT_CHARS = 1_000;

/** What model APIs take as the name of a function (platform.openai.com/docs/api-reference/chat/create, `tools`). */
const NAME_CHARS = 64;

export interface OfferedMcpTool {
  /** `<server>__<tool>`; people are shown `<server>.<tool>`. */
  readonly name: string;
  /** The server's own name for it. */
  readonly theirs: string;
  readonly about: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The server's own names of parameters that models know by another. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly bytes: number;
}

export interface LeftOutTool {
  readonly name: string;
  readonly reason: string;
}

interface OfferPlan {
  readonly server: string;
  /** As the config says; undefined for all. */
  readonly wanted: readonly string[] | undefined;
  /** Names that are taken. */
  readonly taken: OfferedNames;
  readonly redact: Redact;
  /** JSON bytes for all tools of the server. */
  readonly roomBytes: number;
}

function nameOf(server: string, theirs: string): string {
  return `${server}__${theirs.replaceAll(/[^\w-]/g, "_")}`;
}

/** @throws Error where it is nested too deeply */
function cleaned(value: unknown, redact: Redact, depth = 0): unknown {
  if (depth > SCHEMA_DEPTH) throw new Error("its parameters are nested too deeply");
  if (typeof value === "string") return redact(plainText(value));
  if (Array.isArray(value)) return value.map((item) => cleaned(item, redact, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      redact(plainText(key)),
      cleaned(inner, redact, depth + 1),
    ]),
  );
}

/**
 * Other parts of svc read `properties`, `required` and `enum`. Servers leave `type` out, as npm fastmcp does for a union, and
 * some the whole schema; those in Go may have null for an empty list. @throws Error for what is no schema of an object
 */
function parametersOf(given: unknown, redact: Redact): ObjectSchema {
  const wrong = new Error(NO_SCHEMA);
  const schema = given ?? {};
  if (!isObject(schema) || (schema["type"] ?? "object") !== "object") throw wrong;
  const { $schema: _, ...rest } = plainSchema(cleaned(schema, redact) as JsonObject);
  const properties = rest["properties"] ?? {};
  const required = rest["required"] ?? [];
  if (!isObject(properties) || !Array.isArray(required)) throw wrong;
  const fields = Object.values(properties);
  const fits = fields.every((field) =>
    isObject(field) && (field["enum"] === undefined || Array.isArray(field["enum"]))
  );
  const known = required.every((key) => typeof key === "string" && Object.hasOwn(properties, key));
  if (!fits || !known) throw wrong;
  return {
    ...{ ...rest, type: "object" },
    properties: properties as ObjectSchema["properties"],
    required,
  };
}

function offered(tool: ListedTool, { server, taken, redact }: OfferPlan): OfferedMcpTool {
  if (tool.name === "") throw new Error("it has no name");
  if (tool.asTask) throw new Error("it can be called as a task alone, which svc does not do");
  const name = nameOf(server, tool.name);
  if (name.length > NAME_CHARS) throw new Error(`its name is longer than ${NAME_CHARS} characters`);
  const like = offeredToolName(name, taken);
  if (like !== undefined) throw new Error(`its name is that of ${like}`);
  const { schema: parameters, renamed } = withPlainNames(parametersOf(tool.inputSchema, redact));
  const bytes = new TextEncoder().encode(JSON.stringify(parameters)).length;
  if (bytes > SCHEMA_BYTES) throw new Error(`its parameters take ${bytes} bytes`);
  // Cut last: half of a secret is not known as one.
  const said = shortened(redact(oneLine(tool.description ?? "")), ABOUT_CHARS);
  const about = `[tool of ${server}] ${said}`.trim();
  return { name, theirs: tool.name, about, parameters, renamed, bytes: bytes + about.length };
}

/** In the server's order; what does not fit or fits two is left out. Never throws. */
export function offerTools(
  tools: readonly ListedTool[],
  plan: OfferPlan,
): { readonly tools: readonly OfferedMcpTool[]; readonly leftOut: readonly LeftOutTool[] } {
  const found = new Map<string, OfferedMcpTool>();
  const leftOut: LeftOutTool[] = [];
  const { wanted, server } = plan;
  let room = plan.roomBytes;
  const leave = (name: string, reason: string) =>
    leftOut.push({ name: `${server}.${oneLine(name.slice(0, 80))}`, reason });
  for (const tool of tools) {
    if (wanted !== undefined && !wanted.includes(tool.name)) continue;
    try {
      if (found.size >= TOOLS) throw new Error(`only ${TOOLS} tools of a server are offered`);
      const one = offered(tool, plan);
      if (offeredToolName(one.name, found) !== undefined) {
        throw new Error("another tool of the server has that name");
      }
      if (one.bytes > room) throw new Error("the tools before it take all the room");
      room -= one.bytes;
      found.set(one.name, one);
    } catch (thrown) {
      leave(tool.name, (thrown as Error).message);
    }
  }
  for (const name of wanted ?? []) {
    if (!tools.some((tool) => tool.name === name)) leave(name, "the server has no such tool");
  }
  return { tools: [...found.values()], leftOut: leftOut.slice(0, 2 * TOOLS) };
}
