/** Breaks of `svc start`, `serve` and `run`. */
import type { Break } from "./break.ts";

export const SECTION_4_5_RUN: readonly Break[] = [
  {
    ids: ["4.5:start:concurrency", "4.5:serve:concurrency"],
    file: "src/runtime/engine/engine.ts",
    find: "Array.from({ length: concurrency }",
    put: "Array.from({ length: 8 }",
  },
];
