/** How things stand on one database, as JSON and for people. */
import type { z } from "zod";
import type { Immutable } from "svc/core/immutable.ts";
import { counted } from "svc/core/counted.ts";
import { ticketMachine } from "svc/features/tickets/ticket_machine.ts";
import { statesOf } from "svc/core/machine.ts";
import { nodeShape } from "svc/runtime/views/node_item.ts";
import type { Page } from "./page.ts";

const STATES = statesOf(ticketMachine);

export const placeShape = (zod: typeof z) =>
  zod.strictObject({
    database: zod.string(),
    services: zod.array(zod.strictObject({
      shape: zod.enum(["start", "serve"]),
      profile: zod.enum(["observer", "host"]),
      /** `unknown`: it is of another machine or container. */
      life: zod.enum(["alive", "unknown"]),
      dashboard_url: zod.string().nullable(),
      control_url: zod.string().nullable(),
      pid: zod.int().nullable(),
      since: zod.string(),
    })),
    paused: zod.boolean(),
    pause_reason: zod.string().nullable(),
    /** Limits of the day that hold new jobs back, with the way out. */
    held: zod.array(zod.string()),
    jobs: zod.strictObject({
      running: zod.int(),
      waiting: zod.int(),
      /** Their process died; `svc start` takes them up again. */
      abandoned: zod.int(),
    }),
    /** Cards of the inbox. */
    needs_you: zod.int(),
    failing: zod.int(),
    /** Machines of the team; none where the database is a file. */
    nodes: zod.array(nodeShape(zod)),
    repos: zod.array(zod.strictObject({
      id: zod.string(),
      name: zod.string(),
      path: zod.string(),
      branch: zod.string(),
      problem: zod.string().nullable(),
      tickets: zod.record(zod.enum(STATES), zod.int()),
      next: zod.strictObject({ role: zod.string(), at: zod.string(), why: zod.string() })
        .nullable(),
    })),
  });
type Place = Immutable<z.infer<ReturnType<typeof placeShape>>>;

/** @param age of a time, as in "3 h" */
export function showPlace(page: Page, place: Place, age: (at: string) => string): void {
  for (const { shape, profile, life, pid, since, dashboard_url } of place.services) {
    const where = life === "alive" ? `process ${pid}` : "on another machine, if it lives still";
    page.line(page.tone("good", `svc ${shape} runs for ${age(since)} (${profile}), ${where}`));
    if (dashboard_url !== null) page.line(`  dashboard: ${dashboard_url}`);
  }
  for (const { name, condition, running, concurrency, version, why } of place.nodes) {
    const at = `${running} of ${concurrency} jobs, svc ${version}`;
    const said = why === null ? "" : `: ${why}`;
    page.line(`node ${page.tone("strong", name)}: ${condition}, ${at}${said}`);
  }
  const { database, paused, pause_reason, held, jobs, needs_you, failing, repos } = place;
  page.line(`${page.tone("dim", "database")} ${database}`);
  if (paused) page.line(page.tone("warn", `  claims are paused: ${pause_reason}`));
  for (const text of held) page.line(page.tone("warn", `  begins no new job: ${text}`));
  page.line(`  jobs: ${jobs.running} running, ${jobs.waiting} waiting`);
  if (jobs.abandoned > 0) {
    const lost = counted(jobs.abandoned, "job");
    page.line(page.tone("warn", `  the process of ${lost} died: svc start takes up its work`));
  }
  if (needs_you + failing > 0) {
    page.line(page.tone("warn", `  needs you: ${needs_you}, failing: ${failing}`));
  }
  for (const { name, branch, tickets, problem, next } of repos) {
    const counts = STATES.map((state) => `${tickets[state] ?? 0} ${state}`).join(", ");
    page.line(`  ${page.tone("strong", name)} (${branch}): ${counts}`);
    if (next !== null) page.line(`    next: ${next.role} at ${next.at.slice(0, 19)}Z, ${next.why}`);
    if (problem !== null) page.line(page.tone("bad", `    ${problem}`));
  }
}
