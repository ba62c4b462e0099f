/** What a job may be and how it gets there (spec section 3.1, domain.md section 4). */
import { machine, type StateOf } from "svc/core/machine.ts";

export const jobMachine = machine({
  name: "job",
  initial: "pending",
  states: {
    pending: "due, or waiting for its due time",
    running: "claimed by one worker under a lease",
    completed: "finished with a disposition; kept for scores",
    failed: "out of attempts, cancelled, or given up",
  },
  moves: {
    claim: { from: ["pending"], to: "running", when: "a worker takes the oldest due job" },
    complete: { from: ["running"], to: "completed", when: "the role finished its work" },
    retry: { from: ["running"], to: "pending", when: "the attempt failed and attempts remain" },
    release: { from: ["running"], to: "pending", when: "a graceful stop gives the lease back" },
    rescue: { from: ["running"], to: "pending", when: "the watchdog found the lease expired" },
    cancel: { from: ["pending", "running"], to: "failed", when: "a person or its ticket ended it" },
    giveUp: { from: ["pending", "running"], to: "failed", when: "no attempts remain" },
  },
});

export type JobStatus = StateOf<typeof jobMachine>;
