/** The result of `svc start` and `svc serve`, when they have stopped. */
import { counted } from "svc/core/counted.ts";
import type { z } from "zod";
import type { Immutable } from "svc/core/immutable.ts";
import { duration } from "svc/core/time.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import type { ServiceEvent, ServiceStatus } from "svc/runtime/service/plan.ts";
import type { Page } from "svc/cli/page/page.ts";
import { runExit } from "svc/cli/run/report.ts";

export const serviceShape = (zod: typeof z) =>
  zod.strictObject({
    ok: zod.literal(true),
    event: zod.literal("stopped"),
    shape: zod.enum(["start", "serve"]),
    profile: zod.enum(["observer", "host"]),
    /** Real paths. */
    repos: zod.array(zod.string()),
    database: zod.string(),
    /** True when a second signal ended the jobs at once. */
    hurried: zod.boolean(),
    uptime_ms: zod.int(),
    /** Jobs that came to a decision here; those that were given back wait for the next start. */
    jobs: zod.strictObject({
      done: zod.int(),
      failed: zod.int(),
      /** Ended by somebody, or not needed any more. */
      cancelled: zod.int(),
      given_back: zod.int(),
    }),
    moved: zod.array(
      zod.strictObject({
        repo: zod.string(),
        ticket: zod.string(),
        from: zod.string(),
        to: zod.string(),
      }),
    ),
    waits: zod.array(zod.string()),
    problems: zod.array(zod.string()),
    next: zod.string(),
  });

export type ServiceReport = Immutable<z.infer<ReturnType<typeof serviceShape>>>;
type TicketMove = ServiceReport["moved"][number];

export class ServiceTally {
  #done = 0;
  #failed = 0;
  #cancelled = 0;
  #givenBack = 0;
  readonly moved: TicketMove[] = [];

  hear(event: ServiceEvent): void {
    if (event.kind === "given_back") this.#givenBack++;
    if (event.kind !== "ended") return;
    const { concluded } = event.report;
    if (concluded.kind !== "decided") this.#givenBack++;
    else if (concluded.decision.disposition === "cancelled") this.#cancelled++;
    else if (runExit(concluded.decision) === 0) this.#done++;
    else this.#failed++;
  }

  stored({ type, data }: Event, repo: string): TicketMove | undefined {
    if (type !== "ticket_update") return undefined;
    const { ticket_id, from, to } = JSON.parse(data) as Record<string, unknown>;
    // A new or an edited ticket moved nowhere.
    if (from === null || from === to) return undefined;
    const move = { repo, ticket: String(ticket_id), from: String(from), to: String(to) };
    this.moved.push(move);
    return move;
  }

  get jobs(): ServiceReport["jobs"] {
    const [done, failed, cancelled] = [this.#done, this.#failed, this.#cancelled];
    return { done, failed, cancelled, given_back: this.#givenBack };
  }
}

/**
 * What the last status says is left to do: waits, and repos that cannot be worked on.
 *
 * @param paused why claims are paused, which outlives the service, and the command that resumes them
 */
export function leftOf(
  { waits, holds, repos }: ServiceStatus,
  paused?: { readonly reason: string; readonly resume: string },
): Pick<ServiceReport, "waits" | "problems"> {
  const blocked = repos.filter(({ tickets }) => tickets.blocked > 0)
    .map(({ basename, tickets }) =>
      `${basename}: ${counted(tickets.blocked, "blocked ticket")} for a person`
    );
  const problems = repos.flatMap(({ basename, problem }) =>
    problem === undefined ? [] : [`${basename}: ${problem}`]
  );
  const held = holds.map(({ says, raise }) => `the next day: ${says}. ${raise}`);
  const resumed = paused === undefined
    ? []
    : [`somebody who resumes, before any job begins (${paused.reason}): ${paused.resume}`];
  return { waits: [...resumed, ...held, ...waits.map(({ why }) => why), ...blocked], problems };
}

export const serviceExit = ({ hurried }: Pick<ServiceReport, "hurried">) => hurried ? 130 : 0;

/** Newest moves that are shown; more would push the sum above them off the screen. */
const MOVES_SHOWN = 12;

export function showService(report: ServiceReport, page: Page): void {
  const { jobs, moved, waits, problems, hurried, uptime_ms, shape } = report;
  const how = hurried ? page.tone("warn", "stopped at once") : page.tone("good", "stopped");
  page.line(`${page.tone("strong", `svc ${shape}`)}: ${how} after ${duration(uptime_ms)}`);
  const some = (count: number, what: string) => count === 0 ? "" : `, ${count} ${what}`;
  const rest = `${some(jobs.cancelled, "cancelled")}${some(jobs.given_back, "given back")}`;
  page.line(`jobs: ${jobs.done} done, ${jobs.failed} failed${rest}`);
  const before = moved.length - MOVES_SHOWN;
  if (before > 0) page.line(`  ${counted(before, "move")} of tickets before these`);
  for (const { repo, ticket, from, to } of moved.slice(-MOVES_SHOWN)) {
    const where = report.repos.length > 1 ? `${repo}: ` : "";
    page.line(`  ${where}${ticket}: ${from} → ${to}`);
  }
  for (const wait of waits) page.line(`${page.tone("warn", "waits for")} ${wait}`);
  for (const problem of problems) page.line(page.tone("bad", problem));
  page.next(report.next);
}
