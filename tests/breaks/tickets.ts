/** Breaks of what people do with tickets: searches, edits, and what a service refuses. */
import type { Break } from "./break.ts";

export const TICKETS: readonly Break[] = [
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/features/tickets/edit_ticket.ts",
    find: "if (version !== undefined && version !== content.sha256) {",
    put: "if (version === null) {",
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/features/tickets/edit_ticket.ts",
    find: "if (same(ticket[key], now[key])) continue;",
    put: "continue;",
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/features/tickets/dependencies_read.ts",
    find: "if (other === id) {",
    put: "if (other === wanted[9]) {",
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/features/tickets/ticket_text.ts",
    find: 'return both === 0 ? "\\n" : both === all ? "\\r\\n" : "mixed";',
    put: 'return both === all + 1 ? "\\r\\n" : "\\n";',
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/features/tickets/search_tickets.ts",
    find: "before(one.key, key) > 0",
    put: "before(one.key, key) >= 0",
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/features/tickets/ticket_hold.ts",
    find: "if (text !== undefined) this.#texts?.giveBack(text.length);",
    put: "",
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/platform/files/tree_reader.ts",
    find: "const settled = Math.max(changed, moved) < Date.now() - STAMP_COARSE_MS;",
    put: "const settled = true;",
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/runtime/service/ticket_asks.ts",
    find: "if (job !== undefined) {",
    put: "if (job === null) {",
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/runtime/service/ticket_asks.ts",
    find: "if (fault === undefined) return;",
    put: "return;",
  },
];
