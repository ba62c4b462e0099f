/** Finds the role that hands out tickets, and tells whether work on a ticket is under way. Pure. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { type JobOrder, orderFor, type OrderRepo } from "svc/features/jobs/order_job.ts";

type Roles = Pick<Manifest, "roles">;

/** Its route `routed` names the role that does the ticket. */
export function dispatcherOf({ roles }: Roles): string | undefined {
  return Object.entries(roles).find(([, { routes }]) => routes.routed?.next !== undefined)?.[0];
}

/**
 * A live job that hands out tickets, does one, or leads to the dispatcher. Where the role that does them is `parallel`,
 * tickets are handed out beside its jobs, one ahead of a free place.
 */
export function busyJob(
  { roles }: Roles,
  dispatcher: string,
  jobs: readonly Pick<Job, "id" | "role" | "status">[],
): Pick<Job, "id" | "role"> | undefined {
  const worker = roles[dispatcher]?.routes.routed?.next;
  if (roles[worker ?? ""]?.parallel) {
    return jobs.find(({ role, status }) =>
      role === dispatcher || (role === worker && status === "pending")
    );
  }
  return jobs.find(({ role }) =>
    role === dispatcher || role === worker ||
    Object.values(roles[role]?.routes ?? {}).some((route) => route?.next === dispatcher)
  );
}

export function dispatchOrder(repo: OrderRepo, dispatcher: string): JobOrder {
  return orderFor(repo, { role: dispatcher, trigger: "liveness", trust: "contributor" });
}
