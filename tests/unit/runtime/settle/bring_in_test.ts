/** What a person merged on the code host reaches this clone before its ticket is done. The host's side is git's own. */
import assert from "node:assert/strict";
import { MERGE_WAYS } from "tests/kit/merge_on_host.ts";
import { plainGit } from "tests/kit/temp_repo.ts";
import { apiFixture } from "tests/unit/features/access/api_fixture.ts";
import { type MergePlace, mergePlace } from "tests/unit/runtime/merge_place.ts";

const LATER = { later: 61_000 };
const MUCH_LATER = { later: 122_000 };

const whys = ({ waiting }: { waiting: readonly { why: string }[] }) =>
  waiting.map(({ why }) => why);

const files = async ({ repo }: MergePlace) =>
  (await repo.git("ls-files")).split("\n").filter((path) =>
    !path.startsWith(".harness/") && /T-\d|\.txt$/.test(path)
  );

for (const way of MERGE_WAYS) {
  Deno.test(`a ${way} on the host comes into this clone, and each ticket is there once`, async () => {
    await using place = await mergePlace();
    await using api = apiFixture(place.tip);
    await place.round(api.api);
    // Somebody else's push comes with it; an edit that nobody has committed stays.
    await place.mergeThere(api.pulls[0]!, { way, then: { "others.txt": "1\n" } });
    await place.repo.write("app.txt", "being edited\n");
    assert.equal((await place.round(api.api, LATER)).done, 1);
    assert.equal((await place.state()).ticket, "done");
    const ticket = "docs/tickets/done/T-0001-make-the-test-pass.md";
    assert.deepEqual(await files(place), ["app.txt", ticket, "fixed.txt", "others.txt"]);
    assert.equal(await place.repo.git("status", "--porcelain"), " M app.txt\n");
    assert.equal(await place.repo.read("fixed.txt"), "yes\n");
    assert.match(await place.repo.git("log", "--format=%s"), /^chore\(merge\): merge svc\/T-0001/m);
    // What git says of it: the host's branch and the approved work are in.
    const host = await place.tip("main");
    for (const commit of [host, place.commit]) {
      await place.repo.git("merge-base", "--is-ancestor", commit, "main");
    }
    // A person's own pull finds nothing to do.
    const pulled = await place.repo.git("pull", "--no-rebase", place.bare, "main");
    assert.match(pulled, /Already up to date/);
  });
}

Deno.test("a squash of a ticket that went on here meanwhile makes no conflict", async () => {
  await using place = await mergePlace();
  // The host has the ticket in the backlog, its branch in review, and this clone with a word more.
  await plainGit(place.bare, ["update-ref", "refs/heads/main", "main~2"]);
  const path = "docs/tickets/review/T-0001-make-the-test-pass.md";
  await place.repo.commit("docs: a word", { [path]: `${await place.repo.read(path)}a word\n` });
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  await place.mergeThere(api.pulls[0]!, { way: "squash" });
  assert.equal((await place.round(api.api, LATER)).done, 1);
  const ticket = "docs/tickets/done/T-0001-make-the-test-pass.md";
  assert.deepEqual(await files(place), ["app.txt", ticket, "fixed.txt"]);
  assert.match(await place.repo.read(ticket), /^a word$/m);
});

Deno.test("an edit of a file that the merge changes is waited for, and stays", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  await place.mergeThere(api.pulls[0]!, { way: "squash", then: { "app.txt": "theirs\n" } });
  await place.repo.write("app.txt", "mine\n");
  assert.deepEqual(whys(await place.round(api.api, LATER)), ["a clean checkout: app.txt"]);
  assert.equal(await place.repo.read("app.txt"), "mine\n");
  assert.equal((await place.state()).ticket, "review");
  // Trying again makes no new commits.
  const objects = await place.repo.git("count-objects");
  await place.round(api.api, MUCH_LATER);
  assert.equal(await place.repo.git("count-objects"), objects);
  await place.repo.git("checkout", "--quiet", "app.txt");
  assert.equal((await place.round(api.api, { later: 183_000 })).done, 1);
  assert.equal(await place.repo.read("app.txt"), "theirs\n");
});

Deno.test("a conflict with this clone is a person's pull, and nothing is half merged", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  await place.repo.commit("docs: mine", { "app.txt": "mine\n" });
  const before = await place.repo.git("rev-parse", "main");
  await place.mergeThere(api.pulls[0]!, { way: "squash", then: { "app.txt": "theirs\n" } });
  const [why] = whys(await place.round(api.api, LATER));
  assert.match(
    why!,
    /^your pull of main: #12 was merged, and it conflicts here in app\.txt: https/,
  );
  assert.equal(await place.repo.git("rev-parse", "main"), before);
  assert.equal(await place.repo.git("status", "--porcelain"), "");
  // The person settles it as git lets them; after a squash the approved commit itself is in no branch.
  await place.repo.git("pull", "--quiet", "--no-rebase", "-X", "theirs", place.bare, "main");
  assert.equal((await place.round(api.api, MUCH_LATER)).done, 1);
});

Deno.test("a host that is behind itself, or that lost the merge again, is waited for", async () => {
  await using place = await mergePlace();
  await using api = apiFixture(place.tip);
  await place.round(api.api);
  const main = (commit: string) => plainGit(place.bare, ["update-ref", "refs/heads/main", commit]);
  const before = await place.tip("main");
  await place.mergeThere(api.pulls[0]!, { way: "squash" });
  const merged = await place.tip("main");
  await main(before);
  const [why] = whys(await place.round(api.api, LATER));
  assert.match(why!, /"main" lacks [0-9a-f]{12}; If it stays so, bring/);
  assert.equal((await place.state()).ticket, "review");
  await main(merged);
  assert.equal((await place.round(api.api, MUCH_LATER)).done, 1);
});

for (const origin of ["git@github.com:Ada/shop.git", "https://github.com/somebody/shop.git"]) {
  const ours = origin.includes("Ada");
  Deno.test(`what the host had is noted as ${ours ? "a fetch notes it" : "nothing where origin is another repo"}`, async () => {
    await using place = await mergePlace();
    await using api = apiFixture(place.tip);
    const seen = async () => (await place.repo.git("rev-parse", "refs/remotes/origin/main")).trim();
    const before = await place.tip("main");
    await place.repo.git("remote", "add", "origin", origin);
    await place.repo.git("update-ref", "refs/remotes/origin/main", before);
    await place.round(api.api);
    await place.mergeThere(api.pulls[0]!, { way: "squash" });
    assert.equal((await place.round(api.api, LATER)).done, 1);
    assert.equal(await seen(), ours ? await place.tip("main") : before);
  });
}
