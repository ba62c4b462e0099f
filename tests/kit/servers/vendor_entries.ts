/** The vendors of the zoo that are spoken to in their own protocols, and what svc finds out about each. */
import { anthropic } from "./anthropic.ts";
import { openaiResponses } from "./openai_responses.ts";
import type { ZooEntry } from "./zoo_flows.ts";

const USUAL = {
  tools: "native",
  statesWindow: true,
  overflow: "refused",
  keepsReasoning: true,
  countsCached: true,
} as const;

export const VENDORS: readonly ZooEntry[] = [
  { ...USUAL, server: (sizes) => openaiResponses(sizes), statesWindow: false },
  {
    ...USUAL,
    server: (sizes) => openaiResponses({ reasons: false, ...sizes }),
    statesWindow: false,
    keepsReasoning: false,
    learns: [/^400 .*Encrypted content is not supported/],
  },
  { ...USUAL, server: (sizes) => anthropic(sizes), keepsReasoning: false },
  {
    ...USUAL,
    server: (sizes) => ({ ...anthropic(sizes), name: "Anthropic (thinking)" }),
    route: { sampling: { reasoningEffort: "medium" } },
  },
  {
    ...USUAL,
    server: (sizes) => anthropic({ thinks: "budget", ...sizes }),
    route: { sampling: { reasoningEffort: "low" } },
    learns: [/does not support the effort/, /adaptive thinking is not supported/],
  },
];
