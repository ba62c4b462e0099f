/** Reads the arguments of a call: repaired where what is meant is sure, then checked strictly, with errors that teach. */
import type { z } from "zod";
import { didYouMean } from "svc/core/nearest.ts";
import { quoted } from "svc/core/repo_path.ts";
import { AskedArgs } from "svc/features/tools/args/asked.ts";
import { exampleOf } from "svc/features/tools/args/examples.ts";
import type { LoadMender } from "svc/features/tools/args/mend_json.ts";
import { readValue, shownValue } from "svc/features/tools/args/read_value.ts";
import { repairForms } from "svc/features/tools/args/repair_forms.ts";
import {
  dropCommentary,
  repairKeys,
  repairPaths,
  repairTypes,
} from "svc/features/tools/args/repair_fields.ts";
import { definitionOf, schemaLine } from "./definitions.ts";
import type { AnyTool } from "./tool.ts";

export type ParsedArgs =
  | {
    readonly ok: true;
    readonly args: unknown;
    /** As they should have been given: read again, they give the same without a repair. */
    readonly given: Readonly<Record<string, unknown>>;
    /** What was repaired, such as `key:file_path=path`; the part before the colon is the kind. */
    readonly repairs: readonly string[];
  }
  | { readonly ok: false; readonly fault: string };

export interface ArgsPlan {
  /** Absolute path of the tree that the tools see. */
  readonly root: string;
  readonly mender?: LoadMender | undefined;
}

/** Told of one call. */
const FAULTS = 10;

/** A list that a model spelt as a text, and wrong. */
function hasBrokenList(asked: AskedArgs): boolean {
  return asked.keys().some((key) => {
    const value = asked.get(key);
    if (asked.schema(key).type !== "array" || typeof value !== "string") return false;
    return /^\s*\[/.test(value) && !isJson(value);
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false; // asked just to know
  }
}

/** @param given JSON text, or its value; null means a field left out, since some models name every field */
export async function parseArgs(
  tool: AnyTool,
  given: unknown,
  { root, mender }: ArgsPlan,
): Promise<ParsedArgs> {
  const read = await readValue(tool, given, mender);
  if ("fault" in read) return fault(tool, [read.fault]);
  if (tool.parameters !== undefined) {
    // Repairs follow svc's own schemas: there, an empty text or a full path means nothing else.
    const given = { ...read.value };
    return { ok: true, args: given, given, repairs: read.repairs };
  }
  const asked = new AskedArgs(tool, read.value);
  for (const repair of read.repairs) asked.note(repair);
  repairKeys(asked);
  repairForms(asked);
  dropCommentary(asked);
  repairTypes(asked, hasBrokenList(asked) ? await mender?.() : undefined);
  repairPaths(asked, root);
  const fields = asked.fields();
  const parsed = tool.args.safeParse(fields);
  if (parsed.success) return { ok: true, args: parsed.data, given: fields, repairs: asked.repairs };
  return fault(tool, parsed.error.issues.flatMap((issue) => told(tool, issue, fields)));
}

function fault(tool: AnyTool, faults: readonly string[]): ParsedArgs {
  const list = faults.slice(0, FAULTS).map((text) => `- ${text}`).join("\n");
  const example = exampleOf(tool);
  const wanted = `${tool.name} takes ${schemaLine(tool)}${
    example === undefined ? "" : `, such as ${example}`
  }`;
  return { ok: false, fault: `Cannot call ${tool.name}: wrong arguments\n${list}\n${wanted}` };
}

function told(tool: AnyTool, issue: z.core.$ZodIssue, fields: Record<string, unknown>): string[] {
  const known = Object.keys(definitionOf(tool).function.parameters["properties"] ?? {});
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, FAULTS).map((key) => {
      const name = key.slice(0, 100);
      return `${quoted(name)} is no argument. ${didYouMean(name, known)}`.trim();
    });
  }
  const name = issue.path.join(".");
  const found = issue.path.reduce<unknown>(
    (inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key],
    fields,
  );
  if (found === undefined) return [`${quoted(name)} is missing`];
  return [`${quoted(name)} is ${shownValue(found)}: ${issue.message}`];
}
