import assert from "node:assert/strict";
import { pendingWhy } from "svc/runtime/views/pending_wait.ts";
import { job, repo, service } from "./facts.ts";

const needs = JSON.stringify(["tag:gpu", "model:qwen3"]);

Deno.test("a job that no node of the team can run says what is missing", () => {
  const waits = job({ needs });
  const why = (abilities: string[][]) => pendingWhy(waits, service({ abilities }), repo());
  assert.equal(
    why([["tag:gpu"], ["model:qwen3"]]),
    "Waits for a node with tag:gpu and model:qwen3: none of 2 nodes has that",
  );
  assert.equal(why([[], ["model:qwen3", "tag:gpu"]]), "About to be claimed");
  assert.equal(why([]), "About to be claimed", "on a file any svc may");
});

Deno.test("a job that a limit holds back says which", () => {
  const waits = job({ role: "qa" });
  const why = (...reached: Parameters<typeof service>[0][]) =>
    pendingWhy(waits, service(Object.assign({}, ...reached)), repo());
  const of = (scope: "repo" | "role" | "team", key: string, most = 1) => ({
    reached: [{ scope, key, most }],
  });
  assert.equal(
    why(of("team", "", 3)),
    "Waits for room: at most 3 jobs may run at a time; svc jobs limit",
  );
  assert.match(why(of("role", "qa")), /at most 1 job of this role/);
  assert.match(why(of("repo", waits.repo_id, 0)), /at most 0 jobs of this repo/);
  assert.equal(why(of("role", "engineer")), "About to be claimed");
});
