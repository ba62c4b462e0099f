/** What 200 jobs leave on the disk, by place: a scripted team works off a backlog. */
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  ticketed,
} from "tests/unit/runtime/engine_place.ts";
import { call, finish, TEAM, turns } from "tests/unit/runtime/team.ts";

const TICKETS = Number(Deno.args[0] ?? 67);

interface Size {
  files: number;
  bytes: number;
}

function sizeOf(path: string): Size {
  const size = { files: 0, bytes: 0 };
  for (const entry of Deno.readDirSync(path)) {
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory) {
      const { files, bytes } = sizeOf(inner);
      size.files += files;
      size.bytes += bytes;
    } else {
      size.files++;
      size.bytes += Deno.lstatSync(inner).size;
    }
  }
  return size;
}

function* places(root: string): Generator<[string, Size]> {
  for (const { name, isDirectory } of Deno.readDirSync(root)) {
    const path = `${root}/${name}`;
    if (isDirectory) yield [name, sizeOf(path)];
    else yield [name, { files: 1, bytes: Deno.lstatSync(path).size }];
  }
}

const engineer = turns(
  call("file_write", { path: "work/{{T-\\d+}}.txt", content: "done\n" }),
  call("check_run", { name: "test" }),
  call("git_commit", { message: "fix: make the test pass" }),
  finish("submitted"),
);

await using repo = await harnessedRepo({ files: { "fixed.txt": "fixed\n" } });
await using base = await tempFolder();
await using ports = await enginePorts(base.path);
await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer } });
const id = await registered(ports, repo.path);
for (let count = 0; count < TICKETS; count++) {
  await ticketed(ports, repo.path, { title: `Make test ${count} pass` });
}
const gitBefore = sizeOf(`${repo.path}/.git`);
await queued(ports, id, "orchestrator");
const jobs = (await carryOut(ports, endpoint.url)).filter(({ kind }) => kind === "ended").length;

const show = (place: string, { files, bytes }: Size) =>
  console.log(
    `${place.padEnd(28)} ${String(files).padStart(6)} files ${
      (bytes / 1024).toFixed(0).padStart(8)
    } KiB ${(bytes / 1024 / jobs).toFixed(1).padStart(7)} KiB a job`,
  );
console.log(`${jobs} jobs of ${TICKETS} tickets`);
for (const [place, size] of places(base.path)) {
  if (place !== "home") show(place, size);
}
for (const [place, size] of places(ports.home.traces)) show(`traces/${place}`, size);
show("worktrees", sizeOf(ports.home.worktrees));
const git = sizeOf(`${repo.path}/.git`);
show(".git", { files: git.files - gitBefore.files, bytes: git.bytes - gitBefore.bytes });
console.log(await repo.git("count-objects", "-v"));
for (const table of ["jobs", "decisions", "settlements", "checks", "events"] as const) {
  const { count } = await ports.db.selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
  console.log(`${table}: ${count} rows`);
}
