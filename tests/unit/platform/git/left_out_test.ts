/** Sparse checkouts that leave out what svc reads: taken for missing, a harness would be written over the repo's own. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { checkoutAt } from "tests/unit/features/tickets/ticket_checkout.ts";

const refused = (path: string): Promise<Failure> =>
  checkoutAt(path).then(() => assert.fail("it was opened"), Failure.from);

const FILES = {
  ".harness/manifest.yaml": "version: 1\n",
  "docs/tickets/backlog/T-0001-one.md": "one\n",
  "src/a.ts": "a\n",
};

for (const cone of ["--cone", "--no-cone"]) {
  Deno.test(`a sparse checkout (${cone}) without harness or tickets is refused, and the remedy mends it`, async () => {
    await using repo = await tempRepo({ files: FILES, commit: true });
    await repo.git("sparse-checkout", "set", cone, "src");
    const { code, message, remedy } = await refused(repo.path);
    assert.equal(code, "conflict");
    assert.match(message, /leaves out \.harness and docs\/tickets, which svc reads$/);
    await repo.git("sparse-checkout", "add", "docs/tickets");
    assert.match((await refused(repo.path)).message, /leaves out \.harness, /);
    const words = remedy!.replaceAll('"', "").split(" ");
    assert.deepEqual(words.slice(0, 3), ["git", "-C", repo.path]);
    await repo.git(...words.slice(3));
    using _opened = await checkoutAt(repo.path);
  });
}

Deno.test("a sparse checkout of a repo that has neither harness nor tickets is opened", async () => {
  await using repo = await tempRepo({
    files: { "src/a.ts": "a\n", "b/b.ts": "b\n" },
    commit: true,
  });
  await repo.git("sparse-checkout", "set", "src");
  using _opened = await checkoutAt(repo.path);
});

Deno.test("a checkout that is whole again is opened", async () => {
  await using repo = await tempRepo({ files: FILES, commit: true });
  await repo.git("sparse-checkout", "set", "src");
  await repo.git("sparse-checkout", "disable");
  using _opened = await checkoutAt(repo.path);
});
