/** Reads which tool is called and with what: other spellings of a name, names of other agents' tools, arguments. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { offeredToolName } from "svc/core/tool_names.ts";
import { otherAgentsCall } from "svc/features/tools/args/other_tools.ts";
import { readValue } from "svc/features/tools/args/read_value.ts";
import type { AnyTool, ToolSession } from "./tool.ts";
import { parseArgs, type ParsedArgs } from "./tool_args.ts";

export type CallReading =
  | {
    readonly tool: AnyTool;
    readonly parsed: ParsedArgs;
    readonly repairs: readonly string[];
    /** The other agent's tool that was called, in place of `tool`. */
    readonly instead?: string;
  }
  | {
    readonly tool: undefined;
    /** The tool most like it, and what to do; empty where there is none. */
    readonly like?: AnyTool;
    readonly hint?: string;
  };

export interface ReadingSession extends Pick<ToolSession, "tree"> {
  readonly jsonMender: ToolSession["jsonMender"] | undefined;
}

const repairsOf = (parsed: ParsedArgs) => parsed.ok ? parsed.repairs : [];

/** A path that is none is left to the tool. */
async function exists({ tree: { folder, root } }: ReadingSession, path: string): Promise<boolean> {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  try {
    return await folder.stat(inside) !== undefined;
  } catch (thrown) {
    if (Failure.from(thrown).code === "internal") throw thrown;
    return false;
  }
}

async function insteadOf(
  tools: ReadonlyMap<string, AnyTool>,
  session: ReadingSession,
  name: string,
  given: unknown,
): Promise<CallReading> {
  const read = await readValue(undefined, given, session.jsonMender);
  const call = otherAgentsCall(name, "value" in read ? read.value : {});
  if (call === undefined) return { tool: undefined };
  const tool = tools.get(call.tool);
  if ("hint" in call || tool === undefined) {
    const hint = "hint" in call ? call.hint : "";
    return { tool: undefined, hint, ...(tool !== undefined && { like: tool }) };
  }
  if (call.fresh !== undefined && await exists(session, call.fresh)) {
    const hint = `${quoted(call.fresh)} exists, and would be replaced: read it first`;
    return { tool: undefined, like: tool, hint };
  }
  const value = "value" in read ? call.given : given;
  const parsed = await parseArgs(tool, value, planOf(session));
  const repairs = [`tool:${name}=${tool.name}`, ...("value" in read ? read.repairs : [])];
  return { tool, parsed, instead: name, repairs: [...repairs, ...repairsOf(parsed)] };
}

const planOf = ({ tree, jsonMender }: ReadingSession) => ({ root: tree.root, mender: jsonMender });

/** A tool of that very name wins; a name that fits none gives `tool: undefined`. */
export async function readCall(
  tools: ReadonlyMap<string, AnyTool>,
  session: ReadingSession,
  written: string,
  given: unknown,
): Promise<CallReading> {
  const name = offeredToolName(written, tools);
  const tool = name === undefined ? undefined : tools.get(name);
  if (tool === undefined) return await insteadOf(tools, session, written.slice(0, 100), given);
  const parsed = await parseArgs(tool, given, planOf(session));
  const spelt = written === tool.name ? [] : [`name:${written.slice(0, 60)}=${tool.name}`];
  return { tool, parsed, repairs: [...spelt, ...repairsOf(parsed)] };
}
