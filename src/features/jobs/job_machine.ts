/** The states of a job and the moves between them (spec section 3.1). */
import { type Disposition, REPORTED_DISPOSITIONS } from "svc/core/disposition.ts";
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
    snooze: { from: ["running"], to: "pending", when: "a provider asked for a long wait" },
    rescue: { from: ["running"], to: "pending", when: "the watchdog found its worker gone" },
    cancel: { from: ["pending", "running"], to: "failed", when: "a person or its ticket ended it" },
    giveUp: {
      from: ["running"],
      to: "failed",
      when: "no attempts remain, or another would not help",
    },
  },
});

export type JobStatus = StateOf<typeof jobMachine>;

/** Completed when the role reported the disposition, or checks failed: these can be routed. */
export function endStatus(disposition: Disposition): "completed" | "failed" {
  const reported: readonly string[] = REPORTED_DISPOSITIONS;
  return reported.includes(disposition) || disposition === "checks_failed" ? "completed" : "failed";
}
