/** One scanner pass of a repo: its tickets, its event, and the jobs that wait for a scan (spec section 3.2). */
import type { ScanFinding } from "svc/features/scanner/report.ts";
import { Failure } from "svc/core/failure.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import { scan } from "svc/features/scanner/scan.ts";
import { writeTickets } from "svc/features/scanner/write_tickets.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { type Checkout, openCheckout } from "svc/platform/git/checkout.ts";
import { listTickets } from "svc/features/tickets/ticket_list.ts";
import { queueJob } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { branchFault, type RepoView } from "svc/runtime/repo_view.ts";
import type { Scanned } from "./plan.ts";
import { staleTickets } from "./survey.ts";
import { jobsFor } from "svc/features/jobs/job_triggers.ts";

type Ports = Pick<
  RuntimePorts,
  | ("clock" | "commits" | "db" | "files" | "folder" | "git" | "home")
  | ("lockRepo" | "profile" | "readTree" | "signal")
>;

/**
 * Doing it twice writes each ticket once. Audit stale tickets and ring the bell afterwards: jobs may
 * have been queued.
 * @throws Failure `conflict` in host profile while another branch than the registered one is checked out
 */
export async function scanRepo(ports: Ports, view: RepoView): Promise<Scanned> {
  using checkout = await openCheckout(ports, view.root);
  const fault = ports.profile === "host" ? branchFault(checkout, view) : undefined;
  if (fault !== undefined) {
    throw new Failure("conflict", `Cannot scan "${view.root}": it waits for ${fault}`, {
      remedy: `git -C "${view.root}" switch ${view.branch}`,
    });
  }
  const { files, home, readTree, clock, signal, db } = ports;
  const { findings } = await scan({
    repo: checkout.git,
    folder: checkout.folder,
    files,
    home,
    readTree,
    clock,
    signal,
    progress() {},
    parseManifest: (text) => Promise.resolve().then(() => readManifest(text)),
  });
  const written = await tickets(ports, checkout, findings);
  const live = await liveJobs(db, view.id);
  const stale = await staleTickets(ports, view, (await listTickets(checkout)).tickets, live);
  const counts = { findings: findings.length, ...written, stale: stale.length };
  const scanned: Scanned = { repo_id: view.id, ...counts };
  await told(ports, view, scanned);
  return scanned;
}

/** An observer writes nothing. */
async function tickets({ profile }: Ports, checkout: Checkout, findings: readonly ScanFinding[]) {
  if (profile !== "host") return { created: 0, deduplicated: 0 };
  const { created, deduplicated } = await writeTickets(checkout, findings, { dryRun: false });
  return { created: created.length, deduplicated };
}

/** The event and the jobs that it asks for, or none of them. */
async function told({ db, clock }: Ports, view: RepoView, scanned: Scanned): Promise<void> {
  const now = clock.now();
  const { repo_id, created, deduplicated } = scanned;
  const scan = uuidV7(now);
  await db.transaction().execute(async (tx) => {
    const data = { scan, ...scanned };
    await recordEvent(tx, { type: "scan_complete", repoId: repo_id, data }, now);
    const orders = jobsFor({ kind: "scan_complete", scan, created, deduplicated }, view);
    const live = await liveJobs(tx, repo_id);
    for (const order of orders) {
      // One that waits for its turn will see what this scan saw.
      const waits = ({ role, trigger, status }: typeof live[number]) =>
        role === order.role && trigger === "scan_complete" && status === "pending";
      if (live.some(waits)) continue;
      await queueJob(tx, order, now);
    }
  });
}
