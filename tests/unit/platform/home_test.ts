import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { homeOf } from "svc/platform/home.ts";

const of = (known: Record<string, string>) => homeOf({ get: (name) => known[name] });

Deno.test("homeOf is ~/.svc, or what SVC_HOME says", () => {
  assert.equal(of({ HOME: "/home/a" }).config, "/home/a/.svc/config.yaml");
  assert.equal(of({ HOME: "/home/a" }).sharedDb, "/home/a/.svc-harness/db");
  assert.equal(of({ HOME: "/home/a", SVC_HOME: "/x/" }).logs, "/x/traces/logs");
});

Deno.test("homeOf names a folder once, whatever slashes the variables have", () => {
  assert.deepEqual(of({ HOME: "//home//a/" }), of({ HOME: "/home/a" }));
});

Deno.test("homeOf tells real paths of the folders where git works, and of the rest those that were named", async () => {
  await using folder = await tempFolder();
  const base = await Deno.realPath(folder.path);
  await Deno.mkdir(`${base}/disk/ada/.svc`, { recursive: true });
  await Deno.symlink(`${base}/disk`, `${base}/home`);
  const linked = of({ HOME: `${base}/home/ada` });
  assert.equal(linked.worktrees, `${base}/disk/ada/.svc/worktrees`);
  assert.equal(linked.repos, `${base}/disk/ada/.svc/repos`);
  assert.equal(linked.sharedDb, `${base}/home/ada/.svc-harness/db`);
  await Deno.mkdir(`${base}/large`);
  await Deno.symlink(`${base}/large`, `${base}/disk/ada/.svc/worktrees`);
  assert.equal(of({ HOME: `${base}/home/ada` }).worktrees, `${base}/large`);
});

for (const known of [{}, { HOME: "" }, { HOME: "relative" }, { HOME: "/a", SVC_HOME: "b" }]) {
  Deno.test(`homeOf refuses ${JSON.stringify(known)}`, () => {
    assert.throws(
      () => of(known as Record<string, string>),
      (error) => error instanceof Failure && error.code === "environment" && error.exit === 5,
    );
  });
}
