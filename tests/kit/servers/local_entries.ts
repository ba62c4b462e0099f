/** The local servers of the zoo, and what svc finds out about each. */
import { llamaCpp } from "./llama_cpp.ts";
import { lmStudio } from "./lm_studio.ts";
import { mlxLm } from "./mlx_lm.ts";
import { ollama } from "./ollama.ts";
import { sglang } from "./sglang.ts";
import { vllm } from "./vllm.ts";
import type { ZooEntry } from "./zoo_flows.ts";

const USUAL = {
  tools: "native",
  statesWindow: true,
  overflow: "refused",
  keepsReasoning: true,
  countsCached: false,
} as const;

/** Where calls are text, so are the conversations: there is no field for reasoning. */
const TEXT = { tools: "text", keepsReasoning: false } as const;

export const LOCAL: readonly ZooEntry[] = [
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: true, ...sizes }),
    countsCached: true,
  },
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: false, ...sizes }),
    countsCached: true,
    ...TEXT,
    learns: [/^500 .*tools param requires --jinja flag/],
  },
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: true, router: true, ...sizes }),
    countsCached: true,
  },
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: true, shared: true, ...sizes }),
    countsCached: true,
  },
  {
    ...USUAL,
    server: (sizes) => llamaCpp({ jinja: true, llama: true, ...sizes }),
    countsCached: true,
  },
  {
    ...USUAL,
    server: (sizes) => ollama({ tools: true, ...sizes }),
    overflow: "cut",
  },
  {
    ...USUAL,
    server: (sizes) => ollama({ tools: false, ...sizes }),
    overflow: "cut",
    ...TEXT,
    learns: [/^400 .*does not support tools/],
  },
  { ...USUAL, server: (sizes) => vllm({ autoToolChoice: true, ...sizes }) },
  {
    ...USUAL,
    server: (sizes) => vllm({ autoToolChoice: false, ...sizes }),
    ...TEXT,
    learns: [/^400 .*requires --enable-auto-tool-choice/],
  },
  { ...USUAL, server: (sizes) => sglang({ toolParser: true, ...sizes }) },
  { ...USUAL, ...TEXT, server: (sizes) => sglang({ toolParser: false, ...sizes }) },
  { ...USUAL, server: (sizes) => lmStudio({ v1: true, ...sizes }) },
  { ...USUAL, server: (sizes) => lmStudio({ v1: false, ...sizes }) },
  {
    ...USUAL,
    server: mlxLm,
    statesWindow: false,
    overflow: "none",
    countsCached: true,
  },
];
