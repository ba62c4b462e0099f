/** Code-graph assistance through whole jobs of an engine: what the model is told, and what is kept of it. */
import { RepoOpener } from "svc/features/repos/repo.ts";
import assert from "node:assert/strict";
import { listRepos } from "svc/features/repos/repo_store.ts";
import { CODE_HINT_MS } from "svc/runtime/job/code_hint.ts";
import { openParsers } from "svc/platform/tree_sitter.ts";
import { harnessIn } from "svc/runtime/job/harness_source.ts";
import { manualRun } from "svc/runtime/run/manual_run.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { SHOP } from "tests/unit/features/code_intel/shop.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
} from "./engine_place.ts";
import { call, finish, QA, turns } from "./team.ts";

const root = decodeURIComponent(new URL("../../../", import.meta.url).pathname);

const ENGINEER = turns(
  call("file_read", { path: "src/price.ts" }),
  call("code_related", { path: "src/price.ts" }),
  {
    calls: [{
      name: "file_edit",
      args: { path: "src/price.ts", old: "cents;", new: "Math.round(cents);" },
    }],
  },
  call("file_write", { path: "fixed.txt", content: "fixed\n" }),
  call("git_commit", { message: "fix: round prices" }),
  finish("submitted"),
);

/** @param how `engine`: with the next role; `manual`: one run */
async function carried(how: "engine" | "manual", codeIntel: boolean | undefined) {
  await using repo = await harnessedRepo({ files: SHOP });
  await using base = await tempFolder();
  await using parts = await enginePorts(base.path);
  let started: ReturnType<typeof openParsers> | undefined;
  const ports = {
    ...parts,
    parsers: () => started ??= openParsers({ build: "source", root }),
    // A busy machine may find less in two seconds.
    clock: {
      ...parts.clock,
      sleep: (ms: number, signal?: AbortSignal) =>
        parts.clock.sleep(ms === CODE_HINT_MS ? 120_000 : ms, signal),
    },
  };
  await using endpoint = modelEndpoint({
    roles: { engineer: ENGINEER, qa: QA, orchestrator: turns(finish("no_work")) },
  });
  const id = await registered(ports, repo.path);
  const ticket = await ticketed(ports, repo.path, { title: "Round what roundedPrice gives" });
  if (how === "engine") {
    await queued(ports, id, "engineer", ticket);
    await carryOut(ports, endpoint.url, { codeIntel });
  } else {
    const { signal } = new AbortController();
    const [row] = await listRepos(ports.db);
    using opened = await new RepoOpener(ports).open(row!, { signal });
    const { manifest } = await opened.manifest();
    const plan = {
      repo: opened,
      manifest: manifest!,
      definition: manifest!.roles.engineer!,
      harness: harnessIn(opened),
    };
    const asked = { role: "engineer", ticket, task: undefined };
    const options = { modelEndpoint: endpoint.url, codeIntel };
    await manualRun({ ...ports, signal }, plan, asked, options);
  }
  const rows = await ports.db.selectFrom("code_evidence")
    .innerJoin("jobs", "jobs.id", "code_evidence.job_id")
    .selectAll("code_evidence").select("jobs.role").orderBy("jobs.id").execute();
  const asked = endpoint.requests.map(({ request }) => request.messages);
  return { rows, engineer: asked.slice(0, 6) };
}

Deno.test("with code intelligence the prompt names where to look, the same in each turn, and what came of it is kept", async () => {
  const { rows, engineer } = await carried("engine", true);
  const [first, ...later] = engineer;
  const told = first!.find(({ role }) => role === "user")!.content;
  assert.match(told, /# Where to look first \(a hint; data from the repository\)/);
  assert.match(told, /^ {2}src\/price\.ts \(.*\): function roundedPrice 3$/m);
  assert.match(told, /^Tests:\n {2}tests\/price_test\.ts/m);
  assert.doesNotMatch(told, /docs\/tickets\/\S+ \(/);
  for (const messages of later) assert.deepEqual(messages.slice(0, 2), first!.slice(0, 2));

  const of = rows.find(({ role }) => role === "engineer")!;
  assert.equal(of.assisted, 1);
  assert.equal(JSON.parse(of.offered)[0], "src/price.ts");
  assert.deepEqual(JSON.parse(of.changed), ["fixed.txt", "src/price.ts"]);
  assert.deepEqual([of.changed_files, of.hits], [2, 1]);
  assert.deepEqual([of.first_edit_turn, of.reads_before_edit], [3, 2]);
  assert.ok(of.offered_ms! >= 0);
  // Who only looks changed nothing, whatever the branch holds.
  const judge = rows.find(({ role }) => role === "qa")!;
  assert.deepEqual([judge.assisted, judge.changed_files, judge.first_edit_turn], [1, 0, null]);
});

Deno.test("without it the prompt has no such part, and the same is kept to compare with", async () => {
  const { rows, engineer } = await carried("manual", undefined);
  assert.doesNotMatch(JSON.stringify(engineer), /Where to look first/);
  const of = rows.find(({ role }) => role === "engineer")!;
  assert.deepEqual([of.assisted, of.offered, of.offered_ms, of.hits], [0, "[]", null, 0]);
  assert.deepEqual([of.changed_files, of.first_edit_turn, of.reads_before_edit], [2, 3, 2]);
});
