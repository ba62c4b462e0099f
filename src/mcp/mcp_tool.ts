/** Tools and the results of calls in the format of the protocol (modelcontextprotocol.io, "Tools"). */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Capability } from "svc/core/permission.ts";
import type { ToolDefinition, ToolOutcome } from "svc/features/tools/tool.ts";

/** Hints for a client that asks its user; svc's own policy does not depend on them. */
function annotationsOf(capability: Capability): NonNullable<Tool["annotations"]> {
  return capability === "read"
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: true };
}

export function mcpTool(definition: ToolDefinition, capability: Capability): Tool {
  const { name, description, parameters } = definition.function;
  return {
    name,
    description,
    inputSchema: parameters as Tool["inputSchema"],
    annotations: annotationsOf(capability),
  };
}

/**
 * Facts go into `_meta`: clients would show `structuredContent` instead of the text, which is the whole
 * answer.
 */
export function mcpResult({ status, text, facts, deniedBy }: ToolOutcome): CallToolResult {
  return {
    content: [{ type: "text", text }],
    ...(status !== "ok" && { isError: true }),
    _meta: {
      "svc/status": status,
      ...(deniedBy !== undefined && { "svc/deniedBy": deniedBy }),
      ...(Object.keys(facts).length > 0 && { "svc/facts": facts }),
    },
  };
}
