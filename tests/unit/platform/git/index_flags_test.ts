/** What git says of many files at once. */
import assert from "node:assert/strict";
import { gitIn } from "svc/platform/git/call.ts";
import { outsideSparse, storedIds } from "svc/platform/git/index_flags.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { commitPorts, ENV } from "tests/unit/platform/commit_ports.ts";

const MANY = 20_000;
const numbered = (folder: string) =>
  Array.from({ length: MANY }, (_, at) => `${folder}/${String(at).padStart(60, "0")}`);

Deno.test("which of many files a sparse checkout leaves out is told of each", async () => {
  await using repo = await tempRepo({ files: { "in/a": "a\n", "out/a": "a\n" }, commit: true });
  await repo.git("sparse-checkout", "set", "in");
  using ports = await commitPorts(repo.path);
  const git = gitIn({ processes: denoProcesses(), env: ENV }, ports.repo);
  const [inside, outside] = [numbered("in"), numbered("out")];
  const found = await outsideSparse(git, ports.repo, "look", [...inside, ...outside, ...inside]);
  assert.deepEqual([...found], outside);
});

Deno.test("what git would store for many files is told of each", async () => {
  await using repo = await tempRepo({ files: { "a": "a\n", "b": "b\n" }, commit: true });
  using ports = await commitPorts(repo.path);
  const git = gitIn({ processes: denoProcesses(), env: ENV }, ports.repo);
  // The same file under many names.
  const names = Array.from({ length: 2 * MANY }, (_, at) => `${"./".repeat(at % 100)}a`);
  const paths = [...names.map((name, at) => `${"./".repeat(Math.floor(at / 100))}${name}`), "b"];
  const ids = await storedIds(git, "look", paths);
  assert.equal(ids.get("b"), (await repo.git("rev-parse", "HEAD:b")).trim());
});
