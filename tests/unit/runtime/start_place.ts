/** A repo that is to be started, with what earlier processes may have left in it. */
import { RepoOpener } from "svc/features/repos/repo.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { claimNext, finish, type JobResult } from "svc/features/jobs/job_store.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import { openCheckout } from "svc/platform/git/checkout.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { carryOutStartPlan, type StartDone } from "svc/runtime/start/carry_out.ts";
import { gatherStartFacts, type StartFacts, type StartFlags } from "svc/runtime/start/facts.ts";
import { planStart, type StartPlan } from "svc/runtime/start/plan.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import {
  enginePorts,
  harnessedRepo,
  type Parts,
  queued,
  registered,
  reposIn,
  type Taps,
} from "./engine_place.ts";

export type Ports = Parts & { readonly signal: AbortSignal };

export interface StartPlace {
  readonly parts: AsyncDisposableStack;
  readonly repo: TempRepo;
  readonly ports: Ports;
  readonly id: string;
  facts(flags?: Partial<StartFlags>, using?: Ports): Promise<StartFacts>;
  plan(flags?: Partial<StartFlags>): Promise<StartPlan>;
  /** Facts, plan and deeds, as `start` goes through them. */
  start(flags?: Partial<StartFlags>, using?: Ports): Promise<StartPlan & { done: StartDone }>;
  /** A job in the hands of a process. */
  held(role: string, ticket: string | undefined, owner: "dead" | "parent"): Promise<Job>;
  /** A job that has ended. */
  ended(role: string, ticket: string | undefined, result: JobResult): Promise<Job>;
  move(ticket: string, ...to: ("in-progress" | "review" | "blocked" | "done")[]): Promise<void>;
}

export async function startPlace(taps: Taps = {}): Promise<StartPlace> {
  const parts = new AsyncDisposableStack();
  const repo = parts.use(await harnessedRepo());
  const base = parts.use(await tempFolder());
  const opened = parts.use(await enginePorts(base.path, taps));
  const ports: Ports = { ...opened, signal: new AbortController().signal };
  const id = await registered(ports, repo.path);
  const open = async (using: Ports) =>
    await new RepoOpener(using).open((await reposIn(ports)())[0]!, using);
  const facts: StartPlace["facts"] = async (flags = {}, using = ports) => {
    using opened = await open(using);
    return await gatherStartFacts(using, opened, {
      flags: { newLifecycle: false, force: false, ...flags },
    });
  };
  const claimed = async (role: string, ticket: string | undefined, owner: string) => {
    const { id: jobId } = await queued(ports, id, role, ticket);
    return (await claimNext(ports.db, { owner, now: ports.clock.now(), jobId }))!;
  };
  return {
    ...{ parts, repo, ports, id, facts },
    plan: async (flags) => planStart(await facts(flags)),
    async start(flags, using = ports) {
      const plan = planStart(await facts(flags, using));
      using opened = await open(using);
      return { ...plan, done: await carryOutStartPlan(using, opened, plan) };
    },
    async held(role, ticket, owner) {
      const self = await ports.identities.self();
      const other = owner === "dead"
        ? { ...self, pid: 4_000_000, start: "1" }
        : { ...self, pid: Deno.ppid, start: await startOf(Deno.ppid) };
      return await claimed(role, ticket, ownerText(other, "w1"));
    },
    async ended(role, ticket, result) {
      const job = await claimed(role, ticket, "past");
      await finish(ports.db, job, result, ports.clock.now());
      return job;
    },
    async move(ticket, ...states) {
      using checkout = await openCheckout(ports, repo.path);
      for (const to of states) {
        const unblock = to === "blocked" ? { unblock: { owner: "ada", action: "say which" } } : {};
        await moveTicket(checkout, ticket, {
          to,
          actor: "ada",
          branch: `svc/${ticket}`,
          ...unblock,
        });
      }
    },
  };
}

async function startOf(pid: number): Promise<string> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]!;
}
