/** What people may read, where the listener was created with a reader of it. */
import { statesOf } from "svc/core/machine.ts";
import { jobMachine, type JobStatus } from "svc/features/jobs/job_machine.ts";
import type { JobQuery, Reads } from "svc/runtime/views/reads.ts";
import { type Answer, answer, Content, refusal } from "./answer.ts";
import type { Served } from "./operations.ts";
import type { Call } from "./route.ts";

const NOT_OFFERED = refusal(501, "not offered by this dashboard");
const UNKNOWN_REPO = refusal(400, "unknown repo");

/** A JSON answer; undefined stands for what is not there. */
type Found = Answer["body"] | undefined;

function reading(
  reads: Partial<Reads>,
  name: keyof Reads,
  look: (reads: Reads, call: Call) => Promise<Found>,
  missing: Answer = refusal(404, "not found"),
): Served {
  return {
    needs: () => reads[name] === undefined ? NOT_OFFERED : undefined,
    async handle(call) {
      // Only `name` is called, which the gate has just found there.
      const found = await look(reads as Reads, call);
      return found === undefined ? missing : answer(200, found);
    },
  };
}

const STATUSES: readonly string[] = statesOf(jobMachine);

function jobQuery({ query: { repo_id, role, status, before } }: Call): JobQuery {
  return {
    ...(repo_id && { repoId: repo_id }),
    ...(role && { role }),
    ...(status && { status: status as JobStatus }),
    ...(before && { before }),
  };
}

/** A status that no job has is a bad value. */
function jobs(reads: Partial<Reads>): Served {
  const served = reading(reads, "jobs", async (reads, call) => await reads.jobs(jobQuery(call)));
  return {
    ...served,
    async handle(call) {
      const { status } = call.query;
      if (status !== undefined && !STATUSES.includes(status)) {
        return refusal(400, `"status" is one of ${STATUSES.join(", ")}`);
      }
      return await served.handle(call);
    },
  };
}

async function decisions(reads: Reads, { query: { repo_id } }: Call): Promise<Found> {
  // A dashboard without the list of repos cannot tell an unknown one from one without decisions.
  const known = repo_id === undefined || (reads as Partial<Reads>).repos === undefined ||
    (await reads.repos()).some(({ id }) => id === repo_id);
  return known ? { ...await reads.decisions(repo_id) } : undefined;
}

async function qualityScore(reads: Reads): Promise<Found> {
  const markdown = await reads.qualityScore();
  return markdown === undefined ? undefined : new Content("text/markdown; charset=utf-8", markdown);
}

export function readRoutes(reads: Partial<Reads>) {
  const plain = (
    name:
      | "debug"
      | "evolution"
      | "orchestration"
      | "pipeline"
      | "roles"
      | "telemetry"
      | "throughput",
  ) => reading(reads, name, async (reads) => await reads[name]());
  return {
    "GET /api/repos": reading(reads, "repos", (reads) => reads.repos()),
    "GET /api/repo-roles": reading(
      reads,
      "repoRoles",
      (reads, { query }) => reads.repoRoles(query.repo_id!),
      UNKNOWN_REPO,
    ),
    "GET /api/telemetry": plain("telemetry"),
    "GET /api/evolution": plain("evolution"),
    "GET /api/roles": plain("roles"),
    "GET /api/quality-score": reading(
      reads,
      "qualityScore",
      qualityScore,
      refusal(404, "no repo is registered"),
    ),
    "GET /api/throughput": plain("throughput"),
    "GET /api/orchestration": plain("orchestration"),
    "GET /api/orchestration/decisions": reading(reads, "decisions", decisions, UNKNOWN_REPO),
    "GET /api/pipeline": plain("pipeline"),
    "GET /api/jobs": jobs(reads),
    "GET /api/job": reading(reads, "job", (reads, { query }) => reads.job(query.id!)),
    "GET /api/ticket": reading(
      reads,
      "ticket",
      (reads, { query }) => reads.ticket(query.repo_id!, query.id!),
    ),
    "GET /api/debug": plain("debug"),
  } as const satisfies Record<string, Served>;
}
