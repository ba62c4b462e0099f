/** Answers `tools/list` and `tools/call` from a toolbox that is opened on first use. */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { AGENT_PARALLEL_READS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import type { Capability } from "svc/core/permission.ts";
import { quoted } from "svc/core/repo_path.ts";
import { VERSION } from "svc/core/version.ts";
import type {
  AnyTool,
  CallContext,
  Toolbox,
  ToolDefinition,
  ToolOutcome,
} from "svc/features/tools/tool.ts";
import { type CallGate, callGate } from "./call_gate.ts";
import { givenArguments } from "./request_params.ts";

export interface OpenTools {
  readonly toolbox: Toolbox;
  readonly tools: readonly AnyTool[];
}

export interface ServerPlan {
  readonly instructions: string;
  tools(): Promise<OpenTools>;
  readonly signal: AbortSignal;
  called(outcome: ToolOutcome): void;
  started(call: Promise<unknown>): void;
}

/** Not offered: `finish` ends a job, and a client of this server has none. */
const NOT_OFFERED = "finish";

/** Hints for a client that asks its user; svc's own policy does not depend on them. */
function annotationsOf(capability: Capability): NonNullable<Tool["annotations"]> {
  return capability === "read"
    ? { readOnlyHint: true, openWorldHint: false }
    : { readOnlyHint: false, destructiveHint: true };
}

function mcpTool(definition: ToolDefinition, capability: Capability): Tool {
  const { name, description, parameters } = definition.function;
  return {
    name,
    description,
    inputSchema: parameters as Tool["inputSchema"],
    annotations: annotationsOf(capability),
  };
}

/** Facts go into `_meta`: clients would show `structuredContent` instead of the text. */
function mcpResult({ status, text, facts, deniedBy }: ToolOutcome): CallToolResult {
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

async function listed({ toolbox, tools }: OpenTools): Promise<Tool[]> {
  const capability = new Map(tools.map((tool) => [tool.name, tool.capability]));
  return (await toolbox.offered())
    .filter((definition) => definition.function.name !== NOT_OFFERED)
    .map((definition) => mcpTool(definition, capability.get(definition.function.name)!));
}

/** An unknown tool is a fault of the request, as in the SDK; a denied one is an answer. */
async function assertKnown(opened: OpenTools, name: string): Promise<void> {
  if (name !== NOT_OFFERED && opened.tools.some((tool) => tool.name === name)) return;
  const near = didYouMean(name.slice(0, 100), (await listed(opened)).map((tool) => tool.name));
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${quoted(name.slice(0, 100))}${near === "" ? "" : `. ${near}`}`,
  );
}

function progressTo({ mcpReq }: ServerContext) {
  const token = mcpReq._meta?.progressToken;
  let progress = 0;
  let sent = Promise.resolve();
  return {
    ...(token !== undefined && {
      progress(message: string) {
        const params = { progressToken: token, progress: ++progress, message };
        // A client that is gone misses a line of progress and nothing else.
        sent = mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
      },
    }),
    sent: () => sent,
  };
}

async function call(
  plan: ServerPlan,
  gate: CallGate,
  { name, arguments: args = {} }: { readonly name: string; readonly arguments?: unknown },
  context: ServerContext,
): Promise<CallToolResult> {
  const opened = await plan.tools();
  await assertKnown(opened, name);
  const signal = AbortSignal.any([context.mcpReq.signal, plan.signal]);
  using _turn = await gate.enter(opened.toolbox.readsOnly(name), signal);
  const { sent, ...progress } = progressTo(context);
  const asked: CallContext = { signal, ...progress };
  const outcome = await opened.toolbox.call(name, givenArguments(args), asked);
  await sent();
  plan.called(outcome);
  return mcpResult(outcome);
}

async function withShownFailures<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof ProtocolError) throw thrown;
    const { message, remedy } = Failure.from(thrown);
    throw new ProtocolError(ProtocolErrorCode.InternalError, `${message}. ${remedy}`);
  }
}

export function mcpServer(plan: ServerPlan, gate = callGate(AGENT_PARALLEL_READS)): Server {
  const { instructions } = plan;
  const server = new Server({ name: "svc", version: VERSION }, {
    capabilities: { tools: {} },
    instructions,
  });
  // The client needs the tools next; opening them now delays no answer.
  server.oninitialized = () => void plan.tools().catch(() => {});
  server.setRequestHandler("tools/list", async () => ({
    tools: await withShownFailures(plan.tools().then(listed)),
  }));
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const work = call(plan, gate, params, context);
    plan.started(work);
    return withShownFailures(work);
  });
  return server;
}
