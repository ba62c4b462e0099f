/** What people can ask of a running service for one repo or role: a scan, a run, an answer. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import { resumeLane, roleLane } from "svc/features/jobs/lane_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { queueJob } from "svc/features/jobs/order_job.ts";
import { pickTicket, ticketUse } from "svc/runtime/run/pick_ticket.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { answerAs } from "svc/runtime/inbox/answer_act.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { jobsFor } from "svc/features/jobs/job_triggers.ts";
import { AT_DASHBOARD } from "./job_asks.ts";

export async function repoOf(
  repos: () => Promise<readonly RegisteredRepo[]>,
  id: string,
  doing: string,
): Promise<RegisteredRepo> {
  const repo = (await repos()).find((one) => one.id === id);
  if (repo !== undefined) return repo;
  throw new Failure("not_found", `Cannot ${doing}: this svc works on no repo ${quoted(id)}`, {
    remedy: "svc register --repo <path>",
  });
}

interface QueuedRun {
  readonly job: string;
  readonly existed: boolean;
}

const existing = ({ id }: Job): QueuedRun => ({ job: id, existed: true });

/** The manual run of the role that has not ended; a second click does not ask for a second run. */
const manualRunOf = (role: string, jobs: readonly Job[]) =>
  jobs.find((job) => job.role === role && job.trigger === "manual");

/**
 * Send a wake-up afterwards. A role that needs a ticket and finds none is queued too, and ends as its
 * own `no_work`.
 * @throws Failure `not_found` for a role that the manifest does not name; `conflict` while the manifest
 *   cannot be read
 */
export async function runRoleNow(
  ports: RuntimePorts,
  repo: Repo,
  role: string,
): Promise<QueuedRun> {
  const definition = await repo.role(role);
  const { db, clock } = ports;
  const live = await liveJobs(db, repo.id);
  const before = manualRunOf(role, live);
  if (before !== undefined) return existing(before);
  const { tickets } = await repo.tickets.list();
  const taken = new Set(live.map(({ ticket_id }) => ticket_id));
  const ticket = pickTicket(role, definition, tickets, taken);
  const own = live.find((job) => job.role === role);
  // The role already works on everything that there is, so that run is the one that was asked for.
  const idle = ticket === undefined && ticketUse(definition) !== undefined;
  if (idle && own !== undefined) return existing(own);
  const { manifest } = await repo.manifest();
  const [order] = jobsFor(
    { kind: "manual", role, request: "asked", ...(ticket !== undefined && { ticket }) },
    { id: repo.id, manifest },
  );
  return await db.transaction().execute(async (tx) => {
    const twin = manualRunOf(role, await liveJobs(tx, repo.id));
    if (twin !== undefined) return existing(twin);
    // The person has taken care of what paused the role.
    await resumeLane(tx, "role", roleLane(repo.id, role));
    const { job, existed } = await queueJob(tx, order!, {
      now: clock.now(),
      profile: ports.profile,
    });
    return { job: job.id, existed };
  });
}

/** Send a wake-up afterwards. @throws Failure as `answerTicket`; `refused` for an observer */
export async function answerNow(
  ports: Pick<RuntimePorts, "clock" | "db" | "profile" | "redact">,
  repo: Repo,
  ticket: string,
  { job, text }: { readonly job: string; readonly text: string },
): Promise<void> {
  if (ports.profile !== "host") {
    throw new Failure("refused", `Cannot answer ${quoted(ticket)}: this svc changes no repo`, {
      remedy: `svc tickets answer ${ticket} "…"`,
    });
  }
  await answerAs(ports, repo, ticket, { job, text: ports.redact(text), actor: AT_DASHBOARD });
}
