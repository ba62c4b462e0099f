/** One worker of an engine: claims a job, runs it, and gives back what did not come to an end. */
import { CLAIM_RETRY_MAX_MS, CLAIM_RETRY_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Turn } from "svc/features/agent/agent.ts";
import { claimNext, release, retry, snooze } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { retryDelayMs } from "svc/features/jobs/retry.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import type { Floor, InHand, Seat } from "./engine_floor.ts";
import { harnessIn } from "svc/runtime/job/harness_source.ts";
import { loadAgent } from "svc/runtime/job/load_agent.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { ReadyRepo } from "./repo_watch.ts";
import { settlePending } from "svc/runtime/settle/settle.ts";
import { dispatcherOf } from "svc/runtime/job/team.ts";

/** Until the engine stops; never throws for what a job came to. */
export async function work(floor: Floor, seat: Seat): Promise<void> {
  const { bell, ports, stopping, times } = floor;
  const owner = ownerText(await ports.identities.self(), seat.name);
  while (!stopping.aborted) {
    const heard = bell.rings;
    const job = await claim(floor, owner);
    if (job === undefined) {
      seat.sawNothing = heard;
      floor.lull.ring();
      floor.poller ??= seat;
      const ms = floor.poller === seat ? times.pollMs : times.watchMs;
      await bell.wait(heard, ports.clock, ms, stopping);
      continue;
    }
    seat.sawNothing = undefined;
    if (floor.poller === seat) {
      floor.poller = undefined;
      bell.ring(); // another looks from here on, and there may be more
    }
    await attend(floor, job);
    // Its end may have queued the next one, and made room for a job of its role.
    bell.ring();
  }
}

/** Undefined when there is none, or when none may be claimed now. */
async function claim(floor: Floor, owner: string): Promise<Job | undefined> {
  const { gate, ports: { db, clock }, times, stopping } = floor;
  if (!await gate.open() || stopping.aborted) return undefined;
  try {
    // Jobs of other repos are for others on this database.
    const repoIds = (await floor.repos.all()).map(({ id }) => id);
    const job = await claimNext(db, { owner, now: clock.now(), leaseMs: times.leaseMs, repoIds });
    if (job === undefined) {
      const state = await claimState(db);
      floor.paused = state.paused ? state.reason : undefined;
    }
    gate.passed();
    return job;
  } catch (thrown) {
    gate.failed(thrown);
    return undefined;
  }
}

async function attend(floor: Floor, job: Job): Promise<void> {
  const { ports, inHand, halt } = floor;
  const entry: InHand = { job, since: ports.clock.monotonic(), turn: 0, step: "" };
  inHand.set(job.id, entry);
  floor.tell({ kind: "claimed", job });
  try {
    const agent = loadAgent(ports);
    agent.catch(() => {}); // seen where it is awaited
    const ready = await workable(floor, job);
    if (typeof ready === "string") await putOff(floor, job, ready);
    else {
      using _open = ready.repo;
      await perform(floor, entry, ready, (await agent).runJob);
    }
  } catch (thrown) {
    const failure = halt.aborted ? undefined : Failure.from(thrown);
    // What a model did would be paid for again and again, were no attempt used.
    const begun = entry.turn > 0;
    if (failure?.detail.waits && !begun) await putOff(floor, job, failure.message);
    else await giveBack(floor, job, failure);
  } finally {
    inHand.delete(job.id);
  }
}

/** The job's repo, to be disposed of; as text, why nothing can be done in it now. */
async function workable(floor: Floor, job: Job): Promise<ReadyRepo | string> {
  const { repos, halt } = floor;
  const row = (await repos.all()).find(({ id }) => id === job.repo_id);
  if (row === undefined) return "its repo is not registered any more";
  const ready = await repos.ready(row, halt);
  if (typeof ready === "string") return ready;
  using opened = new DisposableStack();
  opened.use(ready.repo);
  const fault = await repos.obstacle(ready.repo) ?? await owed(floor, ready.repo, job);
  if (fault !== undefined) return fault;
  opened.move();
  return ready;
}

/**
 * Before its ticket has moved, a role would judge it in the wrong state, and its word would be lost. The
 * job that asked for the move may be about to do it, in another worker's hands.
 */
async function owed(
  floor: Floor,
  repo: Repo,
  { ticket_id }: Job,
): Promise<string | undefined> {
  const { ports, halt, bell, inHand, times } = floor;
  if (ticket_id === null || ports.profile !== "host") return undefined;
  for (;;) {
    halt.throwIfAborted();
    const heard = bell.rings;
    const own = (await pendingSettlements(ports.db, repo.id))
      .filter((pending) => pending.ticket_id === ticket_id);
    if (own.length === 0) return undefined;
    if (own.some(({ job_id }) => job_id !== null && inHand.has(job_id))) {
      await bell.wait(heard, ports.clock, times.pollMs, halt);
      continue;
    }
    const { waiting } = await settlePending({ ...ports, signal: halt }, repo);
    const wait = waiting.find(({ id }) => own.some((pending) => pending.id === id));
    return wait && `${ticket_id} waits for what is owed to it: ${wait.why}`;
  }
}

async function perform(
  floor: Floor,
  entry: InHand,
  { repo, manifest }: ReadyRepo,
  runJob: typeof import("svc/runtime/job/run_job.ts").runJob,
): Promise<void> {
  const { ports, plan, halt, times } = floor;
  const { job } = entry;
  const { modelEndpoint, maxTurns, budget, codeIntel } = plan;
  const report = await runJob({ ...ports, signal: halt }, {
    job,
    repo,
    manifest,
    harness: harnessIn(repo.folder),
  }, {
    modelEndpoint,
    maxTurns,
    budget,
    codeIntel,
    follow: true,
    leaseMs: times.leaseMs,
    heartbeatMs: times.heartbeatMs,
    beatBell: floor.beatBell,
    onTurn: (turn) => seen(floor, entry, turn),
    onText: (delta) => floor.tell({ kind: "text", job, delta }),
    onStep(text) {
      entry.step = text;
      floor.tell({ kind: "step", job, text });
    },
  });
  floor.tell({ kind: "ended", job, report });
  // A survey holds back while a job may lead to its dispatcher; this one did not, so the next audit looks.
  const { concluded } = report;
  const astray = concluded.kind === "decided" && concluded.decision.next === undefined;
  if (astray && job.role !== dispatcherOf(manifest)) floor.startable.set(job.repo_id, []);
}

/** Such as `file_edit src/app.ts`, or what kept it from working. */
function lastDone({ calls, outcomes }: Turn): string {
  const said = calls.map(({ name, args }, at) => {
    const path = /"path":\s*"([^"\\]+)"/.exec(args)?.[1];
    const what = path === undefined ? name : `${name} ${path}`;
    const status = outcomes[at]?.status ?? "ok";
    return status === "ok" ? what : `${what}: ${status}`;
  });
  return said.length === 0 ? "wrote without calling a tool" : said.join(", ");
}

function seen(floor: Floor, entry: InHand, turn: Turn): void {
  const { ports: { db, clock, log } } = floor;
  const { job } = entry;
  entry.turn = turn.turn;
  entry.step = lastDone(turn);
  const data = {
    id: job.id,
    repo_id: job.repo_id,
    role: job.role,
    ticket_id: job.ticket_id,
    turn: turn.turn,
    tokens_in: turn.tokensIn,
    tokens_out: turn.tokensOut,
    tools: turn.calls.map(({ name }) => name),
  };
  const event = { type: "job_turn", repoId: job.repo_id, jobId: job.id, data } as const;
  recordEvent(db, event, clock.now()).catch((cause) => {
    // The trace has the turn; a database that is busy now is no reason to end the job.
    log.write("warn", "a turn could not be told", { job: job.id, cause });
  });
  floor.tell({ kind: "turn", job, turn });
}

/** Nothing was begun: the job waits, with the reason for whoever asks, and no attempt is used. */
async function putOff(floor: Floor, job: Job, why: string): Promise<void> {
  const { ports: { db, clock }, times } = floor;
  const reason = `nothing can be done in its repo now: ${why}`;
  await insist(floor, () => {
    const now = clock.now();
    return snooze(db, job, { until: now + times.repoWaitMs, reason }, now);
  });
  floor.tell({ kind: "given_back", job, reason });
}

/** @param failure undefined: the engine stops, so no attempt is used */
async function giveBack(floor: Floor, job: Job, failure: Failure | undefined): Promise<void> {
  const { db, clock, log } = floor.ports;
  if (failure === undefined) {
    await insist(floor, () => release(db, job, clock.now()));
    return floor.tell({ kind: "given_back", job, reason: "svc stops" });
  }
  const { message: reason } = failure;
  log.write("error", reason, { job: job.id, cause: failure.cause ?? failure });
  await insist(floor, () => {
    const now = clock.now();
    const runAfter = now + retryDelayMs(job.attempt, Math.random());
    // Changes nothing when the job has ended and only what follows it failed.
    return retry(db, job, { category: "internal", reason, runAfter }, now);
  });
  floor.tell({ kind: "given_back", job, reason });
}

/**
 * Until it is written: a job that nobody runs and nobody gave back would wait for its lease to end. When
 * the engine stops, it is left to the next process, which knows this one to be dead.
 */
async function insist(floor: Floor, write: () => Promise<unknown>): Promise<void> {
  const { gate, ports: { clock }, stopping } = floor;
  for (let delayMs = CLAIM_RETRY_MS;; delayMs = Math.min(delayMs * 2, CLAIM_RETRY_MAX_MS)) {
    try {
      await write();
      return;
    } catch (thrown) {
      gate.failed(thrown);
      if (stopping.aborted) return;
      await clock.sleep(delayMs, stopping);
    }
  }
}
