import assert from "node:assert/strict";
import {
  nextTriggers,
  schedulesOf,
  type TickState,
  tickState,
} from "svc/runtime/service/trigger_times.ts";
import { viewOf } from "tests/unit/runtime/trigger_kit.ts";

const at = (time: string) => Date.parse(time);
const NOW = at("2026-11-21T10:00Z");

const cron = (schedule: string, zone = "UTC") =>
  `{ prompt: p.md, triggers: [{ on: cron, schedule: "${schedule}", time_zone: ${zone} }] }`;

Deno.test("schedulesOf names the role and key of a schedule that is wrong, and keeps the others", () => {
  const view = viewOf(`
ceo: ${cron("61 * * * *")}
qa: { prompt: p.md, triggers: [{ on: manual }, { on: cron, schedule: "0 6 * * *", time_zone: Moon }] }
gardener: ${cron("0 5 * * 3")}`);
  const { schedules, problems } = schedulesOf(view, NOW);
  assert.deepEqual(schedules.map(({ role, name }) => [role, name]), [[
    "gardener",
    "0 5 * * 3 UTC",
  ]]);
  assert.equal(problems.length, 2);
  assert.match(problems[0]!, /^roles\.ceo\.triggers\[0\]\.schedule: "61 \* \* \* \*": .*61/);
  assert.match(problems[1]!, /^roles\.qa\.triggers\[1\]\.schedule: .*time_zone "Moon" is unknown/);
});

Deno.test("schedulesOf counts what is written twice once, and no more than a person would plan", () => {
  const triggers = Array.from(
    { length: 60 },
    (_, minute) => `{ on: cron, schedule: "${Math.max(1, minute)} 6 * * *" }`,
  );
  const view = viewOf(`ceo: { prompt: p.md, triggers: [${triggers.join(", ")}] }`);
  const { schedules, problems } = schedulesOf(view, NOW);
  assert.equal(schedules.length, 49);
  assert.deepEqual(problems, [
    "roles.ceo.triggers[50]: schedules beyond the first 50 do not count",
  ]);
});

const DAILY = { schedule: "0 6 * * *", timeZone: "UTC" };
const WEEKLY = { schedule: "0 6 * * 1", timeZone: "UTC" }; // Monday, 16 November
const MINUTELY = { schedule: "* * * * *", timeZone: "UTC" };

const STANDINGS: [string, typeof DAILY, string | undefined, string, TickState][] = [
  ["never seen", DAILY, undefined, "2026-11-21T10:00Z", { kind: "new" }],
  ["before its time", DAILY, "2026-11-21T06:00Z", "2026-11-21T10:00Z", {
    kind: "waits",
    next: at("2026-11-22T06:00Z"),
  }],
  ["at its time", DAILY, "2026-11-20T06:00Z", "2026-11-21T06:00Z", {
    ...{ kind: "due", tick: at("2026-11-21T06:00Z"), missed: false },
  }],
  ["a minute late", DAILY, "2026-11-20T06:00Z", "2026-11-21T06:01Z", {
    ...{ kind: "due", tick: at("2026-11-21T06:00Z"), missed: false },
  }],
  ["missed within a day: made up for", DAILY, "2026-11-20T06:00Z", "2026-11-21T10:00Z", {
    ...{ kind: "due", tick: at("2026-11-21T06:00Z"), missed: true },
  }],
  ["many missed: one", MINUTELY, "2026-11-18T06:00Z", "2026-11-21T10:00:30Z", {
    ...{ kind: "due", tick: at("2026-11-21T10:00Z"), missed: false },
  }],
  [
    "a whole week missed: only the last day's counts",
    DAILY,
    "2026-11-10T06:00Z",
    "2026-11-21T05:00Z",
    {
      ...{ kind: "due", tick: at("2026-11-20T06:00Z"), missed: true },
    },
  ],
  ["missed for more than a day: passed over", WEEKLY, "2026-11-09T06:00Z", "2026-11-17T06:01Z", {
    kind: "passed_over",
    tick: at("2026-11-16T06:00Z"),
  }],
  ["a clock that went back an hour", DAILY, "2026-11-21T06:00Z", "2026-11-21T05:10Z", {
    kind: "waits",
    next: at("2026-11-22T06:00Z"),
  }],
  ["a clock that was days ahead", DAILY, "2026-12-24T06:00Z", "2026-11-21T05:10Z", {
    kind: "ahead",
  }],
];

for (const [what, time, countedTo, now, wanted] of STANDINGS) {
  Deno.test(`tickState a schedule: ${what}`, () => {
    assert.deepEqual(
      tickState(time, countedTo === undefined ? undefined : at(countedTo), at(now)),
      wanted,
    );
  });
}

Deno.test("nextTriggers shows times first, soonest first, then what no clock brings", () => {
  const view = viewOf(`
ceo:
  prompt: p.md
  triggers: [{ on: bootstrap }, { on: cron, schedule: "0 6 * * 1", time_zone: UTC }]
  routes: { planned: { next: qa } }
qa: ${cron("0 5 * * *", "Europe/Berlin")}
docs:
  prompt: p.md
  triggers: [{ on: scan_complete }, { on: ticket, state: done }, { on: webhook, event: push }, { on: manual }]`);
  assert.deepEqual(
    nextTriggers([view], NOW).map(({ role, at, why }) => [
      role,
      at === undefined ? "-" : new Date(at).toISOString().slice(0, 16),
      why,
    ]),
    [
      ["qa", "2026-11-22T04:00", 'cron "0 5 * * *" (Europe/Berlin)'],
      ["ceo", "2026-11-23T06:00", 'cron "0 6 * * 1" (UTC)'],
      ["ceo", "-", "start with nothing to resume"],
      ["qa", "-", "ceo ends with planned"],
      ["docs", "-", "a scan that is complete"],
      ["docs", "-", "a ticket that comes into done"],
      ["docs", "-", "webhook push"],
      ["docs", "-", "svc run docs"],
    ],
  );
});
