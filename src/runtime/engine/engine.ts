/** Runs jobs until it is stopped: workers claim them, rounds keep what a crash or a wait left from being lost. */
import { ENGINE_CONCURRENCY } from "svc/core/bounds.ts";
import { JobBell } from "svc/features/jobs/job_bell.ts";
import { claimState } from "svc/features/jobs/queue_store.ts";
import { ClaimGate } from "./claim_gate.ts";
import type { Floor, Seat } from "./engine_floor.ts";
import { type Engine, ENGINE_TIMES, type EnginePlan, type EngineState } from "./engine_plan.ts";
import { RepoWatch } from "./repo_watch.ts";
import { roundsOf } from "./rounds.ts";
import {
  claimsData,
  pauseClaims,
  recordStatus,
  resumeClaims,
} from "svc/runtime/service/status_event.ts";
import { windDown } from "./wind_down.ts";
import { work } from "./worker.ts";

export type { Engine, EngineEvent, EnginePlan, EngineState } from "./engine_plan.ts";

/** It runs at once; what an earlier process left is put in order before the first claim. */
export function startEngine(plan: EnginePlan): Engine {
  const { concurrency = ENGINE_CONCURRENCY, ports: { db, clock } } = plan;
  const stopping = new AbortController();
  const halt = new AbortController();
  const hurry = new AbortController();
  const floor = floorOf(plan, stopping.signal, halt.signal);
  const { bell, settleBell, lull } = floor;
  const seats: Seat[] = Array.from({ length: concurrency }, (_, index) => ({
    name: `w${index + 1}`,
    sawNothing: undefined,
  }));
  let condition: EngineState["condition"] = "starting";
  let stopped: Promise<void> | undefined;
  const begun = Promise.withResolvers<void>();

  async function crew(): Promise<void> {
    const rounds = roundsOf(floor);
    const state = await claimState(db).catch(() => undefined); // the first claim says what is wrong
    floor.paused = state?.paused ? state.reason : undefined;
    await rounds.first();
    if (condition === "starting") condition = "running";
    begun.resolve();
    await Promise.all([rounds.all(), ...seats.map((seat) => work(floor, seat))]);
  }
  const working = crew();
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  done.catch(() => {}); // whoever awaits it sees it
  working.catch((thrown) => {
    stopping.abort();
    condition = "stopped";
    begun.resolve();
    reject(thrown);
  });

  async function claiming(reason: string | undefined): Promise<void> {
    if (reason === undefined) await resumeClaims(db, clock.now());
    else await pauseClaims(db, reason, clock.now());
    floor.paused = reason;
    floor.tell({ kind: "claiming", reason: reason ?? floor.gate.reason });
    bell.ring();
  }

  return {
    state: () => stateOf(floor, condition, concurrency),
    pause: (reason) => claiming(reason),
    resume: () => claiming(undefined),
    wake() {
      bell.ring();
      settleBell.ring();
    },
    beat: () => floor.beatBell.ring(),
    audit: () => floor.auditBell.ring(),
    begun: begun.promise,
    stop(asked = {}) {
      if (stopped !== undefined) {
        hurry.abort();
        return stopped;
      }
      condition = "stopping";
      floor.tell({ kind: "stopping" });
      stopping.abort();
      const ended = working.catch(() => {}); // `done` says so
      const how = { ...asked, crew: ended, hurry: hurry.signal };
      stopped = windDown(floor, { ...how, halt: (reason) => halt.abort(reason) }).then(() => {
        condition = "stopped";
        floor.tell({ kind: "stopped" });
        resolve();
      });
      return stopped;
    },
    async idle() {
      while (!stopping.signal.aborted) {
        const heard = lull.rings;
        const resting = seats.every(({ sawNothing }) => sawNothing === bell.rings);
        if (resting && floor.inHand.size === 0) return;
        await lull.wait(heard, clock, floor.times.pollMs, stopping.signal);
      }
      await done;
    },
    done,
  };
}

function floorOf(plan: EnginePlan, stopping: AbortSignal, halt: AbortSignal): Floor {
  const { ports } = plan;
  const tell: Floor["tell"] = (event) => plan.on?.(event);
  const floor: Floor = {
    ports,
    plan,
    times: { ...ENGINE_TIMES, ...plan.times },
    bell: new JobBell(),
    settleBell: new JobBell(),
    lull: new JobBell(),
    auditBell: new JobBell(),
    beatBell: new JobBell(),
    gate: new ClaimGate(ports, (why) => {
      const reason = why ?? floor.paused;
      tell({ kind: "claiming", reason });
      recordClaims(ports, reason);
    }),
    repos: new RepoWatch(plan, (repo, problem) => tell({ kind: "repo", repo, problem })),
    inHand: new Map(),
    startable: new Map(),
    paused: undefined,
    watchedAt: undefined,
    poller: undefined,
    waits: new Map(),
    stopping,
    halt,
    tell,
  };
  return floor;
}

/** What svc does by itself; a database that fails is the reason of some, so it may stay unsaid. */
function recordClaims({ db, clock, log }: EnginePlan["ports"], reason: string | undefined): void {
  const state = reason === undefined ? "claiming" : "paused";
  recordStatus(db, state, clock.now(), claimsData(reason)).catch((cause) => {
    log.write("warn", "a change of claims could not be told", { state, cause });
  });
}

function stateOf(
  floor: Floor,
  condition: EngineState["condition"],
  concurrency: number,
): EngineState {
  const { gate, paused, inHand, ports: { clock }, watchedAt, repos } = floor;
  const reason = paused ?? gate.reason;
  return {
    condition,
    concurrency,
    reason,
    watchedAt,
    problems: repos.problems,
    claims: reason === undefined ? "claiming" : "paused",
    running: [...inHand.values()].map(({ job, since, turn, step }) => ({
      job: job.id,
      repo: job.repo_id,
      role: job.role,
      ticket: job.ticket_id,
      attempt: job.attempt,
      turn,
      step,
      ageMs: clock.monotonic() - since,
    })),
    waits: [...floor.waits].flatMap(([repo, all]) => all.map((wait) => ({ repo, ...wait }))),
  };
}
