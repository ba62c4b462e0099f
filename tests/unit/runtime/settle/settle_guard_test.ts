/** What was approved is looked at once more before it leaves its branch. */
import assert from "node:assert/strict";
import { openStore } from "svc/store/open.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { recordCommits } from "svc/features/jobs/commit_store.ts";
import { apiFixture } from "tests/unit/features/access/api_fixture.ts";
import {
  BRANCH,
  landOnce,
  type MergePlace,
  mergePlace,
  OF_A_JOB,
} from "tests/unit/runtime/merge_place.ts";

const SECRET = ["ghp", "_", "u8Xq2Lr5Vt9Zb3Nc6Md1Kf4Hs7Jp0GwEyTaB"].join("");

/** Adds a commit to the approved branch, and has it approved. */
async function approve(place: MergePlace, message: string, files: Record<string, string>) {
  await place.repo.git("switch", "--quiet", BRANCH);
  place.commit = (await place.repo.commit(message, files)).trim();
  await place.repo.git("switch", "--quiet", "main");
  await using store = await openStore(
    { files: denoFiles(), clock: systemClock },
    `${place.base}/svc.db`,
  );
  await store.db.updateTable("settlements").set({ merge_commit: place.commit }).execute();
}

const BAD = {
  "a secret": [`feat: key\n\n${OF_A_JOB}`, { "key.txt": `token = "${SECRET}"\n` }, /key\.txt:1: /],
  "the manifest": [
    `feat: rules\n\n${OF_A_JOB}`,
    { ".harness/manifest.yaml": "version: 1\n" },
    /protected files: .*manifest\.yaml/,
  ],
  "a commit of nobody": ["sneaky", { "a.txt": "1\n" }, /"sneaky" by Ada\. .*Svc-Role: person/],
} as const;

for (const merge of ["local", "pull_request"] as const) {
  Deno.test(`${merge}: what must not go on stays, and a person is told why`, async () => {
    for (const [what, [message, files, why]] of Object.entries(BAD)) {
      await using place = await mergePlace({ merge });
      await using api = apiFixture(place.tip);
      await approve(place, message, files);
      assert.equal((await place.round(api.api)).done, 1, what);
      const { ticket, text } = await place.state();
      assert.equal(ticket, "blocked", what);
      assert.match(text, why);
      assert.ok(!text.includes(SECRET));
      assert.equal(await place.tip(BRANCH), "", "it was pushed");
      assert.equal(api.posts().length, 0);
      const main = await place.repo.git("ls-tree", "-r", "--name-only", "main");
      assert.ok(!/fixed|key|a\.txt/.test(main), "it was merged");
    }
  });

  Deno.test(`${merge}: the work of a ticket that a person took back, or away, stays where it is`, async () => {
    const ways = [["mv", "docs/tickets/backlog/"], ["rm"]] as const;
    for (const [verb, ...to] of ways) {
      await using place = await mergePlace({ merge });
      await using api = apiFixture(place.tip);
      const { repo } = place;
      await Deno.mkdir(`${repo.path}/docs/tickets/backlog`, { recursive: true });
      const [file] = (await repo.git("ls-files", "docs/tickets/review/T-*")).trim().split("\n");
      await repo.git(verb, "-f", file!, ...to);
      await repo.commit("taken back");
      assert.equal((await place.round(api.api)).done, 1);
      await using store = await openStore(
        { files: denoFiles(), clock: systemClock },
        `${place.base}/svc.db`,
      );
      const settled = await store.db.selectFrom("settlements").selectAll().execute();
      assert.deepEqual(settled.map(({ state }) => state), ["superseded"]);
      assert.equal(await place.tip(BRANCH), "");
      assert.ok(!(await repo.git("ls-tree", "-r", "--name-only", "main")).includes("fixed"));
    }
  });
}

Deno.test("a CI file goes in where svc stored that a role that may made its commit, whatever the commit says", async () => {
  const ci = { ".github/workflows/ci.yml": "on: push\n" };
  const ends = [["gardener", "done"], ["engineer", "blocked"], [undefined, "blocked"]] as const;
  for (const [stored, end] of ends) {
    await using place = await mergePlace({ merge: "local" });
    await using api = apiFixture(place.tip);
    const manifest = await place.repo.read(".harness/manifest.yaml");
    const allowed = manifest.replace(/^guardrails:\n/m, "$&  allow_ci_roles: [gardener]\n");
    await place.repo.commit("chore: rules", { ".harness/manifest.yaml": allowed });
    await approve(place, "ci: x\n\nSvc-Role: gardener\nSvc-Job: earlier", ci);
    if (stored !== undefined) {
      await using store = await openStore(
        { files: denoFiles(), clock: systemClock },
        `${place.base}/svc.db`,
      );
      const { repo_id } = await store.db.selectFrom("settlements").select("repo_id")
        .executeTakeFirstOrThrow();
      const of = { repo_id, branch: BRANCH, job_id: "earlier", role: stored, at: 1 };
      await recordCommits(store.db, { ...of, commits: [place.commit] });
    }
    await place.round(api.api);
    // The merge comes to other files than were approved, and waits for its checks.
    await landOnce(place);
    assert.equal((await place.state()).ticket, end, stored);
  }
});

Deno.test("another branch that is checked out says nothing of the ticket: the work goes in, the move waits", async () => {
  await using place = await mergePlace({ merge: "local" });
  await using api = apiFixture(place.tip);
  const [first] = (await place.repo.git("rev-list", "--max-parents=0", "main")).trim().split("\n");
  await place.repo.git("switch", "--quiet", "-c", "mine", first!);
  const { waiting } = await place.round(api.api);
  assert.equal(waiting.length, 1);
  assert.match(await place.repo.git("ls-tree", "--name-only", "main"), /^fixed\.txt$/m);
  await place.repo.git("switch", "--quiet", "main");
  assert.equal((await place.round(api.api)).done, 1);
  assert.equal((await place.state()).ticket, "done");
});

Deno.test("manual: work waits for a person, who may squash it", async () => {
  await using place = await mergePlace({ merge: "manual" });
  await using api = apiFixture(place.tip);
  const { waiting: [waits] } = await place.round(api.api);
  assert.equal(waits?.why, `a person to merge ${BRANCH} into main (manual)`);
  assert.equal(await place.tip(BRANCH), "", "it was pushed");
  await place.repo.git("merge", "--quiet", "--squash", BRANCH);
  await place.repo.commit("feat: squashed");
  assert.equal((await place.round(api.api)).done, 1);
  assert.equal((await place.state()).ticket, "done");
});

Deno.test("local: a branch that a person deleted goes in as it was approved", async () => {
  await using place = await mergePlace({ merge: "local" });
  await using api = apiFixture(place.tip);
  await place.repo.git("branch", "-D", BRANCH);
  assert.equal((await place.round(api.api)).done, 1);
  assert.equal((await place.state()).ticket, "done");
  assert.match(await place.repo.git("ls-tree", "--name-only", "main"), /^fixed\.txt$/m);
});
