/** Which roles of a manifest hand out tickets, and whether such work goes on already. Pure. */
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { type JobOrder, orderFor, type OrderRepo } from "svc/features/jobs/order_job.ts";

type Roles = Pick<Manifest, "roles">;

/** The role that chooses the next ticket: its route `routed` names who does it. */
export function dispatcherOf({ roles }: Roles): string | undefined {
  return Object.entries(roles).find(([, { routes }]) => routes.routed?.next !== undefined)?.[0];
}

/** A job that hands out tickets, does one, or ends with somebody who does. */
export function busyJob(
  { roles }: Roles,
  dispatcher: string,
  jobs: readonly Pick<Job, "id" | "role">[],
): Pick<Job, "id" | "role"> | undefined {
  const worker = roles[dispatcher]?.routes.routed?.next;
  return jobs.find(({ role }) =>
    role === dispatcher || role === worker ||
    Object.values(roles[role]?.routes ?? {}).some((route) => route?.next === dispatcher)
  );
}

/** Queues the role that chooses the next ticket. */
export function dispatchOrder(repo: OrderRepo, dispatcher: string): JobOrder {
  return orderFor(repo, { role: dispatcher, trigger: "liveness", trust: "contributor" });
}
