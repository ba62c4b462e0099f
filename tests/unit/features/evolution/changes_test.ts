import assert from "node:assert/strict";
import {
  harnessEvolution,
  laneEvolution,
  scoreEvolution,
  toolEvolution,
  trustEvolution,
} from "svc/features/evolution/changes.ts";
import type { ScoreUpdate } from "svc/features/scores/score_events.ts";

const REPO = "0123456789ab";

Deno.test("trustEvolution tells a person's decision from a demotion", () => {
  const row = { id: 1, at: 5, who: "ada", repo_id: REPO, role: "qa", reason: "why" } as const;
  const levels = { from_level: "contributor", to_level: "observer" } as const;
  const [set, taken] = trustEvolution([
    { ...row, ...levels, automatic: 0 },
    { ...row, ...levels, automatic: 1 },
  ]);
  assert.deepEqual([set!.who, set!.what], ["ada", "qa was set from contributor to observer"]);
  assert.deepEqual([taken!.who, taken!.what], ["svc", "qa was taken from contributor to observer"]);
});

Deno.test("toolEvolution names who approved, and the hash as evidence", () => {
  const row = { repo_id: REPO, name: "lint_all", sha256: "a".repeat(64), approved_at: 7 };
  const [tool, own] = toolEvolution([
    { ...row, approved_by: "person" },
    { ...row, approved_by: "agent:engineer" },
  ]);
  assert.deepEqual([tool!.role, tool!.who, tool!.evidence], [
    null,
    "person",
    "sha256 aaaaaaaaaaaa",
  ]);
  assert.equal(own!.role, "engineer");
});

Deno.test("laneEvolution takes lanes of roles alone", () => {
  const lane = { reason: "3 failed", category: null, paused_at: 9, until: null };
  const changes = laneEvolution([
    { kind: "role", key: `${REPO}/engineer`, ...lane },
    { kind: "model", key: "ollama/x", ...lane },
  ]);
  assert.deepEqual(changes.map(({ repoId, role, at }) => [repoId, role, at]), [[
    REPO,
    "engineer",
    9,
  ]]);
});

Deno.test("harnessEvolution shows commits", () => {
  const commit = { id: "c".repeat(40), author: "Ada", authored_at: 3, subject: "chore: limits" };
  assert.deepEqual(harnessEvolution(REPO, [commit]), [{
    ...{ at: 3, kind: "harness", repoId: REPO, role: null, who: "Ada", reason: null },
    ...{ what: "The harness was changed: chore: limits", evidence: commit.id },
  }]);
});

Deno.test("scoreEvolution tells moves that are more than noise, each from what was told last", () => {
  const seen = (score: number | null, at: number, role = "qa"): ScoreUpdate => ({
    ...{ at, repo_id: REPO, job_id: `j${at}`, role, score, samples: 9 },
  });
  const moves = scoreEvolution([
    ...[seen(null, 1), seen(50, 2), seen(53, 3), seen(56, 4), seen(20, 5, "ceo"), seen(51, 6)],
  ]);
  assert.deepEqual(moves.map(({ what, evidence }) => `${what} ${evidence}`), [
    "qa has a score: 50 j2",
    "qa went from 50 to 56 j4",
    "ceo has a score: 20 j5",
    "qa went from 56 to 51 j6",
  ]);
});
