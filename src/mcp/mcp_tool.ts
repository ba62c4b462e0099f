/** Tools and what calls of them came to, in the words of the protocol (modelcontextprotocol.io, "Tools"). */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Capability } from "svc/core/permission.ts";
import type { ToolDefinition, ToolOutcome } from "svc/features/tools/tool.ts";

type Annotations = NonNullable<Tool["annotations"]>;

/** Hints for a client's own questions to its user; what is allowed is decided here, not by them. */
function annotationsOf(capability: Capability): Annotations {
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
 * Facts go into `_meta`, not into `structuredContent`: clients show that instead of the text, and the
 * text is the whole answer.
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
