/** What retention finds below the home, which is what its limits count. */
import assert from "node:assert/strict";
import { FOLDER_ENTRIES } from "svc/core/bounds.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { databasesIn } from "svc/runtime/retention/home_files.ts";
import { filesOfJobs } from "svc/runtime/retention/stored_files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

Deno.test("each trace of a repo counts, however many jobs it had", async () => {
  await using folder = await tempFolder();
  const home = homeOf({ get: (name) => name === "SVC_HOME" ? folder.path : undefined });
  const traces = `${home.traces}/0123456789ab`;
  await Deno.mkdir(traces, { recursive: true });
  const jobs = FOLDER_ENTRIES + 2;
  for (let nth = 0; nth < jobs; nth++) {
    const job = `01a206f5-0000-7000-8000-${`${nth}`.padStart(12, "0")}`;
    Deno.writeTextFileSync(`${traces}/${job}.jsonl`, "x");
  }
  const found = await filesOfJobs({ files: denoFiles(), home });
  assert.equal(found.length, jobs);
  assert.equal(found.reduce((sum, { bytes }) => sum + bytes, 0), jobs);
});

Deno.test("each database of the home is asked whose files there are, however many it has", async () => {
  await using folder = await tempFolder();
  const home = homeOf({ get: (name) => name === "SVC_HOME" ? folder.path : undefined });
  for (let nth = 0; nth < FOLDER_ENTRIES; nth++) {
    Deno.mkdirSync(`${home.db}/a${nth}`, { recursive: true });
  }
  Deno.mkdirSync(`${home.db}/last`);
  Deno.writeTextFileSync(`${home.db}/last/svc.db`, "");
  const found = await databasesIn({ files: denoFiles(), home });
  assert.deepEqual(found, [`${home.db}/last/svc.db`]);
});
