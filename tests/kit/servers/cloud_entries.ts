/** The clouds of the zoo that speak chat completions, and what svc finds out about each. */
import { deepseek } from "./deepseek.ts";
import { gemini } from "./gemini.ts";
import { mistral } from "./mistral.ts";
import { openaiChat } from "./openai_chat.ts";
import { openrouter } from "./openrouter.ts";
import type { ZooEntry } from "./zoo_flows.ts";

const USUAL = {
  tools: "native",
  statesWindow: false,
  overflow: "refused",
  keepsReasoning: true,
  countsCached: true,
} as const;

export const CLOUDS: readonly ZooEntry[] = [
  {
    ...USUAL,
    server: (sizes) => openaiChat({ id: "gpt-4.1" }, sizes),
    keepsReasoning: false,
    route: { model: "gpt-4.1" },
  },
  {
    ...USUAL,
    server: (sizes) => ({
      ...openaiChat({ id: "gpt-5.1", reasons: true }, sizes),
      name: "OpenAI's reasoners in chat completions",
    }),
    keepsReasoning: false,
    route: { model: "gpt-5.1" },
    learns: [/^400 .*Use 'max_completion_tokens' instead/],
  },
  {
    ...USUAL,
    server: mistral,
    statesWindow: true,
    learns: [/^422 .*"stream_options"/],
  },
  {
    ...USUAL,
    server: (sizes) => mistral({ model: "magistral-medium-2509", reasons: true, ...sizes }),
    statesWindow: true,
    learns: [/^422 .*"stream_options"/],
  },
  {
    ...USUAL,
    server: gemini,
    keepsReasoning: false,
    route: { model: "gemini-3-pro-preview" },
  },
  {
    ...USUAL,
    server: deepseek,
    mayLearn: [/^400 .*Thinking mode does not support this tool_choice/],
  },
  {
    ...USUAL,
    server: openrouter,
    statesWindow: true,
  },
];
