/** One scan of a repo: its tickets, its event, and the jobs it triggers (spec section 3.2). */
import type { ScanFinding } from "svc/features/scanner/report.ts";
import { Failure } from "svc/core/failure.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { readManifest } from "svc/features/harness/manifest.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { liveJobs } from "svc/features/jobs/job_views.ts";
import { scan } from "svc/features/scanner/scan.ts";
import { writeTickets } from "svc/features/scanner/write_tickets.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { queueJob } from "svc/features/jobs/order_job.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { Scanned } from "./plan.ts";
import { staleTickets } from "./survey.ts";
import { jobsFor } from "svc/features/jobs/job_triggers.ts";

/**
 * A repeated scan does not write a ticket twice. The caller audits stale tickets and sends a wake-up
 * afterwards, since jobs may have been queued.
 * @throws Failure `conflict` in host profile while another branch than the registered one is checked out
 */
export async function scanRepo(ports: RuntimePorts, repo: Repo): Promise<Scanned> {
  const fault = ports.profile === "host" ? await repo.branchFault() : undefined;
  if (fault !== undefined) {
    throw new Failure("conflict", `Cannot scan "${repo.root}": it waits for ${fault.why}`, {
      remedy: fault.remedy,
    });
  }
  const { files, home, readTree, clock, signal, db } = ports;
  const { findings } = await scan({
    repo: repo.git,
    folder: repo.folder,
    files,
    home,
    readTree,
    clock,
    signal,
    progress() {},
    parseManifest: (text) => Promise.resolve().then(() => readManifest(text)),
  });
  const { manifest } = await repo.manifest();
  const written = await tickets(ports, repo, findings);
  const live = await liveJobs(db, repo.id);
  const stale = await staleTickets(
    ports,
    { id: repo.id, manifest },
    (await repo.tickets.list()).tickets,
    live,
  );
  const counts = { findings: findings.length, ...written, stale: stale.length };
  const scanned: Scanned = { repo_id: repo.id, ...counts };
  await storeScan(ports, manifest, scanned);
  return scanned;
}

async function tickets({ profile }: RuntimePorts, repo: Repo, findings: readonly ScanFinding[]) {
  if (profile !== "host") return { created: 0, deduplicated: 0 };
  const { created, deduplicated } = await writeTickets(repo, findings, { dryRun: false });
  return { created: created.length, deduplicated };
}

/** In one transaction: the event and the jobs that it triggers. */
async function storeScan(
  { db, clock, profile }: RuntimePorts,
  manifest: Manifest | undefined,
  scanned: Scanned,
): Promise<void> {
  const now = clock.now();
  const { repo_id, created, deduplicated } = scanned;
  const scan = uuidV7(now);
  await db.transaction().execute(async (tx) => {
    const data = { scan, ...scanned };
    await recordEvent(tx, { type: "scan_complete", repoId: repo_id, data }, now);
    const orders = jobsFor({ kind: "scan_complete", scan, created, deduplicated }, {
      id: repo_id,
      manifest,
    });
    const live = await liveJobs(tx, repo_id);
    for (const order of orders) {
      // A pending job will see what this scan saw.
      const waits = ({ role, trigger, status }: typeof live[number]) =>
        role === order.role && trigger === "scan_complete" && status === "pending";
      if (live.some(waits)) continue;
      await queueJob(tx, order, { now, profile });
    }
  });
}
