/** A repo with tickets, jobs of some age with all that they leave, and an engine's ports over them. */
import { rfc3339 } from "svc/core/time.ts";
import { claimNext } from "svc/features/jobs/job_store.ts";
import { policyOf } from "svc/features/retention/policy.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { retain, type RetainPlan } from "svc/runtime/retention/retain.ts";
import { endedJob, type SeededEnd } from "tests/kit/outcomes.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  type Parts,
  registered,
  type Taps,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";

export const DAY = 24 * 60 * 60 * 1000;
export const NOW = Date.now();

export interface OldPlace extends AsyncDisposable {
  readonly base: string;
  readonly repo: TempRepo;
  readonly repoId: string;
  readonly ports: Parts & { readonly signal: AbortSignal };
  /** Ends so many days ago, and leaves trace, outputs and leftovers. */
  job(days: number, more?: Partial<SeededEnd>): Promise<string>;
  /** An open one; "done" makes it finished. */
  ticket(state?: "done"): Promise<string>;
  filesOf(job: string): string[];
  retain(more?: Partial<RetainPlan>): ReturnType<typeof retain>;
}

const names = (path: string) => {
  try {
    return Array.from(Deno.readDirSync(path), ({ name }) => name);
  } catch {
    return [];
  }
};

export async function oldPlace(taps: Taps = {}): Promise<OldPlace> {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const { path: base } = parts.use(await tempFolder());
  const signal = new AbortController().signal;
  const ports = { ...parts.use(await enginePorts(base, taps)), signal };
  const repoId = await registered(ports, repo.path);
  const { traces } = ports.home;
  const folder = `${traces}/shop-${repoId}`;
  await Deno.mkdir(folder, { recursive: true });
  const place: Omit<OldPlace, typeof Symbol.asyncDispose> = {
    ...{ base, repo, repoId, ports },
    async job(days, more = {}) {
      const at = NOW - days * DAY;
      const id = await endedJob(ports.db, {
        ...{ repoId, role: "engineer", disposition: "submitted", at },
        ...more,
      });
      const trace = `${folder}/${id}.jsonl`;
      await ports.db.updateTable("jobs").set({ trace_path: trace }).where("id", "=", id).execute();
      const line = JSON.stringify({ at: rfc3339(at), kind: "started", messages: [] });
      await Deno.writeTextFile(trace, `${line}\n`.padEnd(1000));
      for (const kind of ["outputs", "leftovers"]) {
        await Deno.mkdir(`${traces}/${kind}/${id}/deep`, { recursive: true });
        await Deno.writeTextFile(`${traces}/${kind}/${id}/deep/file`, "x".repeat(500));
      }
      return id;
    },
    async ticket(state) {
      const id = await ticketed(ports, repo.path);
      if (state === "done") {
        const [from] = names(`${repo.path}/docs/tickets/backlog`).filter((n) => n.startsWith(id));
        const to = `docs/tickets/${state}`;
        await Deno.mkdir(`${repo.path}/${to}`, { recursive: true });
        await repo.git("mv", `docs/tickets/backlog/${from}`, `${to}/${from}`);
        await repo.git("commit", "--quiet", "--message", "done");
      }
      return id;
    },
    filesOf: (job) =>
      [folder, `${traces}/outputs`, `${traces}/leftovers`]
        .flatMap((path) => names(path).filter((name) => name.startsWith(job))),
    retain: (more = {}) =>
      retain(ports, {
        policy: policyOf(Config.parse({})),
        apply: true,
        repos: true,
        now: NOW,
        ...more,
      }),
  };
  return { ...place, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

/** Claims the next job of these and lets it run. */
export async function running(place: OldPlace, jobId: string): Promise<void> {
  await claimNext(place.ports.db, { owner: "w", now: NOW, jobId });
}
