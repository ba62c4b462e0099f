/** Breaks of the page of all tickets, of their editing, and of the palette. */
import type { Break } from "./break.ts";

export const TICKET_PAGE: readonly Break[] = [
  {
    ids: ["3.1:ticket-location:closed-list"],
    file: "src/dashboard/state/ticket_moves.ts",
    find: '  backlog: ["in-progress"],',
    put: '  backlog: ["in-progress", "done"],',
  },
  {
    ids: ["3.1:ticket-location:closed-list"],
    file: "src/dashboard/state/board_hand.ts",
    find: "      openMove(ticket, now.over);\n",
    put: "",
  },
  {
    ids: ["3.1:ticket-location:closed-list"],
    file: "src/dashboard/parts/ticket_board.tsx",
    find: "if (ticket !== undefined && open) openMove(ticket, state);",
    put: "if (ticket !== undefined && open) openMove(ticket);",
  },
  {
    ids: ["3.1:ticket-location:closed-list"],
    file: "src/dashboard/app.tsx",
    find: "<SheetOf key={last.current.nth} open",
    put: "<SheetOf open",
  },
  {
    ids: ["3.1:ticket-location:closed-list"],
    file: "src/dashboard/parts/board_card.tsx",
    find: "const held = hand.holds(key);",
    put: "const held = picked;",
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/dashboard/parts/move_sheet.tsx",
    find: "      refusal.value = faultOfAct(thrown);\n",
    put: "",
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/dashboard/state/text_merge.ts",
    find: "else if (same(b, was) || same(a, b)) out.push(...a);",
    put: "else if (a.length > 0) out.push(...a);",
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/dashboard/state/unsaved.ts",
    find: "if (hasUnsaved() || open) event.preventDefault();",
    put: "",
  },
  {
    ids: ["2.1:tickets:state-directories"],
    file: "src/dashboard/parts/acceptance.ts",
    find: "const known = found.get(keyOf(text));",
    put:
      "const known = undefined as Wish | undefined;\n      if (found.has(keyOf(text))) found.set(`${keyOf(text)} `, { text, met: false });",
  },
  {
    ids: ["4.2:pipeline:page"],
    file: "src/dashboard/pages/pipeline.tsx",
    find: "`/tickets?view=list&q=${encodeURIComponent(query)}`",
    put: "`/pipeline?q=${encodeURIComponent(query)}`",
  },
  {
    ids: ["4.2:pipeline:page"],
    file: "src/dashboard/state/finder.ts",
    find: "if (far === undefined) continue;",
    put: "if (far === undefined && words.length > 1) continue;",
  },
];
