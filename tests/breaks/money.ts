/** Breaks of what is told about money and time, and of what waits for money. */
import type { Break } from "./break.ts";

export const MONEY: readonly Break[] = [
  {
    ids: ["4.3:throughput:shape"],
    file: "src/core/cost.ts",
    find: 'if (basis === "unknown") return "no price known";',
    put: 'if (basis === "unknown") return usdText(0);',
  },
  {
    ids: ["4.3:throughput:shape"],
    file: "src/features/jobs/use_store.ts",
    find: "return rfc3339(now).slice(0, 10);",
    put: "return rfc3339(now - new Date(now).getTimezoneOffset() * 60_000).slice(0, 10);",
  },
  {
    ids: ["3.2:pause:no-new-claims"],
    file: "src/runtime/engine/claim_gate.ts",
    find: 'this.#holds.every(({ scope }) => scope !== "day")',
    put: "true",
  },
  {
    ids: ["3.2:pause:no-new-claims"],
    file: "src/features/jobs/claim_limits.ts",
    find: "dayOf(now + SET_BACK_DAYS * DAY_MS)",
    put: "dayOf(now)",
  },
  {
    ids: ["3.2:pause:no-new-claims"],
    file: "src/features/jobs/claim_limits.ts",
    find: "|| unpricedIn(since(dayOf(at))) > 0",
    put: "",
  },
  {
    ids: ["4.3:throughput:shape"],
    file: "src/features/scores/throughput.ts",
    find: "[doneAt - createdAt]",
    put: "[doneAt - createdAt + 60_000]",
  },
  {
    ids: ["4.3:throughput:shape"],
    file: "src/runtime/views/throughput_view.ts",
    find: "b.secs - a.secs",
    put: "a.secs - b.secs",
  },
  {
    ids: ["5:control-secret:environment-only", "5:control-secret:never-written"],
    file: "src/cli/commands/dashboard/secret.ts",
    find: "crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))",
    put: "new Uint8Array(RANDOM_BYTES)",
  },
  {
    ids: ["4.2:pipeline:page"],
    file: "src/dashboard/pages/pipeline.tsx",
    find: 'title="Pipeline Flow"',
    put: 'title="Pipeline"',
  },
];
