/** The body of a chat completion, in the dialect that its server turned out to speak. */
import type { Dialect } from "./dialect.ts";
import { isLocal, type ModelTarget } from "./faults.ts";
import type { WireMessage, WireRequest } from "./messages.ts";
import type { ModelRequest, Sampling } from "./model.ts";

export interface RequestBody {
  readonly model: string;
  readonly stream: true;
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly messages: readonly WireMessage[];
  readonly [field: string]: unknown;
}

interface BodyParts {
  readonly target: ModelTarget;
  readonly sampling: Sampling | undefined;
  readonly wire: WireRequest;
  readonly dialect: Dialect;
  /** Tokens of the reply, at most. */
  readonly maxTokens: number | undefined;
  readonly toolChoice: ModelRequest["toolChoice"];
}

/**
 * The penalty has two names: `repeat_penalty` in llama.cpp, LM Studio and Ollama, `repetition_penalty` in
 * vLLM, SGLang, mlx_lm and OpenRouter. llama.cpp gave `reasoning_effort` to templates only within
 * `chat_template_kwargs` until August 2026 (ggml-org/llama.cpp#26941); vLLM takes both.
 */
function samplingFields(sampling: Sampling, local: boolean): Record<string, unknown> {
  const { temperature, topP, topK, minP, repetitionPenalty, reasoningEffort } = sampling;
  const kwargs = local && reasoningEffort !== undefined;
  return {
    temperature,
    top_p: topP,
    top_k: topK,
    min_p: minP,
    repetition_penalty: repetitionPenalty,
    repeat_penalty: repetitionPenalty,
    reasoning_effort: reasoningEffort,
    chat_template_kwargs: kwargs ? { reasoning_effort: reasoningEffort } : undefined,
  };
}

/** Fields that may differ from turn to turn come last, so that each body begins like the one before. */
export function requestBody(
  { target, sampling = {}, wire, dialect, maxTokens, toolChoice }: BodyParts,
): RequestBody {
  const taken = (fields: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(fields).filter(([field, value]) =>
        value !== undefined && !dialect.refused.has(field)
      ),
    );
  return {
    model: target.model,
    stream: true,
    ...taken({
      stream_options: { include_usage: true },
      ...samplingFields(sampling, isLocal(target)),
      tools: wire.tools,
    }),
    messages: wire.messages,
    ...taken({
      tool_choice: wire.tools === undefined ? undefined : toolChoice,
      [dialect.limit]: maxTokens,
    }),
  };
}
