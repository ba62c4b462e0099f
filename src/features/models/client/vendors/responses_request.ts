/** A request in OpenAI's Responses form: stateless, so that reasoning goes back in encrypted items. */
import type {
  EasyInputMessage,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { sha256 } from "svc/core/digest.ts";
import { SAID_NOTHING } from "svc/features/models/client/messages.ts";
import { noteApart } from "svc/features/models/client/note.ts";
import type { TextToolDefinition } from "svc/features/models/client/text_tools.ts";
import { type AssistantMessage, partsOf } from "./reply_order.ts";
import type { VendorRequest } from "./vendor_client.ts";

/** Fields that some models refuse; the request does without. */
export const OPTIONAL_FIELDS = [
  "include",
  "reasoning",
  "temperature",
  "top_p",
  "prompt_cache_key",
  "tool_choice",
  "max_output_tokens",
] as const;
export type OptionalField = typeof OPTIONAL_FIELDS[number];

function isReasoning(item: unknown): item is ResponseReasoningItem {
  return (item as { readonly type?: unknown } | null)?.type === "reasoning";
}

function assistantItems(message: AssistantMessage): ResponseInputItem[] {
  const parts = partsOf(message);
  const items = parts.flatMap((part, at): ResponseInputItem[] => {
    if (part.kind === "sealed") {
      // "provided without its required following item": also for the first of two (inspect_ai#1990).
      const followed = parts[at + 1] !== undefined && parts[at + 1]!.kind !== "sealed";
      return followed && isReasoning(part.item) ? [part.item] : [];
    }
    if (part.kind === "text") {
      const phase = part.phase as EasyInputMessage["phase"];
      return [{ role: "assistant", content: part.text, ...(phase && { phase }) }];
    }
    // Without the item's own id: OpenAI looks those up, and stores nothing here.
    const { id, name, args } = part.call;
    return [{ type: "function_call", call_id: id, name, arguments: args }];
  });
  return items.length > 0 ? items : [{ role: "assistant", content: SAID_NOTHING }];
}

function inputOf({ messages }: VendorRequest): ResponseInputItem[] {
  const input: ResponseInputItem[] = [];
  let notes: string[] = [];
  const flush = () => {
    if (notes.length > 0) input.push({ role: "user", content: notes.join("\n\n") });
    notes = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const { output, note } = noteApart(message.text);
      input.push({ type: "function_call_output", call_id: message.callId, output });
      if (note !== undefined) notes.push(note);
      continue;
    }
    flush();
    if (message.role === "assistant") input.push(...assistantItems(message));
    else input.push({ role: message.role, content: message.text });
  }
  flush();
  return input;
}

function toolOf({ name, description, parameters }: TextToolDefinition) {
  return {
    type: "function" as const,
    name,
    description,
    parameters: parameters as Record<string, unknown>,
    // Strict is the default here, and demands that every field is required.
    strict: false,
  };
}

/** One for all runs of a role: OpenAI sends requests with one key to one cache. */
async function cacheKey({ system, tools }: VendorRequest): Promise<string> {
  const start = new TextEncoder().encode(JSON.stringify([system, tools]));
  return `svc-${(await sha256(start)).slice(0, 32)}`;
}

/** Without `refused` fields. */
export async function responsesBody(
  request: VendorRequest,
  refused: ReadonlySet<OptionalField>,
): Promise<ResponseCreateParamsStreaming> {
  const { model, system, tools, sampling, maxTokens, toolChoice } = request;
  const { reasoningEffort: effort, temperature, topP } = sampling;
  const optional = {
    include: ["reasoning.encrypted_content"],
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    prompt_cache_key: await cacheKey(request),
    ...(toolChoice !== undefined && tools.length > 0 && { tool_choice: toolChoice }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
  } satisfies Pick<Partial<ResponseCreateParamsStreaming>, OptionalField>;
  const kept = Object.entries(optional).filter(([name]) => !refused.has(name as OptionalField));
  return {
    model,
    stream: true,
    store: false,
    ...Object.fromEntries(kept),
    ...(system !== "" && { instructions: system }),
    ...(tools.length > 0 && { tools: tools.map(toolOf) }),
    input: inputOf(request),
  };
}
