/**
 * Reads the calls of a reply before they are saved. They are carried out, and sent back to the model, in the
 * form in which the toolbox understands them.
 */
import { callIds } from "svc/features/models/client/messages.ts";
import type { ModelReply, ToolCall } from "svc/features/models/client/model.ts";
import { uniqueIds } from "svc/features/models/client/reply_parts.ts";
import type { RunState } from "./run_state.ts";

export interface AskedCall extends ToolCall {
  readonly repairs: readonly string[];
  /** The reply ended here at its limit: what is missing is not guessed. */
  readonly cut: boolean;
}

export interface AskedCalls {
  readonly calls: readonly AskedCall[];
  /** For the conversation: servers parse the calls that are sent back to them, and a model imitates its own. */
  readonly said: readonly ToolCall[];
  /** As the model wrote those that were repaired, for the trace. */
  readonly written: readonly ToolCall[];
}

export async function readCalls(run: RunState, reply: ModelReply): Promise<AskedCalls> {
  const written = uniqueIds(reply.calls, callIds(run.messages));
  const calls = await Promise.all(written.map(async (call, at): Promise<AskedCall> => {
    const cut = reply.end === "length" && at === written.length - 1;
    const { name, args, repairs } = await run.plan.toolbox.read(call.name, call.args, { cut });
    return { ...call, name, args, repairs, cut };
  }));
  return {
    calls,
    // What a vendor signed goes back as it came.
    said: written.map((call, at) => {
      const { name, args } = calls[at]!;
      return call.extra === undefined ? { ...call, name, args } : call;
    }),
    written: written.filter((_, at) => calls[at]!.repairs.length > 0),
  };
}
