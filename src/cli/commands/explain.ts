import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, repo, required, text } from "svc/cli/flags.ts";
import {
  explained,
  explainedShape,
  leftLines,
  noteLines,
  notesShape,
  notesTold,
  showDecision,
} from "svc/cli/page/explained.ts";
import type { Page } from "svc/cli/page/page.ts";
import { DISPOSITIONS } from "svc/core/disposition.ts";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { jobsNamed, newestJobsOf } from "svc/features/jobs/job_views.ts";
import { pausedLanes } from "svc/features/jobs/lane_store.ts";
import type { Lane } from "svc/features/jobs/lane_table.ts";
import { nodeNames } from "svc/features/nodes/node_store.ts";
import {
  decisionsOfJobs,
  findDecisions,
  personDecisionsOn,
} from "svc/features/routing/decision_store.ts";
import { removalsNamed, removedOn } from "svc/features/retention/removal_store.ts";
import type { Removal } from "svc/features/retention/removal_table.ts";
import { openFollowed } from "svc/features/repos/follow_move.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { registeredHere } from "svc/features/repos/registered_here.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { cardsNow } from "svc/runtime/inbox/inbox_list.ts";
import { leftOn } from "svc/runtime/job/work_elsewhere.ts";
import { openCheckout, orElsewhere } from "svc/runtime/session/stored_repo.ts";
import type { Store } from "svc/store/open.ts";
import { hasScoped } from "svc/store/placement.ts";
import { laneOf } from "svc/runtime/views/pending_wait.ts";
import type { Db } from "svc/store/schema.ts";

/** A job without a decision: it waits, runs, or was ended before it came to one. */
async function jobNamed(db: Db, named: string, now: number) {
  const jobs = await jobsNamed(db, named);
  if (jobs.length > 1) {
    throw new Failure("conflict", `Cannot tell which job ${quoted(named)} means: several fit`, {
      remedy: `Give more of it: ${jobs.map(({ id }) => id).join(", ")}`,
    });
  }
  const [job] = jobs;
  if (job === undefined) return undefined;
  const node = job.node_id === null ? undefined : (await nodeNames(db)).get(job.node_id);
  return {
    ...explainedJob(job, await pausedLanes(db, now)),
    node: node ?? null,
    left_on: await leftOn(db, job) ?? null,
    notes: await notesTold(db, job.id),
  };
}

function explainedJob(job: Job, lanes: readonly Lane[]) {
  const { id, repo_id, role, ticket_id, status, disposition, reason, attempt } = job;
  const waits = status === "pending";
  return {
    id,
    repo_id,
    role,
    ticket_id,
    status,
    disposition,
    reason,
    attempt,
    max_attempts: job.max_attempts,
    lane: job.lane,
    run_after: waits ? rfc3339(job.run_after) : null,
    held_back: waits ? laneOf(job, lanes)?.reason ?? null : null,
  };
}

/** A job whose records are gone: what is known of it still. */
async function removedNamed(db: Db, named: string) {
  const found = await removalsNamed(db, named);
  const jobs = [...new Set(found.map(({ job_id }) => job_id))];
  if (jobs.length > 1) {
    throw new Failure("conflict", `Cannot tell which job ${quoted(named)} means: several fit`, {
      remedy: `Give more of it: ${jobs.join(", ")}`,
    });
  }
  return found[0];
}

function explainedRemoval(removal: Removal) {
  const { job_id, repo_id, role, ticket_id, disposition, ended_at, removed_at } = removal;
  const times = { ended_at: rfc3339(ended_at), removed_at: rfc3339(removed_at) };
  return { job_id, repo_id, role, ticket_id, disposition, ...times, why: removedOn(removal) };
}

function showRemoval(removed: ReturnType<typeof explainedRemoval>, page: Page): void {
  const about = removed.ticket_id === null ? "" : ` for ${removed.ticket_id}`;
  page.heading(`${removed.role}${about}: ${removed.disposition}`);
  page.fields([
    ["job", removed.job_id],
    ["ended", removed.ended_at],
    ["decision", removed.why],
  ]);
}

function showJob(
  job: ReturnType<typeof explainedJob> & {
    readonly node: string | null;
    readonly left_on: string | null;
    readonly notes: Parameters<typeof noteLines>[1];
  },
  page: Page,
): void {
  const about = job.ticket_id === null ? "" : ` for ${job.ticket_id}`;
  page.heading(`${job.role}${about}: ${job.disposition ?? job.status}`);
  page.fields([
    ["job", job.id],
    [
      "decision",
      job.disposition === null ? "none yet: it has not ended" : "none: no role ended it",
    ],
    ["status", job.status],
    ["because", job.reason ?? "no reason was stored"],
    ["attempts used", `${job.attempt} of ${job.max_attempts}`],
    ...(job.run_after === null ? [] : [["due", job.run_after] as const]),
    ...(job.node === null ? [] : [["node", job.node] as const]),
    ...(job.lane === null ? [] : [["model", job.lane] as const]),
    ...(job.held_back === null ? [] : [["held back", job.held_back] as const]),
    ...leftLines(job),
    ...noteLines(job.id, job.notes),
  ]);
}

interface TicketShown {
  readonly id: string;
  readonly title: string;
  readonly state: string;
  readonly why: string | null;
  readonly actions: readonly { readonly label: string; readonly command: string }[];
  readonly jobs: number;
}

function showTicket({ id, title, state, why, actions, jobs }: TicketShown, page: Page): void {
  page.heading(`${id} ${title}`);
  page.fields([
    ["state", state],
    ["now", why ?? (state === "done" ? "it is done" : "nobody has to do anything")],
    ...actions.map(({ label, command }) => [label, command] as const),
    ["jobs", String(jobs)],
  ]);
  page.line();
}

/** Jobs of a ticket whose decisions are told. */
const TICKET_JOBS = 100;

async function unknownHere(
  app: App,
  id: string,
  { root, db }: { readonly root: string; readonly db: string | undefined },
): Promise<Failure> {
  const why = `this database has no job of ${quoted(root)}`;
  const first = /^t-\d+$/i.test(id) ? `svc tickets show ${id}` : "svc jobs list";
  return new Failure("not_found", `Cannot explain ${id}: ${why}`, {
    remedy: await orElsewhere(app, first, { root, db }),
  });
}

/** What was decided about a ticket, oldest first, and why it is where it is. */
async function explainedTicket(
  app: App,
  store: Store,
  { git, id, named, place }: {
    readonly git: GitRepo;
    readonly id: string;
    readonly named: boolean;
    readonly place: string | undefined;
  },
) {
  const { db } = store;
  const repo = await registeredHere(db, git);
  if (repo === undefined) throw await unknownHere(app, id, { root: git.root, db: place });
  using opened = await new RepoOpener({ ...app, db }).open(repo, { signal: app.signal });
  const { ticket: { title, state } } = await opened.tickets.find(id);
  const jobs = await newestJobsOf(db, repo.id, id, TICKET_JOBS);
  const byRule = jobs.length === 0 ? [] : await decisionsOfJobs(db, jobs.map((job) => job.id));
  const byPerson = await personDecisionsOn(db, repo.id, id, TICKET_JOBS);
  const all = new Map([...byRule, ...byPerson].map((one) => [one.id, one]));
  const found = [...all.values()].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const { cards } = await cardsNow({ ...app, db, profile: "host" }, [repo], { named });
  const card = cards.find(({ ticket_id }) => ticket_id === id);
  return {
    ticket: {
      ...{ id, title, state, zone: card?.zone ?? null, why: card?.why ?? null },
      actions: (card?.actions ?? []).flatMap(({ label, command }) =>
        command === null ? [] : [{ label, command }]
      ),
      jobs: jobs.length,
    },
    decisions: await Promise.all(found.map((one) => explained(db, opened, one))),
    job: null,
    removed: null,
  };
}

export default command({
  about: "Explain what followed a job, or what became of a ticket: rules, inputs, alternatives",
  details:
    "Each job ends with one decision: the rule of the manifest that matched, what svc itself saw " +
    "(commits, checks), and the rules that did not match and why. A decision made in observer " +
    "profile is a rehearsal: nothing of it was applied. For a job without a decision it shows the " +
    "job's state: waiting, cancelled, or lost with its process. For a job that retention removed " +
    "it tells when and how the job ended, and when it was removed. For a ticket it tells all " +
    "decisions in order, including those of people, and why the ticket waits now.",
  examples: [
    {
      line: "svc explain 0199c2f3a1b2",
      about: "the beginning or end of a job's or decision's id is enough",
    },
    { line: "svc explain T-0007", about: "a ticket: what happened to it, and why it waits" },
    { line: "svc explain 0199c2f3a1b2 --json | jq '.decisions[0].refused'", about: "for scripts" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  args: {
    id: required(
      text(
        "job|decision|ticket",
        "Id of a ticket, job or decision; of the last two the beginning or end is enough",
        { suggest: "tickets" },
      ),
    ),
  },
  flags: {
    repo,
    db: database("Database of the runtime (default: the repo's own)"),
  },
  result: (z) =>
    z.strictObject({
      ticket: z.strictObject({
        id: z.string(),
        title: z.string(),
        state: z.string(),
        /** The zone of its card on the board, and why; null if the ticket is done or nothing happens to it. */
        zone: z.string().nullable(),
        why: z.string().nullable(),
        actions: z.array(z.strictObject({ label: z.string(), command: z.string() })),
        jobs: z.int(),
      }).nullable(),
      decisions: z.array(explainedShape(z)),
      job: z.strictObject({
        id: z.string(),
        repo_id: z.string(),
        role: z.string(),
        ticket_id: z.string().nullable(),
        status: z.enum(["pending", "running", "completed", "failed"]),
        disposition: z.enum(DISPOSITIONS).nullable(),
        reason: z.string().nullable(),
        attempt: z.int(),
        max_attempts: z.int(),
        lane: z.string().nullable(),
        run_after: z.string().nullable(),
        held_back: z.string().nullable(),
        /** Where it runs, or ran last; null where the database is a file. */
        node: z.string().nullable(),
        /** The node on which work may lie that it had not committed. */
        left_on: z.string().nullable(),
        notes: notesShape(z),
      }).nullable(),
      removed: z.strictObject({
        job_id: z.string(),
        repo_id: z.string(),
        role: z.string(),
        ticket_id: z.string().nullable(),
        disposition: z.enum(DISPOSITIONS),
        ended_at: z.string(),
        removed_at: z.string(),
        why: z.string(),
      }).nullable(),
    }),

  async run(app: App, asked) {
    const { clock, cwd, files, home, servers } = app;
    const git = await openCheckout(app, { repo: asked.repo ?? cwd(), db: asked.db });
    const { root } = git;
    using folder = await app.folder(root);
    const ports = { files, clock, home, servers };
    const place = { repo: root, db: asked.db };
    // To open one that is not there would make it.
    await using store = await hasScoped(ports, place)
      ? await openFollowed(ports, place)
      : undefined;
    if (store === undefined) throw await unknownHere(app, asked.id, { root, db: asked.db });
    const named = asked.id.toLowerCase();
    if (/^t-\d+$/.test(named)) {
      return await explainedTicket(app, store, {
        ...{ git, id: ticketId(asked.id) },
        named: asked.repo !== undefined,
        place: asked.db,
      });
    }
    try {
      const found = await findDecisions(store.db, named);
      const checkout = { folder, git };
      const decisions = await Promise.all(found.map((one) => explained(store.db, checkout, one)));
      return { ticket: null, decisions, job: null, removed: null };
    } catch (thrown) {
      if (Failure.from(thrown).code !== "not_found") throw thrown;
      const job = await jobNamed(store.db, named, clock.now());
      if (job !== undefined) return { ticket: null, decisions: [], job, removed: null };
      const removed = await removedNamed(store.db, named);
      if (removed === undefined) throw thrown;
      return { ticket: null, decisions: [], job: null, removed: explainedRemoval(removed) };
    }
  },

  show({ ticket, decisions, job, removed }, page) {
    if (ticket !== null) showTicket(ticket, page);
    if (job !== null) showJob(job, page);
    if (removed !== null) showRemoval(removed, page);
    for (const decision of decisions) showDecision(decision, page);
  },
});
