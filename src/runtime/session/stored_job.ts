/** A job as a person names it: by its id, how that begins, or how it ends. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobsNamed } from "svc/features/jobs/job_views.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { removalsNamed, removedOn } from "svc/features/retention/removal_store.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import type { Store } from "svc/store/open.ts";
import { openStoredPlace, openStoredRepo, orElsewhere, type StoredPlace } from "./stored_repo.ts";

/** Fewer characters of an id name too many jobs. */
const SHORTEST = 4;

interface StoredJobRequest {
  /** A folder in a repo; absolute. */
  readonly repo: string;
  /** As it was given. */
  readonly db: string | undefined;
  readonly job: string;
  /** As in "tell", for errors. */
  readonly doing: string;
  /** The job is only read; then `--db` is enough, and no repo is needed. */
  readonly reads?: boolean;
  readonly cwd?: string;
}

/** @throws Failure `not_found`, also for one that was removed; `conflict` where several fit */
async function jobTyped(
  ports: Pick<PreparationPorts, "files" | "home">,
  { root, store }: StoredPlace,
  { job: typed, doing, db: place }: Pick<StoredJobRequest, "db" | "doing" | "job">,
): Promise<Job> {
  const db = store?.db;
  const named = typed.toLowerCase();
  const fits = db !== undefined && new RegExp(`^[0-9a-f-]{${SHORTEST},36}$`).test(named);
  const [job, other] = fits ? await jobsNamed(db, named) : [];
  if (job !== undefined && (other === undefined || job.id === named)) return job;
  if (job !== undefined) {
    throw new Failure("conflict", `Cannot tell which job ${quoted(typed)} means: several fit`, {
      remedy: `Give more of it: ${job.id}, ${other!.id}`,
    });
  }
  const [removed] = fits ? await removalsNamed(db, named) : [];
  if (removed !== undefined) {
    const why = `its records were ${removedOn(removed)}`;
    throw new Failure("not_found", `Cannot ${doing} job ${removed.job_id}: ${why}`, {
      remedy: `svc explain ${removed.job_id} says what is known of it still`,
    });
  }
  throw new Failure("not_found", `Cannot ${doing} job ${quoted(typed)}: there is none`, {
    remedy: place === undefined
      ? await orElsewhere(ports, "svc jobs list", { root, db: place })
      : "svc jobs list --all",
  });
}

export interface StoredJob extends AsyncDisposable {
  /** The current repo, which need not be the job's; if there is none, the job's repo. */
  readonly root: string;
  readonly store: Store;
  readonly job: Job;
  readonly repo: RegisteredRepo;
}

/** @throws Failure as `openStoredRepo` and `jobTyped` */
export async function openStoredJob(
  ports: PreparationPorts,
  request: StoredJobRequest,
): Promise<StoredJob> {
  const { repo, db, doing, reads = false, cwd = repo } = request;
  const at = repo === cwd ? undefined : repo;
  const stored = reads
    ? await openStoredPlace(ports, { repo: at, db, all: true, cwd })
    : await openStoredRepo(ports, { repo, db });
  try {
    const job = await jobTyped(ports, stored, request);
    const own = (await listRepos(stored.store!.db)).find(({ id }) => id === job.repo_id);
    if (own === undefined) {
      throw new Failure("not_found", `Cannot ${doing} job ${job.id}: its repo is not registered`, {
        remedy: "svc register --repo <path>",
      });
    }
    return {
      ...{ root: stored.root ?? own.path, store: stored.store!, job, repo: own },
      [Symbol.asyncDispose]: () => stored[Symbol.asyncDispose](),
    };
  } catch (thrown) {
    await stored[Symbol.asyncDispose]();
    throw thrown;
  }
}
