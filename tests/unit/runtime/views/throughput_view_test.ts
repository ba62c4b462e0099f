/** Throughput of a history made by hand, whose numbers are known. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { throughputRead } from "svc/runtime/views/throughput_view.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { enginePorts, harnessedRepo, registered } from "tests/unit/runtime/engine_place.ts";
import { parsed } from "./answers.ts";
import { readsOf } from "./site.ts";

const NOW = Date.parse("2026-06-10T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const before = (hours: number) => new Date(NOW - hours * HOUR).toJSON();
const id = (nth: number) => `T-${String(nth).padStart(4, "0")}`;

interface Written {
  readonly state: string;
  readonly nth: number;
  readonly created: number;
  readonly more?: string;
}

const file = ({ state, nth, created, more = "" }: Written): [string, string] => [
  `docs/tickets/${state}/${id(nth)}-of-history.md`,
  `---
id: ${id(nth)}
title: Ticket ${nth}
type: bug
priority: p2
role: engineer
source: human
created: ${before(created)}
acceptance: [it works]
${more}---

Text.
`,
];

/** Ticket `nth` was done `nth` hours after it was written, within the last day. */
const DONE = Array.from({ length: 10 }, (_, at) => ({ nth: at + 1, doneBefore: at + 1 }));
/** Done last week, a hundred hours after it was written. */
const EARLIER = { nth: 11, doneBefore: 72 };

verifies("4.3:throughput:shape", "throughput tells the known numbers of a history", async () => {
  await using repo = await harnessedRepo({
    files: Object.fromEntries([
      ...DONE.map(({ nth, doneBefore }) => file({ state: "done", nth, created: doneBefore + nth })),
      file({ state: "done", nth: 11, created: 172 }),
      file({
        ...{ state: "blocked", nth: 20, created: 60 },
        more: "unblock: {owner: maintainer, action: name the key}\n",
      }),
      file({ state: "backlog", nth: 21, created: 20, more: `depends_on: [${id(20)}]\n` }),
      file({ state: "backlog", nth: 22, created: 2 }),
    ]),
  });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path, { clock: { ...systemClock, now: () => NOW } });
  const repoId = await registered(ports, repo.path);
  for (const { nth, doneBefore } of [...DONE, EARLIER]) {
    const at = NOW - doneBefore * HOUR;
    const of = { repoId, ticket: id(nth), tokens: nth * 100 };
    const engineer = { role: "engineer", disposition: "submitted" } as const;
    // It ends ten minutes for each before the ticket is done, and began a minute earlier.
    await endedJob(ports.db, { ...of, ...engineer, at: at - nth * 10 * MINUTE });
    if (nth % 3 === 0) {
      const asked = { role: "qa", disposition: "changes_requested" } as const;
      await endedJob(ports.db, { ...of, ...asked, at: at - 5 * MINUTE });
    }
    const approved = { role: "qa", disposition: "approved", owed: "done" } as const;
    await endedJob(ports.db, { ...of, ...approved, at });
  }

  const reads = readsOf(ports);
  const day = parsed(throughputRead.shape, await reads.throughput());
  const { tickets_done, ticket_days, lead_time_secs, work_time_secs, rework_rate } = day.summary;
  assert.deepEqual({ tickets_done, ticket_days, lead_time_secs, work_time_secs, rework_rate }, {
    ...{ tickets_done: 10, ticket_days: 1, rework_rate: 0.3 },
    lead_time_secs: { median: 5.5 * 3_600, p90: 9 * 3_600 },
    work_time_secs: { median: 56 * 60, p90: 91 * 60 },
  });
  // Two jobs of each ticket, and one more of each third: 200 × (1 + … + 10) + 100 × (3 + 6 + 9).
  assert.equal(day.summary.tokens_per_accepted_ticket, (11_000 + 1_800) / 10);
  const week = (await reads.throughput({ days: "7" })).summary;
  assert.deepEqual([week.tickets_done, week.ticket_days, week.rework_rate], [11, 7, 0.27]);
  assert.deepEqual(week.lead_time_secs, { median: 6 * 3_600, p90: 10 * 3_600 });

  assert.deepEqual(
    day.summary.longest_waits.map(({ ticket_id, state, zone, secs, why }) => [
      ...[ticket_id, state, zone, secs / 3_600, why],
    ]),
    [
      [id(20), "blocked", "needs_you", 60, "It is blocked until maintainer has acted"],
      [id(21), "backlog", "waiting", 20, "Waits for T-0020 (blocked)"],
      [id(22), "backlog", "waiting", 2, "Can be started: it is handed out next, or soon"],
    ],
  );
});
