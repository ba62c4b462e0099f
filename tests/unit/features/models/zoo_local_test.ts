/** svc against the local servers of the strict zoo: what each of them publishes about itself, held to the letter. */
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { type ZooEntry, zooTests } from "tests/kit/servers/zoo_flows.ts";

const LOCAL: readonly ZooEntry[] = [
  {
    server: (sizes) => llamaCpp({ jinja: true, ...sizes }),
    tools: "native",
    statesWindow: true,
    overflow: "refused",
    keepsReasoning: true,
    countsCached: true,
  },
  {
    server: (sizes) => llamaCpp({ jinja: false, ...sizes }),
    tools: "text",
    statesWindow: true,
    overflow: "refused",
    keepsReasoning: false,
    countsCached: true,
    learns: [/^500 .*tools param requires --jinja flag/],
  },
];

zooTests(LOCAL);
