/**
 * What a server says to `tools/list` and `tools/call`, read part by part, so that what one part lacks costs no other. The
 * SDK refuses the whole: all tools for one without `"type": "object"`, as npm fastmcp lists a union, and the answer of a
 * call that was carried out.
 */
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isObject, type JsonObject } from "./keyword_forms.ts";

export interface ListedTool {
  /** Empty where it has none. */
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: unknown;
  /** It can only be called as a task (modelcontextprotocol.io, "Tasks"). */
  readonly asTask?: boolean;
}

interface ToolPage {
  readonly tools: readonly ListedTool[];
  readonly next: string | undefined;
}

export interface CallResult {
  readonly content: readonly unknown[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

/** @param read returns a text that says what is wrong */
function result<T extends object>(
  read: (said: JsonObject) => T | string,
): StandardSchemaV1<unknown, T> {
  return {
    "~standard": {
      version: 1,
      vendor: "svc",
      validate(said) {
        const value = isObject(said) ? read(said) : "it is no object";
        return typeof value === "string" ? { issues: [{ message: value }] } : { value };
      },
    },
  };
}

const textOr = (value: unknown, other: string) => typeof value === "string" ? value : other;

function listedTool(tool: unknown): ListedTool {
  const { name, description, inputSchema, execution } = isObject(tool) ? tool : {} as JsonObject;
  return {
    name: textOr(name, ""),
    description: textOr(description, ""),
    inputSchema,
    asTask: isObject(execution) && execution["taskSupport"] === "required",
  };
}

/** Servers in Go write null for an empty list, and "" for no cursor (`encoding/json`). */
export const TOOL_PAGE = result<ToolPage>(({ tools, nextCursor }) =>
  Array.isArray(tools ?? [])
    ? {
      tools: (tools as unknown[] | null | undefined ?? []).map(listedTool),
      next: textOr(nextCursor, "") || undefined,
    }
    : '"tools" is no list'
);

export const CALL_RESULT = result<CallResult>(({ content, isError, structuredContent }) =>
  Array.isArray(content ?? [])
    ? {
      content: content as unknown[] | null | undefined ?? [],
      isError: isError === true,
      structuredContent: structuredContent ?? undefined,
    }
    : '"content" is no list'
);
