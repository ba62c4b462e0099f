/** A call as a model wrote it in its text, and what the offered tools say about names and types. */
import { callableToolName } from "svc/core/tool_names.ts";
import type { TextToolDefinition } from "svc/features/models/client/text_tools.ts";

export interface TextCall {
  readonly name: string;
  /** JSON text; as the model wrote it where it is broken. */
  readonly args: string;
}

/** Definitions that were offered to the model, by name; a call of a name that is nobody's is text. */
export type OfferedTools = ReadonlyMap<string, TextToolDefinition>;

/** At least one call, and where in the text it ends. */
export interface Reading {
  readonly calls: readonly TextCall[];
  readonly end: number;
}

export type ReadCalls = (text: string, offered: OfferedTools) => Reading | undefined;

/** An offered name, also with a prefix or suffix, or another agent's for one of these, which the toolbox answers. */
export function calledName(value: unknown, offered: OfferedTools): string | undefined {
  return typeof value === "string" ? callableToolName(value, offered) : undefined;
}

export function argsText(value: unknown): string {
  if (value === undefined || value === null) return "{}";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Undefined where it is no JSON: a model wrote it by hand. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Schema {
  readonly type?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

export function argNames(tool: TextToolDefinition | undefined): readonly string[] {
  return Object.keys((tool?.parameters as Schema | undefined)?.properties ?? {});
}

function typesOf({ type, anyOf, oneOf }: Schema): readonly unknown[] {
  const inner = [...anyOf ?? [], ...oneOf ?? []].flatMap(typesOf);
  return type === undefined ? inner : [type, ...inner].flat();
}

/** A value between tags is text unless the schema says otherwise; without a type only lists and objects are read. */
export function typedValue(
  tool: TextToolDefinition | undefined,
  name: string,
  text: string,
): unknown {
  const properties = (tool?.parameters as Schema | undefined)?.properties ?? {};
  const types = Object.hasOwn(properties, name) ? typesOf(properties[name]!) : [];
  if (types.length > 0 && types.every((type) => type === "string")) return text;
  const value = parsedJson(text.trim().replace(/^(?:True|False)$/, (word) => word.toLowerCase()));
  if (value === undefined) return text;
  const nested = typeof value === "object" && value !== null;
  return nested || types.length > 0 && !types.includes("string") ? value : text;
}
