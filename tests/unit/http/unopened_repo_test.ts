/** Deliveries while a registered repo, or the code that opens repos, cannot be had. */
import assert from "node:assert/strict";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { checkoutPorts } from "tests/unit/features/tickets/ticket_checkout.ts";
import { controlPlace, hookedRepo, registeredIn, REMOTE } from "./control_place.ts";

const URL = `https://github.com/${REMOTE}`;
const ISSUE = {
  action: "labeled",
  label: { name: "svc" },
  issue: {
    ...{ number: 7, title: "Mend the pump", body: "It drips", labels: [{ name: "svc" }] },
    ...{ user: { login: "ada" }, html_url: `${URL}/issues/7` },
    updated_at: "2026-11-20T10:00:00Z",
  },
  repository: { full_name: REMOTE, html_url: URL },
  sender: { login: "ada" },
};

Deno.test("a clone whose folder is gone keeps no delivery from another of the same remote", async () => {
  await using place = await controlPlace();
  await using other = await hookedRepo();
  const otherId = await registeredIn(place.store, other.path);
  for (const repo of [place.repo, other]) await repo.git("remote", "add", "origin", URL);
  // As svc registered repos before it kept their hosts.
  await place.store.db.updateTable("repos").set({ host: null }).execute();
  const moved = `${place.repo.path}-moved`;
  await Deno.rename(place.repo.path, moved);
  try {
    const { status } = await place.github("issues", ISSUE, "delivery-1");
    assert.equal(status, 202, place.logged.join("; "));
    const wishes = await place.store.db.selectFrom("wishes").selectAll().execute();
    assert.deepEqual(wishes.map(({ repo_id }) => repo_id), [otherId]);
    await Deno.rename(other.path, `${other.path}-moved`);
    // The sender is told, and sends it again when the disk is back.
    assert.equal((await place.github("issues", ISSUE, "delivery-2")).status, 503);
    await Deno.rename(`${other.path}-moved`, other.path);
  } finally {
    await Deno.rename(moved, place.repo.path);
  }
});

Deno.test("code that could not be loaded once is loaded with the next delivery", async () => {
  let times = 0;
  await using place = await controlPlace({
    opener: () =>
      times++ === 0
        ? Promise.reject(new Error("too many open files"))
        : Promise.resolve(new RepoOpener(checkoutPorts())),
  });
  assert.equal((await place.github("issues", ISSUE, "delivery-1")).status, 503);
  assert.equal((await place.github("issues", ISSUE, "delivery-1")).status, 202);
  assert.equal((await place.github("issues", ISSUE, "delivery-2")).status, 200);
  assert.equal(times, 2);
});
