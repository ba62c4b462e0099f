/** Breaks of what makes the secret scan and `scan` fast. */
import type { Break } from "./break.ts";

export const SCANS: readonly Break[] = [
  {
    ids: ["4.5:guardrails-secret-scan:finds-common-patterns"],
    file: "src/features/guardrails/prefilter.ts",
    find: "(_, byte) => byte >= 97 && byte <= 122 ? byte - 32 : byte,",
    put: "(_, byte) => byte,",
  },
  {
    ids: ["4.5:guardrails-secret-scan:finds-common-patterns"],
    file: "src/features/guardrails/decode_text.ts",
    find: "for (let i = at - 1; i >= byte; i--) sum -= UNITS[bytes[i]!]!;",
    put: "",
  },
  {
    ids: ["4.5:scan:reports-gaps"],
    file: "src/features/scanner/listed.ts",
    find: "committed: !touched.has(path)",
    put: "committed: true",
  },
  {
    ids: ["4.5:guardrails-secret-scan:finds-common-patterns"],
    file: "src/platform/confined/file_workers.ts",
    find: "for (const piece of helper.waiting.splice(0)) this.#settle(piece, undefined);",
    put: "helper.waiting.splice(0);",
  },
  {
    ids: ["4.5:guardrails-secret-scan:finds-common-patterns"],
    file: "src/platform/confined/file_pieces.ts",
    find: "own.set(new Uint8Array(data.shared));",
    put: "",
  },
  {
    ids: ["4.5:scan:reports-gaps"],
    file: "src/features/scanner/look_at_file.ts",
    find: "return areFacts(facts, size) && areHits(hits) ? { facts, hits } : undefined;",
    put: "return areFacts(facts, size) ? { facts, hits: [] } : undefined;",
  },
  {
    ids: ["4.5:scan:reports-gaps"],
    file: "src/platform/git/history.ts",
    find: "this.counts.get(path) === 1 && !commit.removes",
    put: "this.counts.get(path) === 1",
  },
];
