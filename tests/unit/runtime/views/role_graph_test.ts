import assert from "node:assert/strict";
import { readManifest } from "svc/features/harness/manifest.ts";
import type { RouteCount } from "svc/features/routing/decision_store.ts";
import type { TrustRecord } from "svc/features/trust/trust_table.ts";
import type { RoleFacts } from "svc/runtime/views/board_facts.ts";
import { roleNodes, routeEdges } from "svc/runtime/views/role_graph.ts";
import { repoBoard } from "svc/runtime/views/repo_boards.ts";
import { HOUR, job, MANIFEST, NOW, repo, REPO_ID, service, settlement } from "./facts.ts";

const NOTHING: RoleFacts = { trust: [], routes: [], scores: new Map() };
const node = (role: string, facts = repo(), more = service(), roles = NOTHING) =>
  roleNodes(facts.files.manifest!, more, facts, roles).find((one) => one.role === role)!;

Deno.test("roleNodes tells a role that runs from one that waits, is held back, or rests", () => {
  const running = job({ status: "running" });
  const waiting = job({ lane: "local/tiny" });
  const lane = { category: null, reason: "no key", paused_at: NOW, until: null };
  const role = { ...lane, kind: "role", key: `${REPO_ID}/engineer` } as const;
  const model = { ...lane, kind: "model", key: "local/tiny" } as const;
  assert.equal(node("engineer").state, "idle");
  assert.equal(node("engineer", repo({ live: [waiting] })).state, "queued");
  assert.equal(node("engineer", repo({ live: [waiting, running] })).state, "running");
  assert.equal(
    node("engineer", repo({ live: [waiting] }), service({ lanes: [model] })).state,
    "paused",
  );
  assert.equal(node("engineer", repo(), service({ lanes: [role] })).state, "paused");
  assert.equal(node("qa", repo({ live: [running] }), service({ lanes: [role] })).state, "idle");
  const both = node("engineer", repo({ live: [waiting, running] }));
  assert.equal(both.job_id, running.id);
});

Deno.test("roleNodes caps trust by the profile, and takes an override above the manifest", () => {
  const observer = service({ profile: "observer" });
  assert.equal(node("engineer").trust, "contributor");
  assert.equal(node("engineer", repo(), observer).trust, "observer");
  const record: TrustRecord = {
    ...{ repo_id: REPO_ID, role: "qa", reason: "good", set_by: "ada", set_at: NOW, automatic: 0 },
    level: "contributor",
  };
  assert.equal(node("qa").trust, "observer");
  assert.equal(node("qa", repo(), service(), { ...NOTHING, trust: [record] }).trust, "contributor");
});

Deno.test("roleNodes names what comes next: a job that waits, a time, or another role", () => {
  const manifest = readManifest(`version: 1
project: { name: shop }
roles:
  ceo:
    prompt: p.md
    triggers: [{ on: manual }, { on: cron, schedule: "0 6 * * *", time_zone: UTC }]
    routes: { planned: { next: engineer } }
  engineer: { prompt: p.md, triggers: [{ on: manual }] }
  qa: { prompt: p.md }
`);
  const facts = repo({ manifest });
  assert.equal(node("ceo", facts).next?.at, "2026-11-22T06:00:00.000Z");
  assert.deepEqual(node("engineer", facts).next, { at: null, why: "ceo ends with planned" });
  assert.equal(node("qa", facts).next, null);
  const later = job({ run_after: NOW + HOUR, reason: "slow down" });
  assert.deepEqual(node("engineer", repo({ manifest, live: [later] })).next, {
    at: "2026-11-21T13:00:00.000Z",
    why: "Waits for its time: slow down",
  });
});

Deno.test("routeEdges lists each route of the manifest, and counts how often its rule was followed", () => {
  const of = (rule: string, count: number): RouteCount => ({
    ...{ role: "engineer", rule, count, last_at: NOW, last_job: "j" },
    disposition: "submitted",
  });
  const routes = [of("roles.engineer.routes.submitted", 3), of("dispatch.max_rework", 9)];
  assert.deepEqual(routeEdges(MANIFEST, { routes }), [
    {
      from: "orchestrator",
      disposition: "routed",
      to: "engineer",
      ticket: null,
      stop: null,
      taken: 0,
    },
    {
      from: "engineer",
      disposition: "submitted",
      to: "qa",
      ticket: "review",
      stop: null,
      taken: 3,
    },
    {
      from: "qa",
      disposition: "approved",
      to: "orchestrator",
      ticket: "done",
      stop: null,
      taken: 0,
    },
  ]);
});

Deno.test("repoBoard says what is wrong in a repo, and what waits there", () => {
  const waits = [settlement({ waits_for: "a clean checkout: a" }), settlement({ ticket_id: null })];
  const board = repoBoard(
    service(),
    repo({ settlements: waits, problem: "no manifest", manifest: undefined }),
    NOTHING,
    "x",
  );
  assert.deepEqual(board.waits, [
    "T-0001 waits for a clean checkout: a",
    "svc/T-0001-do waits for its merge or move to be made",
  ]);
  assert.deepEqual([board.problem, repoBoard(service(), repo(), NOTHING, "slow").problem], [
    "no manifest",
    "slow",
  ]);
});
