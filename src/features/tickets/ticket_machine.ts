/** Where a ticket may lie and what moves it (spec section 3.1). */
import { machine, type StateOf } from "svc/core/machine.ts";

export const ticketMachine = machine({
  name: "ticket",
  initial: "backlog",
  states: {
    backlog: "waiting to be dispatched",
    "in-progress": "a role works on it, first time or as rework",
    review: "submitted with green checks; qa looks at it",
    done: "approved and merged",
    blocked: "waits for the person and action its front matter names",
  },
  moves: {
    dispatch: {
      from: ["backlog"],
      to: "in-progress",
      when: "the runtime takes it; its dependencies are done",
    },
    submit: { from: ["in-progress"], to: "review", when: "disposition submitted" },
    approve: { from: ["review"], to: "done", when: "disposition approved and the merge succeeded" },
    rework: {
      from: ["review"],
      to: "in-progress",
      when: "disposition changes_requested or checks_failed",
    },
    block: {
      from: ["in-progress", "review"],
      to: "blocked",
      when: "disposition blocked, rework over its bound, attempts exhausted or a merge conflict",
    },
    unblock: { from: ["blocked"], to: "backlog", when: "a person, or start --force" },
    giveBack: {
      from: ["in-progress", "review"],
      to: "backlog",
      when: "stale: no job for 24 h",
    },
  },
});

export type TicketState = StateOf<typeof ticketMachine>;
