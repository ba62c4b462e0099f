/** Reads the arguments of a call; a mistake is told so that the next call can be right. */
import type { z } from "zod";
import { didYouMean } from "svc/core/nearest.ts";
import { quoted } from "svc/core/repo_path.ts";
import { definitionOf, schemaLine } from "./definitions.ts";
import type { AnyTool } from "./tool.ts";

export type ParsedArgs =
  | { readonly ok: true; readonly args: unknown }
  | { readonly ok: false; readonly fault: string };

/** @param given JSON text, or its value; null means a field left out, since some models name every field */
export function parseArgs(tool: AnyTool, given: unknown): ParsedArgs {
  const wanted = `${tool.name} takes ${schemaLine(tool)}`;
  const json = typeof given === "string" ? fromJson(given) : { value: given };
  if ("fault" in json) return fault(tool, [json.fault], wanted);
  const value = json.value ?? {};
  if (typeof value !== "object" || Array.isArray(value)) {
    return fault(tool, [`a JSON object is needed, not ${shown(value)}`], wanted);
  }
  const fields = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
  const parsed = tool.args.safeParse(fields);
  if (parsed.success) return { ok: true, args: parsed.data };
  return fault(tool, parsed.error.issues.flatMap((issue) => told(tool, issue, fields)), wanted);
}

function fault(tool: AnyTool, faults: readonly string[], wanted: string): ParsedArgs {
  const list = faults.slice(0, 10).map((text) => `- ${text}`).join("\n");
  return { ok: false, fault: `Cannot call ${tool.name}: wrong arguments\n${list}\n${wanted}` };
}

function fromJson(text: string): { value: unknown } | { fault: string } {
  if (text.trim() === "") return { value: {} };
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    // V8 says where, except for short texts.
    const why = (thrown as SyntaxError).message.slice(0, 200);
    const at = Number(/at position (\d+)/.exec(why)?.[1]);
    const near = Number.isNaN(at)
      ? ""
      : `, near ${quoted(text.slice(Math.max(0, at - 30), at + 10))}`;
    return { fault: `not valid JSON: ${why}${near}` };
  }
}

function told(tool: AnyTool, issue: z.core.$ZodIssue, fields: Record<string, unknown>): string[] {
  const known = Object.keys(definitionOf(tool).function.parameters["properties"] ?? {});
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) =>
      `${quoted(key)} is no argument. ${didYouMean(key, known)}`.trim()
    );
  }
  const name = issue.path.join(".");
  const found = issue.path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    fields,
  );
  if (found === undefined) return [`${quoted(name)} is missing`];
  return [`${quoted(name)} is ${shown(found)}: ${issue.message}`];
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const kind = Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
  return `${quoted(text.slice(0, 60))} (${kind})`;
}
