import assert from "node:assert/strict";
import { denoFiles } from "svc/platform/files/files.ts";
import { systemClock } from "svc/platform/clock.ts";
import { hasScoped, openScoped } from "svc/store/placement.ts";
import { refusal } from "tests/kit/refusal.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("hasScoped tells whether openScoped would open a file that is there, and makes none", async () => {
  await using folder = await tempFolder();
  const home = { db: `${folder.path}/home/db`, sharedDb: `${folder.path}/home-harness/db` };
  const ports = { files: denoFiles(), clock: systemClock, home };
  const [one, two] = [`${folder.path}/one/app`, `${folder.path}/two/app`];
  const named = `${folder.path}/state/mine.db`;
  assert.equal(await hasScoped(ports, { repo: one }), false);
  assert.equal(await hasScoped(ports, { repo: one, db: named }), false);
  assert.equal(await ports.files.stat(`${folder.path}/home`), undefined);
  for (const asked of [{ repo: one }, { repo: one, db: named }]) {
    await using _store = await openScoped(ports, asked);
    assert.equal(await hasScoped(ports, asked), true);
  }
  // Another repo of that name has a database of its own, or none yet.
  assert.equal(await hasScoped(ports, { repo: two }), false);
  await using _store = await openScoped(ports, { repo: two });
  assert.equal(await hasScoped(ports, { repo: two }), true);
  assert.equal(await hasScoped(ports, { repo: one }), true);
});

Deno.test("hasScoped looks at the database that --db names, and refuses what openScoped would", async () => {
  await using folder = await tempFolder();
  await using repo = await tempRepo();
  const home = { db: `${folder.path}/home/db`, sharedDb: `${folder.path}/home-harness/db` };
  const ports = { files: denoFiles(), clock: systemClock, home };
  const [one, two] = [`${folder.path}/one/app`, `${folder.path}/two/app`];
  await using _own = await openScoped(ports, { repo: one });
  const named = `${folder.path}/state/mine.db`;
  assert.equal(await hasScoped(ports, { repo: one, db: named }), false);
  const { db } = home;
  const ofOne = `${db}/app/svc.db`;
  assert.equal(await hasScoped(ports, { repo: one, db: ofOne }), true);
  await assert.rejects(
    () => hasScoped(ports, { repo: two, db: ofOne }),
    refusal("conflict", /it is the one of ".*one\/app"/),
  );
  await assert.rejects(
    () => hasScoped(ports, { repo: one, db: `${repo.path}/svc.db` }),
    refusal("usage", /lies inside the repo/),
  );
});
