/** Breaks of what a person decides about what needs them. */
import type { Break } from "./break.ts";

export const INBOX: readonly Break[] = [
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/runtime/inbox/review_acts.ts",
    find: "const same = commit.length >= COMMIT_CHARS && tip.startsWith(commit.toLowerCase());",
    put: "const same = commit.length > 0;",
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/runtime/inbox/review_acts.ts",
    find: "  await mustPassGuard(context, work, doing);",
    put: "",
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/runtime/inbox/act_context.ts",
    find: 'if (profile === "host") return;',
    put: 'if (profile !== "isolated") return;',
  },
  {
    ids: ["4.3:mutation:failure-body"],
    file: "src/runtime/inbox/ticket_acts.ts",
    find: "if (seen === undefined || ticket.updated === seen) return;",
    put: "if (seen !== ticket.id) return;",
  },
  {
    ids: ["4.3:mutation:success-body"],
    file: "src/runtime/inbox/decide.ts",
    find: "if (before !== undefined) return before;",
    put: "",
  },
  {
    ids: ["4.3:mutation:success-body"],
    file: "src/runtime/inbox/undo.ts",
    find: "if (decision.next_job !== null) await cancelJob(tx, decision.next_job, reason, now);",
    put: "",
  },
  {
    ids: ["4.3:mutation:success-body"],
    file: "src/runtime/settle/merge_step.ts",
    find: "return decision?.rule === PERSON_RULE ||",
    put: "return decision === undefined ||",
  },
];
