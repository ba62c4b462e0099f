/** A person renames the branch that svc works on. */
import assert from "node:assert/strict";
import { shellWords } from "svc/core/shell_words.ts";
import { Failure } from "svc/core/failure.ts";
import { register } from "svc/features/repos/register.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { takeTicket } from "svc/runtime/job/job_ticket.ts";
import { databasePath } from "svc/store/database_path.ts";
import { openStore } from "svc/store/open.ts";
import { checkoutPorts } from "tests/unit/features/tickets/ticket_checkout.ts";
import { apiFixture } from "tests/unit/features/access/api_fixture.ts";
import { queued, reposIn, ticketed } from "./engine_place.ts";
import { mergePlace } from "./merge_place.ts";
import { startPlace } from "./start_place.ts";

/** Does what the command line says, to the database that it names. */
async function carryOut(line: string, inRepo?: string): Promise<void> {
  const read = shellWords(line);
  assert.ok("words" in read, line);
  const [svc, verb, ...flags] = read.words;
  assert.deepEqual([svc, verb], ["svc", "register"]);
  const { "--repo": repo = inRepo, "--branch": branch, "--db": db } = Object.fromEntries(
    flags.flatMap((flag, at) => at % 2 === 0 ? [[flag, flags[at + 1]]] : []),
  );
  const git = await checkoutPorts().git.open(repo!);
  await using store = await openStore({ files: denoFiles(), clock: systemClock }, db!);
  await register({ db: store.db, files: denoFiles() }, git, { branch }, Date.now());
}

Deno.test("start names the command that registers the new name, and goes on once it was run", async () => {
  const { parts, repo, ports, start } = await startPlace();
  await using _parts = parts;
  await repo.git("branch", "--move", "main", "it's;new$(id)");
  const refusal = Failure.from(await start().catch((thrown) => thrown));
  assert.match(refusal.message, /"main", which is gone, and "it.s;new\$\(id\)" is checked out$/);
  assert.ok(refusal.detail.remedy?.endsWith(` --db ${await databasePath(ports.db)}`));
  await carryOut(refusal.detail.remedy!);
  assert.equal((await start()).action, "bootstrap");
});

Deno.test("a job that takes a ticket names the same command", async () => {
  const { parts, repo, ports, id } = await startPlace();
  await using _parts = parts;
  const ticket = await ticketed(ports, repo.path);
  const job = await queued(ports, id, "engineer", ticket);
  await repo.git("branch", "--move", "main", "trunk");
  const take = async () => {
    const [row] = await reposIn(ports)();
    using opened = await new RepoOpener(ports).open(row!, ports);
    return await takeTicket(ports, opened, job, await opened.role("engineer"));
  };
  const refusal = Failure.from(await take().catch((thrown) => thrown));
  assert.match(refusal.message, /another branch to be registered: "main" is gone/);
  assert.equal(refusal.detail.waits, true);
  await carryOut(refusal.detail.remedy!);
  assert.equal((await take())?.facts.state, "in-progress");
});

Deno.test("a merge into a branch that was renamed waits for the registration, and goes to the new name", async () => {
  await using place = await mergePlace({ merge: "local" });
  await using api = apiFixture(place.tip);
  await place.repo.git("branch", "--move", "main", "trunk");
  const { waiting: [waits] } = await place.round(api.api);
  const line = /in the repo: (svc register .*)$/.exec(waits!.why)?.[1];
  await carryOut(line!, place.repo.path);
  assert.equal((await place.round(api.api)).done, 1);
  assert.equal((await place.state()).ticket, "done");
  assert.match(await place.repo.git("ls-tree", "--name-only", "trunk"), /^fixed\.txt$/m);
});

Deno.test("a merge that was approved for a branch goes there, whatever is registered since", async () => {
  await using place = await mergePlace({ merge: "local" });
  await using api = apiFixture(place.tip);
  await place.repo.git("branch", "trunk", "main");
  await carryOut(`svc register --branch trunk --db ${place.base}/svc.db`, place.repo.path);
  await place.round(api.api);
  const files = (branch: string) => place.repo.git("ls-tree", "--name-only", branch);
  assert.match(await files("main"), /^fixed\.txt$/m);
  assert.ok(!(await files("trunk")).includes("fixed.txt"), "it was merged elsewhere");
});
