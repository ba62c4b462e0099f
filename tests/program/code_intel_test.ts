/** `svc run --code-intel` and `svc code-intel metrics`: the real program, a scripted model, stored evidence. */
import assert from "node:assert/strict";
import { recordEvidence } from "svc/features/code_intel/evidence_store.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { openStore } from "svc/store/open.ts";
import { endedJob } from "tests/kit/outcomes.ts";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";
import { verifies } from "tests/kit/verifies.ts";

const DAY_MS = 86_400_000;

/** Jobs of a live model that were judged, so long ago. */
async function seed(database: string, days: number, many: number): Promise<void> {
  await using store = await openStore({ files: denoFiles(), clock: systemClock }, database);
  const { db } = store;
  const { repo_id: repoId } = await db.selectFrom("jobs").select("repo_id")
    .executeTakeFirstOrThrow();
  for (let at = 0; at < many; at++) {
    const on = { repoId, ticket: `T-${days}${at}`, at: Date.now() - days * DAY_MS + at } as const;
    const job_id = await endedJob(db, { ...on, role: "engineer", disposition: "submitted" });
    await endedJob(db, { ...on, role: "qa", disposition: "approved", owed: "done", at: on.at + 1 });
    await recordEvidence(db, {
      ...{ job_id, assisted: 1, offered: '["a.ts","b.ts"]', offered_ms: 300 + at },
      ...{ changed: '["a.ts"]', changed_files: 1, hits: 1 },
      ...{ first_edit_turn: 2 + at, reads_before_edit: at },
    });
  }
}

verifies(
  [
    "4.5:run:code-intel",
    "4.5:code-intel-metrics:summarizes-evidence",
    "4.5:code-intel-metrics:repo-and-db",
    "4.5:code-intel-metrics:window-days",
    "4.5:code-intel-metrics:json",
  ],
  "svc run --code-intel tells the model where to look, and svc code-intel metrics tells what came of it",
  async () => {
    await using site = await runSite({ scenario: { roles: { engineer: FIX } } });
    await site.svc("tickets", "new", "--title", "Mend add.sh, which subtracts");
    const db = `${site.home}/other.db`;
    const ran = await site.run("engineer", ...HOST, "--code-intel", "--db", db, "--json");
    assert.equal(ran.code, 0, ran.stderr);
    const first = site.model.requests[0]!.request.messages[1]!.content;
    assert.match(first, /# Where to look first[^]*^ {2}add\.sh \(named in the task/m);
    const last = site.model.requests.at(-1)!.request.messages[1]!.content;
    assert.equal(last, first);

    const metrics = async (...args: string[]) => {
      const { code, stdout, stderr } = await site.svc("code-intel", "metrics", "--json", ...args);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    };
    const at = ["--repo", site.repo.path, "--db", db];
    // The job is there, and is no evidence: its model played back.
    const played = await metrics(...at);
    assert.deepEqual([played.fixture, played.assisted.jobs, played.repo], [1, 0, site.repo.path]);
    const own = await metrics("--repo", site.repo.path);
    assert.deepEqual([own.database, own.fixture], [null, 0]);

    await seed(db, 1, 5);
    await seed(db, 20, 1);
    const month = await metrics(...at);
    assert.equal(month.assisted.jobs, 6);
    assert.deepEqual(month.assisted.success, { lower: 61, upper: 100 });
    const week = await metrics(...at, "--window-days", "7");
    assert.deepEqual([week.window_days, week.assisted.jobs, week.unassisted.jobs], [7, 5, 0]);
    assert.deepEqual(week.assisted.turns_to_first_edit, { samples: 5, median: 4 });
    assert.deepEqual([week.offered.precision, week.offered.recall], [0.5, 1]);
    const page = await site.svc("code-intel", "metrics", ...at);
    assert.match(page.stdout, /^success, 95 % interval +61–100 % \(6 of 6\) +insufficient data/m);
    assert.match(page.stdout, /^precision: +50 % \(6 of 12 offered were changed\)$/m);
    assert.match(page.stdout, /^Left out: 1 by a scripted model, which is not evidence$/m);
    assert.match(page.stdout, /Jobs were not assigned at random/);
  },
);
