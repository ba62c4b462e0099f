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
];
