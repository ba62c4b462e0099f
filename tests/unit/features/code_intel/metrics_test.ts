/** Evidence as a real database has it, and what is told of it. */
import assert from "node:assert/strict";
import { recordEvidence } from "svc/features/code_intel/evidence_store.ts";
import { codeMetrics, type MeasuredJob, readMetrics } from "svc/features/code_intel/metrics.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const REPO = "0123456789ab";
const OTHER = "ba9876543210";
const NOW = Date.parse("2026-06-01T12:00:00Z");
const DAY_MS = 86_400_000;

const evidence = (job_id: string, more: Partial<MeasuredJob> = {}) => ({
  ...{ job_id, assisted: 1, offered: '["a.ts","b.ts"]', offered_ms: 400, hits: 1 } as const,
  ...{ changed: '["a.ts"]', changed_files: 1, first_edit_turn: 3, reads_before_edit: 2 },
  ...more,
});

const UNASSISTED = { assisted: 0, offered: "[]", offered_ms: null, hits: 0 } as const;

const measured = (many: number, more: Partial<MeasuredJob> = {}): MeasuredJob[] =>
  Array.from({ length: many }, (_, at) => ({
    ...evidence(`${at}`),
    ...{ role: "engineer", turns: 10 + at, tokens: 1000 * (at + 1), success: true, fixture: false },
    ...more,
  }));

Deno.test("codeMetrics gives figures from five samples on, and says how many there were", () => {
  const few = codeMetrics(measured(4));
  assert.equal(few.assisted.jobs, 4);
  assert.deepEqual(few.assisted.tokens, { samples: 4, median: null });
  assert.deepEqual([few.assisted.success, few.offered.precision, few.offered.recall], [
    ...[null, null, null],
  ]);
  assert.deepEqual([few.offered.hits, few.offered.offered, few.offered.changed], [4, 8, 4]);

  const some = codeMetrics(measured(5));
  assert.deepEqual(some.assisted.tokens, { samples: 5, median: 3000 });
  assert.deepEqual(some.assisted.turns_to_first_edit, { samples: 5, median: 3 });
  assert.deepEqual(some.assisted.success, { lower: 56.6, upper: 100 });
  assert.deepEqual([some.offered.precision, some.offered.recall], [0.5, 1]);
  assert.deepEqual(some.offered.ms, { samples: 5, median: 400 });
  assert.equal(some.unassisted.jobs, 0);
});

Deno.test("codeMetrics keeps the sides, the roles and runs of models that play back apart", () => {
  const found = codeMetrics([
    ...measured(6),
    ...measured(5, { ...UNASSISTED, first_edit_turn: 7, success: false }),
    ...measured(2, { role: "qa", changed: "[]", changed_files: 0, hits: 0, first_edit_turn: null }),
    ...measured(1, { success: undefined }),
    ...measured(3, { fixture: true }),
  ]);
  assert.equal(found.fixture, 3);
  assert.deepEqual([found.assisted.jobs, found.unassisted.jobs], [9, 5]);
  assert.deepEqual([found.assisted.judged, found.assisted.successes], [8, 8]);
  assert.deepEqual(found.unassisted.success, { lower: 0, upper: 43.4 });
  assert.equal(found.unassisted.turns_to_first_edit.median, 7);
  // Who changed nothing says nothing of what was offered, nor of a first edit.
  assert.equal(found.offered.jobs, 7);
  assert.equal(found.assisted.turns_to_first_edit.samples, 7);
  assert.deepEqual(found.roles.map(({ role, assisted }) => [role, assisted.jobs]), [
    ["engineer", 7],
    ["qa", 2],
  ]);
  assert.deepEqual(codeMetrics([]).roles, []);
});

Deno.test("readMetrics counts the window's jobs of one repo, judged as scores judge them", async () => {
  await using store = await tempStore();
  const { db } = store;
  for (const days of [1, 2, 40]) {
    const on = { repoId: REPO, ticket: `T-000${days}` } as const;
    const at = NOW - days * DAY_MS;
    const id = await endedJob(db, { ...on, role: "engineer", disposition: "submitted", at });
    await recordEvidence(db, evidence(id));
    const judge = { ...on, role: "qa", at: at + 1000 } as const;
    await endedJob(
      db,
      days === 1
        ? { ...judge, disposition: "approved", owed: "done" }
        : { ...judge, disposition: "changes_requested" },
    );
  }
  const elsewhere = await endedJob(db, {
    ...{ repoId: OTHER, role: "engineer", disposition: "submitted", at: NOW - DAY_MS },
  });
  await recordEvidence(db, evidence(elsewhere));
  const played = await endedJob(db, {
    ...{ repoId: REPO, role: "engineer", disposition: "stuck", at: NOW - DAY_MS },
    evidence: "fixture",
  });
  await recordEvidence(db, evidence(played, UNASSISTED));
  const of = async (days: number) => {
    const { assisted, fixture } = await readMetrics(db, { repoId: REPO, now: NOW, days });
    return [assisted.jobs, assisted.judged, assisted.successes, fixture];
  };
  assert.deepEqual(await of(1), [1, 1, 1, 1]);
  assert.deepEqual(await of(30), [2, 2, 1, 1]);
  assert.deepEqual(await of(365), [3, 3, 1, 1]);
});

Deno.test("evidence is kept once for a job that is there, and makes sense", async () => {
  await using store = await tempStore();
  const { db } = store;
  const id = await endedJob(db, {
    ...{ repoId: REPO, role: "engineer", disposition: "submitted", at: NOW },
  });
  await recordEvidence(db, evidence(id));
  await recordEvidence(db, evidence(id, { hits: 0 }));
  const rows = await db.selectFrom("code_evidence").selectAll().execute();
  assert.deepEqual(rows.map(({ hits }) => hits), [1]);
  const other = await endedJob(db, {
    ...{ repoId: REPO, role: "qa", disposition: "approved", at: NOW },
  });
  const bad: Partial<MeasuredJob>[] = [
    ...[{ hits: 2 }, { changed: "{}" }, { offered: "a.ts" }, { assisted: 0 }, { offered_ms: null }],
    ...[{ first_edit_turn: 0 }, { reads_before_edit: -1 }, { changed_files: 0 }],
  ] as Partial<MeasuredJob>[];
  for (const one of bad) {
    await assert.rejects(recordEvidence(db, evidence(other, one)), /CHECK/i, JSON.stringify(one));
  }
  await assert.rejects(recordEvidence(db, evidence("none")), /FOREIGN KEY/i);
});
