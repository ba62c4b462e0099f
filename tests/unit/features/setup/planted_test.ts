/** Programs that the set-up of a machine starts are the machine's: none that a repo on PATH brings along. */
import assert from "node:assert/strict";
import { gpusOf } from "svc/features/setup/gpus.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

Deno.test("a GPU's program is not started out of a repo that PATH names", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using base = await tempFolder();
  const script = `#!/bin/sh\n: > "${base.path}/ran"\necho 'Planted, 24564'\n`;
  await repo.write("node_modules/.bin/nvidia-smi", script, { executable: true });
  const bin = `${repo.path}/node_modules/.bin`;
  await Deno.symlink(bin, `${base.path}/bin`);
  const looked = async (path: string) => {
    const gpus = await gpusOf({
      files: denoFiles(),
      processes: denoProcesses(),
      env: { all: () => ({ PATH: `${path}:/usr/bin:/bin` }) },
      signal: new AbortController().signal,
    });
    return gpus.filter(({ name }) => name === "Planted").length;
  };
  assert.equal(await looked(bin), 0);
  assert.equal(await looked(`${base.path}/bin`), 0);
  await assert.rejects(Deno.lstat(`${base.path}/ran`), Deno.errors.NotFound);

  await Deno.rename(`${repo.path}/.git`, `${base.path}/no-repo`);
  assert.equal(await looked(bin), 1, "a folder of the user's own counts");
});
