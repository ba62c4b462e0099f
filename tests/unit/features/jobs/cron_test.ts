import assert from "node:assert/strict";
import fc from "fast-check";
import { cronFault, type CronTime, lastTick, nextTick } from "svc/features/jobs/cron.ts";

const at = (time: string) => Date.parse(time);
const iso = (ms: number | undefined) =>
  ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 16);

function ticks(time: CronTime, after: string, count: number): (string | undefined)[] {
  const found: (string | undefined)[] = [];
  let from: number | undefined = at(after);
  for (let left = count; left > 0 && from !== undefined; left--) {
    from = nextTick(time, from);
    found.push(iso(from));
  }
  return found;
}

/** Clocks go forward on 29 March 2026 at 01:00 UTC and back on 25 October 2026 at 01:00 UTC. */
const BERLIN: [string, string, string, (string | undefined)[]][] = [
  ["a time that is skipped comes at the end of the gap", "30 2 * * *", "2026-03-28T00:00Z", [
    ...["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"],
  ]],
  ["the end of the gap itself comes once", "0 3 * * *", "2026-03-28T12:00Z", [
    ...["2026-03-29T01:00", "2026-03-30T01:00"],
  ]],
  ["each half hour that there is", "*/30 * * * *", "2026-03-29T00:15Z", [
    ...["2026-03-29T00:30", "2026-03-29T01:00", "2026-03-29T01:30"],
  ]],
  ["six o'clock stays six o'clock in spring", "0 6 * * 1", "2026-03-22T00:00Z", [
    ...["2026-03-23T05:00", "2026-03-30T04:00"],
  ]],
  ["a time that is repeated comes once", "30 2 * * *", "2026-10-24T12:00Z", [
    ...["2026-10-25T00:30", "2026-10-26T01:30"],
  ]],
  ["each half hour of both hours", "*/30 * * * *", "2026-10-25T00:15Z", [
    ...["2026-10-25T00:30", "2026-10-25T01:00", "2026-10-25T01:30", "2026-10-25T02:00"],
  ]],
  ["six o'clock stays six o'clock in autumn", "0 6 * * *", "2026-10-24T00:00Z", [
    ...["2026-10-24T04:00", "2026-10-25T05:00"],
  ]],
];

/** Forward on 8 March 2026 at 07:00 UTC, back on 1 November 2026 at 06:00 UTC. */
const NEW_YORK: typeof BERLIN = [
  ["a time that is skipped comes at the end of the gap", "30 2 * * *", "2026-03-07T00:00Z", [
    ...["2026-03-07T07:30", "2026-03-08T07:00", "2026-03-09T06:30"],
  ]],
  ["the hour before the gap is as ever", "30 1 * * *", "2026-03-08T00:00Z", [
    ...["2026-03-08T06:30", "2026-03-09T05:30"],
  ]],
  ["a time that is repeated comes once", "30 1 * * *", "2026-10-31T00:00Z", [
    ...["2026-10-31T05:30", "2026-11-01T05:30", "2026-11-02T06:30"],
  ]],
  ["each hour, the repeated one too", "0 * * * *", "2026-11-01T04:00Z", [
    ...["2026-11-01T05:00", "2026-11-01T06:00", "2026-11-01T07:00", "2026-11-01T08:00"],
  ]],
  ["the hour after the change comes once", "0 2 * * *", "2026-10-31T12:00Z", [
    ...["2026-11-01T07:00", "2026-11-02T07:00"],
  ]],
];

for (
  const [timeZone, table] of [["Europe/Berlin", BERLIN], ["America/New_York", NEW_YORK]] as const
) {
  for (const [what, schedule, after, wanted] of table) {
    Deno.test(`nextTick in ${timeZone}, "${schedule}": ${what}`, () => {
      assert.deepEqual(ticks({ schedule, timeZone }, after, wanted.length), wanted);
    });
  }
}

Deno.test("nextTick takes the machine's time zone where none is named", () => {
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const after = at("2026-11-21T00:00Z");
  const named = nextTick({ schedule: "0 6 * * *", timeZone: here }, after);
  assert.equal(nextTick({ schedule: "0 6 * * *", timeZone: undefined }, after), named);
});

Deno.test("nextTick knows nicknames, and is undefined for a day that never comes", () => {
  const daily = nextTick({ schedule: "@daily", timeZone: "UTC" }, at("2026-11-21T10:00Z"));
  assert.equal(iso(daily), "2026-11-22T00:00");
  assert.equal(nextTick({ schedule: "0 0 30 2 *", timeZone: "UTC" }, 0), undefined);
});

Deno.test("lastTick is the last of all ticks that nextTick gives", () => {
  const schedules = ["* * * * *", "*/7 * * * *", "30 2 * * *", "0 */5 * * 1-5", "15 1,2,3 * * *"];
  const zones = ["Europe/Berlin", "America/New_York", "UTC", "Australia/Lord_Howe"];
  const around = [
    "2026-03-08T00:00Z",
    "2026-03-29T00:00Z",
    "2026-10-25T00:00Z",
    "2026-11-01T00:00Z",
  ];
  const minutes = fc.integer({ min: 0, max: 600 });
  fc.assert(
    fc.property(
      fc.constantFrom(...schedules),
      fc.constantFrom(...zones),
      fc.constantFrom(...around),
      minutes,
      minutes,
      (schedule, timeZone, day, start, length) => {
        const time = { schedule, timeZone };
        const after = at(day) + start * 60_000 + 17;
        const until = after + length * 60_000;
        let wanted: number | undefined;
        for (let tick = nextTick(time, after); tick !== undefined && tick <= until;) {
          wanted = tick;
          tick = nextTick(time, tick);
        }
        assert.equal(lastTick(time, { after, until }), wanted);
      },
    ),
    { numRuns: 60 },
  );
});

const FAULTS: [string, string | undefined, RegExp | undefined][] = [
  ["0 6 * * 1", undefined, undefined],
  ["0 6 * * 1", "Europe/Berlin", undefined],
  ["@weekly", undefined, undefined],
  ["61 * * * *", undefined, /minute: 61/],
  ["* * * * * *", undefined, /five fields/],
  ["every day", undefined, /five fields/],
  ["", undefined, /five fields/],
  ["2026-01-01T00:00:00", undefined, /five fields/],
  ["@reboot", undefined, /@reboot/],
  ["0 0 30 2 *", undefined, /no day fits/],
  ["0 6 * * *", "Mars/Base", /time_zone "Mars\/Base" is unknown/],
  [`${"0,".repeat(60)}0 * * * *`, undefined, /longer than 100/],
  ["a b c d e", undefined, /./],
];

for (const [schedule, timeZone, wanted] of FAULTS) {
  Deno.test(`cronFault judges "${schedule.slice(0, 30)}" ${timeZone ?? ""}`, () => {
    const fault = cronFault({ schedule, timeZone }, at("2026-11-21T00:00Z"));
    if (wanted === undefined) assert.equal(fault, undefined);
    else assert.match(fault ?? "", wanted);
  });
}

Deno.test("a machine whose time zone has no name keeps its schedules, by its own clock", async () => {
  const code = `import { cronFault, machineZone, nextTick } from "svc/features/jobs/cron.ts";
    const time = { schedule: "0 6 * * 1", timeZone: undefined };
    const after = Date.parse("2026-11-28T12:00Z");
    console.log(machineZone(), cronFault(time, after), new Date(nextTick(time, after)).toISOString());`;
  const cases = [
    ["", "undefined undefined 2026-11-30T06:00:00.000Z"],
    ["UTC-14", "undefined undefined 2026-11-29T16:00:00.000Z"],
    ["Europe/Berlin", "Europe/Berlin undefined 2026-11-30T05:00:00.000Z"],
    [":/usr/share/zoneinfo/Europe/Berlin", "undefined undefined 2026-11-30T05:00:00.000Z"],
  ] as const;
  for (const [TZ, wanted] of cases) {
    const told = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--config", "deno.json", code],
      env: { TZ, NO_COLOR: "1" },
    }).output();
    assert.equal(new TextDecoder().decode(told.stdout).trim(), wanted, `TZ=${TZ}`);
  }
});
