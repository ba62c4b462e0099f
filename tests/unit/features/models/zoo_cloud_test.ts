/** svc against the clouds of the strict zoo that speak chat completions: what each vendor publishes, to the letter. */
import { deepseek } from "tests/kit/servers/deepseek.ts";
import { gemini } from "tests/kit/servers/gemini.ts";
import { mistral } from "tests/kit/servers/mistral.ts";
import { openaiChat } from "tests/kit/servers/openai_chat.ts";
import { openrouter } from "tests/kit/servers/openrouter.ts";
import { type ZooEntry, zooTests } from "tests/kit/servers/zoo_flows.ts";

const USUAL = {
  tools: "native",
  statesWindow: false,
  overflow: "refused",
  keepsReasoning: true,
  countsCached: true,
} as const;

const CLOUDS: readonly ZooEntry[] = [
  {
    ...USUAL,
    server: (sizes) => openaiChat({ id: "gpt-4.1" }, sizes),
    keepsReasoning: false,
    route: { model: "gpt-4.1" },
  },
  {
    ...USUAL,
    server: (sizes) => openaiChat({ id: "gpt-5.1", reasons: true }, sizes),
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

zooTests(CLOUDS);
