/** The tools of a probe for the agent's loop: real declarations and reading of calls, made-up answers. */
import { sha256 } from "svc/core/digest.ts";
import { offeredToolName } from "svc/core/tool_names.ts";
import type { LoadMender } from "svc/features/tools/args/mend_json.ts";
import { definitionOf } from "svc/features/tools/definitions.ts";
import { parseArgs } from "svc/features/tools/tool_args.ts";
import type { Toolbox, ToolOutcome } from "svc/features/tools/tool.ts";
import type { ProbeTool, WrittenCall } from "./probe.ts";

/** No folder of this machine: paths in calls are taken as they are, or below it. */
const ROOT = "/probe";

export interface ProbeToolbox extends Toolbox {
  /** All calls so far, as they were written. */
  readonly written: readonly WrittenCall[];
}

/** @param turn the number of the reply that is being read */
export function probeToolbox(
  tools: readonly ProbeTool[],
  { turn, mender }: { readonly turn: () => number; readonly mender: LoadMender },
): ProbeToolbox {
  const byName = new Map(tools.map((each) => [each.tool.name, each]));
  const definitions = tools.map(({ tool }) => definitionOf(tool));
  const written: WrittenCall[] = [];
  const named = (name: string) => byName.get(offeredToolName(name, byName) ?? "");

  async function answered(name: string, args: unknown, cut = false) {
    const found = named(name);
    if (found === undefined) {
      const names = [...byName.keys()].join(", ");
      return {
        tool: name,
        status: "unknown",
        text: `There is no such tool. The tools are: ${names}.`,
      } as const;
    }
    const { tool } = found;
    const parsed = await parseArgs(tool, args, { root: ROOT, mender: cut ? undefined : mender });
    if (!parsed.ok) return { tool: tool.name, status: "invalid", text: parsed.fault } as const;
    return { tool: tool.name, ...found.answer(parsed.args) };
  }

  return {
    written,
    offered: () => Promise.resolve(definitions),
    readsOnly: (name) => named(name)?.tool.capability === "read",
    async read(name, args, { cut = false } = {}) {
      written.push({ turn: turn(), name, args });
      const tool = named(name)?.tool;
      if (tool === undefined) return { name, args, repairs: [] };
      const parsed = await parseArgs(tool, args, { root: ROOT, mender: cut ? undefined : mender });
      if (!parsed.ok || parsed.repairs.length === 0) return { name: tool.name, args, repairs: [] };
      return { name: tool.name, args: JSON.stringify(parsed.given), repairs: parsed.repairs };
    },
    async call(name, args, { signal, cut }): Promise<ToolOutcome> {
      signal.throwIfAborted();
      const answer = await answered(name, args, cut);
      return {
        facts: {},
        ...answer,
        hash: await sha256(new TextEncoder().encode(`${answer.status}\n${answer.text}`)),
        durationMs: 0,
      };
    },
  };
}
