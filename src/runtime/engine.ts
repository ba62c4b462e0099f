/** Runs jobs until it is stopped: workers claim them, rounds keep what a crash or a wait left from being lost. */
import { ENGINE_CONCURRENCY } from "svc/core/bounds.ts";
import { JobBell } from "svc/features/jobs/job_bell.ts";
import { claimState, pauseQueue, resumeQueue } from "svc/features/jobs/queue_store.ts";
import { recordEvent } from "svc/features/telemetry/event_store.ts";
import { ClaimGate } from "./claim_gate.ts";
import type { Floor, Seat } from "./engine_floor.ts";
import { type Engine, ENGINE_TIMES, type EnginePlan, type EngineState } from "./engine_plan.ts";
import { RepoWatch } from "./repo_watch.ts";
import { roundsOf } from "./rounds.ts";
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

  async function crew(): Promise<void> {
    const rounds = roundsOf(floor);
    await rounds.first();
    const state = await claimState(db).catch(() => undefined); // the first claim says what is wrong
    floor.paused = state?.paused ? state.reason : undefined;
    if (condition === "starting") condition = "running";
    await Promise.all([rounds.all(), ...seats.map((seat) => work(floor, seat))]);
  }
  const working = crew();
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  done.catch(() => {}); // whoever awaits it sees it
  working.catch((thrown) => {
    stopping.abort();
    condition = "stopped";
    reject(thrown);
  });

  async function claiming(reason: string | undefined): Promise<void> {
    await db.transaction().execute(async (tx) => {
      if (reason === undefined) await resumeQueue(tx);
      else await pauseQueue(tx, reason, clock.now());
      const claims = reason === undefined ? "claiming" : "paused";
      const data = { claims, reason: reason ?? null };
      await recordEvent(tx, { type: "status_change", data }, clock.now());
    });
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
    gate: new ClaimGate(ports, (reason) => {
      tell({ kind: "claiming", reason: reason ?? floor.paused });
    }),
    repos: new RepoWatch(plan, (repo, problem) => tell({ kind: "repo", repo, problem })),
    inHand: new Map(),
    paused: undefined,
    watchedAt: undefined,
    waits: new Map(),
    ...{ stopping, halt, tell },
  };
  return floor;
}

function stateOf(
  floor: Floor,
  condition: EngineState["condition"],
  concurrency: number,
): EngineState {
  const { gate, paused, inHand, ports: { clock }, watchedAt, repos } = floor;
  const reason = paused ?? gate.reason;
  return {
    ...{ condition, concurrency, reason, watchedAt, problems: repos.problems },
    claims: reason === undefined ? "claiming" : "paused",
    running: [...inHand.values()].map(({ job, since, turn, step }) => ({
      ...{ job: job.id, repo: job.repo_id, role: job.role, ticket: job.ticket_id },
      ...{ attempt: job.attempt, turn, step, ageMs: clock.monotonic() - since },
    })),
    waits: [...floor.waits].flatMap(([repo, all]) => all.map((wait) => ({ repo, ...wait }))),
  };
}
