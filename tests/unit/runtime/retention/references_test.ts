/** After any run of retention each reference that is left leads to a row, or to a note of what it was. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { policyOf } from "svc/features/retention/policy.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { sql } from "svc/store/query.ts";
import { DAY, oldPlace } from "./old_place.ts";

/** From where, and to which table or kind of note. */
const REFERENCES = [
  ["SELECT caused_by AS id FROM jobs WHERE caused_by IS NOT NULL", "decisions", "decision"],
  ["SELECT job_id AS id FROM decisions", "jobs", "job"],
  ["SELECT next_job AS id FROM decisions WHERE next_job IS NOT NULL", "jobs", "job"],
  ["SELECT job_id AS id FROM settlements WHERE job_id IS NOT NULL", "jobs", "job"],
  [
    "SELECT decision_id AS id FROM settlements WHERE decision_id IS NOT NULL",
    "decisions",
    "decision",
  ],
] as const;

const history = fc.array(
  fc.record({
    days: fc.integer({ min: 0, max: 600 }),
    ticket: fc.constantFrom("open", "done", undefined),
    owed: fc.constantFrom("done", "pending", undefined),
    next: fc.boolean(),
    caused: fc.boolean(),
  }),
  { minLength: 8, maxLength: 20 },
);

Deno.test("every reference that remains resolves, whatever went", async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.integer({ min: 60, max: 500 }), async (jobs, days) => {
      await using place = await oldPlace();
      const { db } = place.ports;
      const tickets = { open: await place.ticket(), done: await place.ticket("done") };
      let last: string | undefined;
      for (const { days, ticket, owed, next, caused } of jobs) {
        const id = await place.job(days, {
          ...(ticket && { ticket: tickets[ticket] }),
          ...(owed && { owed }),
          ...(next && { next: { role: "qa", began: false } }),
        });
        const decision = await db.selectFrom("decisions").select("id").where("job_id", "=", id)
          .executeTakeFirstOrThrow();
        if (caused && last !== undefined) {
          await db.updateTable("jobs").set({ caused_by: last }).where("id", "=", id).execute();
        }
        last = decision.id;
      }
      const policy = { ...policyOf(Config.parse({})), recordsLeft: 1, recordsMs: days * DAY };
      await place.retain({ policy });
      for (const [from, to, what] of REFERENCES) {
        const { rows } = await sql.raw(
          `SELECT id FROM (${from}) WHERE id NOT IN (SELECT id FROM ${to})
           AND id NOT IN (SELECT id FROM removals WHERE what = '${what}')`,
        ).execute(db);
        assert.deepEqual(rows, [], `${from}: leads to nothing`);
      }
      const traced = await db.selectFrom("jobs").select(["id", "trace_path"])
        .where("trace_path", "is not", null).execute();
      const noted = new Set(
        (await db.selectFrom("removals").select("id").where("what", "=", "files").execute())
          .map(({ id }) => id),
      );
      for (const { id, trace_path } of traced) {
        const there = await place.ports.files.stat(trace_path!) !== undefined;
        assert.equal(there, !noted.has(id), `the trace of ${id}`);
      }
    }),
    { numRuns: 2 },
  );
});
