/** What a person committed and never pushed goes out with no branch; where it goes is that person's to say. */
import assert from "node:assert/strict";
import { settlementWait } from "svc/runtime/views/settlement_wait.ts";
import { apiFixture } from "tests/unit/features/access/api_fixture.ts";
import { BRANCH, type MergePlace, mergePlace } from "tests/unit/runtime/merge_place.ts";

const OPEN = "pull request #12 to be merged: https://github.com/ada/shop/pull/12";
const LATER = { later: 61_000 };

const whys = ({ waiting }: { waiting: readonly { why: string }[] }) =>
  waiting.map(({ why }) => why);

/** A clone of the host's repo, in which svc has moved a ticket since. */
async function cloned(): Promise<MergePlace> {
  const place = await mergePlace();
  await place.repo.git("remote", "add", "origin", place.bare);
  await place.repo.git("fetch", "--quiet", "origin");
  return place;
}

Deno.test("the moves of tickets that svc commits hold no branch back", async () => {
  await using place = await cloned();
  await using api = apiFixture(place.tip);
  assert.deepEqual(whys(await place.round(api.api)), [OPEN]);
});

for (const to of ["main", "wip"]) {
  Deno.test(`a person's commit on main waits for that person's push, here to ${to}`, async () => {
    await using place = await cloned();
    await place.commitBelow("wip: my plans", { "plans.txt": "not yet\n" });
    await using api = apiFixture(place.tip);
    const { repo } = place;
    const [why] = whys(await place.round(api.api));
    const commit = (await repo.git("rev-parse", "main")).slice(0, 12);
    assert.equal(
      why,
      "a person to push main: 1 commit of it that the remote lacks would go out with the work; " +
        `look at it, then: git push origin main (${commit} "wip: my plans" by Ada)`,
    );
    const { zone, action } = settlementWait((await place.state()).settlements.at(-1)!);
    assert.deepEqual([zone, action], ["needs_you", "git push origin main"]);
    assert.deepEqual([await place.tip(BRANCH), api.posts().length], ["", 0]);
    assert.equal((await place.state()).ticket, "review");
    // Within a minute the host is not asked again.
    const asked = api.seen.length;
    await place.round(api.api, { later: 30_000 });
    assert.equal(api.seen.length, asked);
    await repo.git("push", "--quiet", "origin", `main:${to}`);
    assert.deepEqual(whys(await place.round(api.api, LATER)), [OPEN]);
    assert.equal(await place.tip(BRANCH), place.commit);
  });
}
