/** What 200 jobs leave on the disk, and what of it is left after 31 and after 401 days: a scripted team works off a backlog. */
import { policyOf } from "svc/features/retention/policy.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { forgetEvents } from "svc/features/telemetry/event_store.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { systemClock } from "svc/platform/clock.ts";
import { cleanUp } from "svc/runtime/engine/cleanup.ts";
import { retain } from "svc/runtime/retention/retain.ts";
import { compact } from "svc/store/compact.ts";
import { sql } from "svc/store/query.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import {
  carryOut,
  enginePorts,
  harnessedRepo,
  queued,
  registered,
  reposIn,
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

const engineer = turns(
  call("file_write", { path: "work/{{T-\\d+}}.txt", content: "done\n" }),
  call("check_run", { name: "test" }),
  call("git_commit", { message: "fix: make the test pass" }),
  finish("submitted"),
);

const DAY_MS = 24 * 60 * 60 * 1000;
const COLUMNS = ["after 0 days", "after 31 days", "after 401 days"] as const;

let days = 0;
const clock = { ...systemClock, now: () => Date.now() + days * DAY_MS };

await using repo = await harnessedRepo({ files: { "fixed.txt": "fixed\n" } });
await using base = await tempFolder();
await using plain = await enginePorts(base.path, { clock });
const ports = { ...plain, signal: new AbortController().signal };
await using endpoint = modelEndpoint({ roles: { ...TEAM.roles, engineer } });
const id = await registered(ports, repo.path);
for (let count = 0; count < TICKETS; count++) {
  await ticketed(ports, repo.path, { title: `Make test ${count} pass` });
}
const gitBefore = sizeOf(`${repo.path}/.git`);
await queued(ports, id, "orchestrator");
const jobs = (await carryOut(ports, endpoint.url)).filter(({ kind }) => kind === "ended").length;

const rows = new Map<string, Size[]>();
const note = (place: string, size: Size) => rows.set(place, [...rows.get(place) ?? [], size]);

async function look(): Promise<void> {
  await compact(ports.db, Infinity);
  const { traces, worktrees } = ports.home;
  const { rows: [used] } = await sql<{ bytes: number }>`SELECT
    (page_count - freelist_count) * page_size AS bytes
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(ports.db);
  note("database, in use", { files: 1, bytes: used!.bytes });
  for (const { name } of [...Deno.readDirSync(traces)].filter((one) => one.isDirectory)) {
    note(/-[0-9a-f]{12}$/.test(name) ? "traces" : name, sizeOf(`${traces}/${name}`));
  }
  note("work trees", sizeOf(worktrees));
  const git = sizeOf(`${repo.path}/.git`);
  note(".git", { files: git.files - gitBefore.files, bytes: git.bytes - gitBefore.bytes });
  for (const table of ["jobs", "decisions", "settlements", "checks", "events"] as const) {
    const { count } = await ports.db.selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("count")).executeTakeFirstOrThrow();
    note(`rows of ${table}`, { files: count, bytes: 0 });
  }
  note("rows of removals", {
    files: (await ports.db.selectFrom("removals").select("id").execute()).length,
    bytes: 0,
  });
}

await look();
// The newest records of a repo stay: these count as if 200 other jobs had come since.
const policy = { ...policyOf(Config.parse({})), recordsLeft: 0 };
for (days of [31, 401]) {
  using opened = await new RepoOpener(ports).open((await reposIn(ports)())[0]!, ports);
  await cleanUp(ports, opened, 72 * 60 * 60 * 1000);
  await retain(ports, { policy, now: clock.now(), apply: true, repos: true });
  await forgetEvents(ports.db, clock.now());
  await look();
}

console.log(`${jobs} jobs of ${TICKETS} tickets`);
console.log(`${"".padEnd(20)}${COLUMNS.map((name) => name.padStart(26)).join("")}`);
for (const [place, sizes] of rows) {
  const cells = sizes.map(({ files, bytes }) =>
    (bytes === 0 ? String(files) : `${files} files, ${(bytes / 1024).toFixed(0)} KiB`).padStart(26)
  );
  console.log(`${place.padEnd(20)}${cells.join("")}`);
}
