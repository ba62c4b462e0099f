/** Prettier leaves svc's own files alone, so that they turn no check of the project red. */
import assert from "node:assert/strict";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { eject, init, siteAt } from "./harness_site.ts";

async function initAndEject(files: Readonly<Record<string, string>>) {
  await using repo = await tempRepo({ files, commit: true });
  await using home = await tempFolder();
  const read = async () =>
    await Deno.readTextFile(`${repo.path}/.prettierignore`).catch(() => undefined);
  const site = await siteAt(repo.path, home.path);
  await init(site);
  const during = await read();
  await eject(site);
  return { during, after: await read(), status: await repo.git("status", "--porcelain") };
}

const PACKAGE = JSON.stringify({ devDependencies: { prettier: "^3" } });

Deno.test("init adds svc's folders to .prettierignore where Prettier is used; eject takes them out", async () => {
  for (const files of [{ "package.json": PACKAGE }, { ".prettierrc.yaml": "semi: false\n" }]) {
    const { during, after, status } = await initAndEject(files);
    assert.match(during!, /^\.harness\/\ndocs\/tickets\/$/m);
    assert.deepEqual({ after, status }, { after: undefined, status: "" });
  }
  const own = "dist\n*.min.js";
  const { during, after, status } = await initAndEject({ ".prettierignore": own });
  assert.ok(during!.startsWith(own));
  assert.match(during!, /^\.harness\/$/m);
  assert.deepEqual({ after, status }, { after: own, status: "" });
});

Deno.test("init writes no .prettierignore where Prettier is not used", async () => {
  const { during } = await initAndEject({ "package.json": '{"devDependencies":{"eslint":"9"}}' });
  assert.equal(during, undefined);
});
