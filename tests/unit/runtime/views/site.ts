/** A repo that a scripted team has worked in, with what a page should show and what it must not. */
import { redactor } from "svc/core/redact.ts";
import { claimNext, enqueue, finish, type NewJob } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import type { ServiceStatus } from "svc/runtime/service/plan.ts";
import { openReads, type ReadsPlan } from "svc/runtime/views/open_reads.ts";
import type { Reads } from "svc/runtime/views/all.ts";

import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  type Parts,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish as finishes, ORCHESTRATOR, QA, turns } from "tests/unit/runtime/team.ts";

/** Stored as it is, since the ports that wrote it redact nothing. */
export const SECRET = "correct-horse-battery-staple";

export interface Site extends AsyncDisposable {
  readonly ports: Parts;
  readonly repo: TempRepo;
  readonly repoId: string;
  readonly reads: Reads;
  /** Newest of the role. */
  job(role: string): Promise<Job>;
  /** A job that a worker of this process ran to this end. */
  ended(order: Partial<NewJob>, end: Partial<Parameters<typeof finish>[2]>): Promise<Job>;
}

/** A service that runs nothing now. */
export async function idleStatus(
  ports: Parts,
  more: Partial<ServiceStatus> = {},
): Promise<ServiceStatus> {
  const repos = await listRepos(ports.db);
  return {
    asOf: ports.clock.now(),
    ...{ shape: "serve", profile: "host", condition: "running", healthy: true },
    ...{ startedAt: 1_000, claims: "claiming", reason: undefined, concurrency: 2, running: [] },
    ...{
      checking: [],
      watchedAt: undefined,
      waits: [],
      holds: [],
      overBudget: [],
      heldBack: [],
      decisions: [],
    },
    jobs: { pending: 0, running: 0, completed: 0, failed: 0 },
    repos: repos.map(({ id, path, branch }) => ({
      ...{ id, basename: "shop", root: path, branch, problem: undefined, questions: [], next: [] },
      tickets: { backlog: 0, "in-progress": 0, review: 0, done: 0, blocked: 0 },
    })),
    ...more,
  };
}

export function readsOf(ports: Parts, plan: Partial<ReadsPlan> = {}): Reads {
  return openReads({ ...ports, redact: redactor([SECRET]) }, {
    service: { status: () => idleStatus(ports) },
    repos: () => listRepos(ports.db),
    ...plan,
  });
}

async function endedJob(
  { db, clock }: Parts,
  repo_id: string,
  order: Partial<NewJob>,
  end: Partial<Parameters<typeof finish>[2]>,
): Promise<Job> {
  const { job } = await enqueue(db, {
    ...{ repo_id, role: "ceo", trigger: "manual", source_trust: "contributor", ...order },
  }, clock.now());
  const claimed = await claimNext(db, { owner: "h b 1 s w1", now: clock.now(), jobId: job.id });
  await finish(db, claimed!, { disposition: "reported", ...end }, clock.now());
  return await db.selectFrom("jobs").selectAll().where("id", "=", job.id).executeTakeFirstOrThrow();
}

/** T-0001 is done and merged, T-0002 is blocked by a person, T-0003 waits for it, `ceo` has failed. */
export async function site(): Promise<Site> {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const ports = parts.use(await enginePorts(base.path));
  const told =
    `${SECRET} ${repo.path}/app.txt ${ports.home.root}/config.yaml ${base.path}/.netrc\n`;
  const engineer = turns(
    call("file_write", { path: "fixed.txt", content: `fixed\n${told}` }),
    call("check_run", { name: "test" }),
    call("file_write", { path: ".harness/manifest.yaml", content: "roles: {}\n" }),
    call("git_commit", { message: "fix: make the test pass" }),
    finishes("submitted", { evidence: `it passes, see ${told}` }),
  );
  const endpoint = parts.use(
    modelEndpoint({ roles: { orchestrator: ORCHESTRATOR, engineer, qa: QA } }),
  );
  const repoId = await registered(ports, repo.path);
  await ticketed(ports, repo.path);
  await queued(ports, repoId, "orchestrator");
  await carryOut(ports, endpoint.url);
  await ticketed(ports, repo.path, { title: "Choose a colour", context: told });
  await ticketed(ports, repo.path, { title: "Paint it", depends_on: ["T-0002"] });
  {
    using checkout = await openCheckout(
      { ...ports, signal: new AbortController().signal },
      repo.path,
    );
    const unblock = { owner: "ada", action: `Say which, in ${repo.path}/docs/colour.md` };
    await moveTicket(checkout, "T-0002", { to: "in-progress", reason: "begun", actor: "ada" });
    await moveTicket(checkout, "T-0002", {
      to: "blocked",
      reason: "unclear",
      actor: "ada",
      unblock,
    });
  }
  const failure = { disposition: "internal_error", category: "internal" } as const;
  await endedJob(ports, repoId, {}, { ...failure, reason: `Cannot read ${told}` });
  return {
    ...{ ports, repo, repoId, reads: readsOf(ports) },
    ended: (order, end) => endedJob(ports, repoId, order, end),
    job: (role) =>
      ports.db.selectFrom("jobs").selectAll().where("role", "=", role).orderBy("id", "desc")
        .limit(1).executeTakeFirstOrThrow(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
