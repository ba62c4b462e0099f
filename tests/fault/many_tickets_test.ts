/** Many jobs of one repo at once: each waits its turn for what only one may change, and none fails of it. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  jobLines,
  queued,
  registered,
  ticketed,
  ticketsOf,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish, turns } from "tests/unit/runtime/team.ts";

const TICKETS = 8;

/** Each writes a file of its own, so that no merge conflicts. */
const ENGINEER = turns(
  ({ messages }) => {
    const ticket = /T-\d{4}/.exec(JSON.stringify(messages))![0];
    return call("file_write", { path: `${ticket}.txt`, content: "work\n" });
  },
  call("git_commit", { message: "fix: it" }),
  finish("submitted"),
);

const parallel = (manifest: string) =>
  manifest.replace(/^ {2}(?:engineer|qa):\n/gm, "$&    parallel: true\n");

Deno.test(`${TICKETS} tickets of one repo are worked on at once, and all get done`, async () => {
  await using repo = await harnessedRepo({ manifest: parallel, files: { "test.sh": "true\n" } });
  await using base = await tempFolder();
  await using ports = await enginePorts(base.path);
  await using endpoint = modelEndpoint({
    roles: {
      engineer: ENGINEER,
      qa: turns(finish("approved")),
      orchestrator: turns(finish("no_work")),
    },
  });
  const id = await registered(ports, repo.path);
  for (let at = 1; at <= TICKETS; at++) {
    const ticket = await ticketed(ports, repo.path, { title: `Write file ${at}` });
    const job = await queued(ports, id, "engineer", ticket);
    await ports.db.updateTable("jobs").set({ parallel: 1 }).where("id", "=", job.id).execute();
  }
  const before = (await repo.git("rev-parse", "HEAD")).trim();
  const events = await carryOut(ports, endpoint.url, { concurrency: TICKETS });

  const given = events.flatMap((event) => event.kind === "given_back" ? [event.reason] : []);
  assert.deepEqual(given, []);
  const worked = (await jobLines(ports)).filter((line) => !line.startsWith("orchestrator"))
    .map((line) => line.replace(/T-\d+/, "T"));
  const each = (line: string) => Array.from({ length: TICKETS }, () => line);
  assert.deepEqual(worked.toSorted(), [
    ...each("engineer T completed submitted"),
    ...each("qa T completed approved"),
  ]);
  const states = (await ticketsOf(ports, repo.path)).map(({ state }) => state);
  assert.deepEqual(states, each("done"));
  const subjects = (await repo.git("log", "--first-parent", "--format=%s", `${before}..HEAD`))
    .trim().split("\n");
  assert.equal(
    subjects.filter((text) => text.startsWith("chore(merge): merge svc/")).length,
    TICKETS,
  );
  // Taken, handed in, done.
  assert.equal(subjects.filter((text) => text.startsWith("chore(tickets)")).length, 3 * TICKETS);
  assert.equal(await repo.git("status", "--porcelain"), "");
});
