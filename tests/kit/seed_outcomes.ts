/** For scripts: writes a history of jobs into a repo's own database. `seed_outcomes.ts <repo> [live|fixture]` */
import { repoId } from "svc/core/ids.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { openScoped } from "svc/store/placement.ts";
import { endedJob } from "tests/kit/outcomes.ts";

const [folder, evidence] = Deno.args;
const root = await Deno.realPath(folder!);
const ports = {
  clock: systemClock,
  files: denoFiles(),
  home: homeOf(denoEntrance(import.meta.url).env),
};
await using store = await openScoped(ports, { repo: root });
const id = await repoId(root);
const HOUR = 3_600_000;
const now = Date.now();
const of = { repoId: id, evidence: evidence === "fixture" ? "fixture" : "live" } as const;

// Six tickets: each submitted and approved, every third one first sent back; then four that got stuck.
for (let ticket = 1; ticket <= 6; ticket++) {
  const at = now - (60 - 4 * ticket) * HOUR;
  const on = { ...of, ticket: `T-000${ticket}` };
  if (ticket % 3 === 0) {
    await endedJob(store.db, { ...on, role: "engineer", disposition: "submitted", at: at - 3000 });
    const reason = `line ${ticket} of the report is wrong`;
    const request = { role: "qa", disposition: "changes_requested", reason } as const;
    await endedJob(store.db, { ...on, ...request, at: at - 2000 });
  }
  const submitted = { role: "engineer", disposition: "submitted" } as const;
  const usd = evidence === "fixture" ? {} : { usd: 0.205 };
  await endedJob(store.db, { ...on, ...submitted, ...usd, at: at - 1000 });
  await endedJob(store.db, { ...on, role: "qa", disposition: "approved", owed: "done", at });
}
for (let again = 0; again < 4; again++) {
  const stuck = { disposition: "stuck", category: "stuck" } as const;
  const reason = `the same call of file_read came ${again + 3} times`;
  const ticket = "T-0007";
  await endedJob(store.db, { ...of, role: "engineer", ticket, ...stuck, reason, at: now - again });
}
// Ten days ago, beyond a window of a week.
for (let day = 0; day < 5; day++) {
  const at = now - (240 + day) * HOUR;
  await endedJob(store.db, { ...of, role: "ceo", disposition: "stuck", category: "stuck", at });
}
