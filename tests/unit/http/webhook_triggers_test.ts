/** Triggers of the manifest that name an event, from the POST of a code host to the jobs it asks for. */
import assert from "node:assert/strict";
import { queuedTold } from "tests/kit/queued_events.ts";
import { settleIn } from "tests/unit/features/webhooks/request_place.ts";
import { WEBHOOK_MANIFEST_MS } from "svc/core/bounds.ts";
import type { ControlPlan } from "svc/http/control.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { systemClock } from "svc/platform/clock.ts";
import { checkoutPorts } from "tests/unit/features/tickets/ticket_checkout.ts";
import { type ControlPlace, controlPlace, REMOTE } from "./control_place.ts";

/** The role waits for this event, beside what it waits for by default. */
const waitsFor = (role: string, event: string) => (text: string) =>
  text.replace(
    new RegExp(`( {2}${role}:[^]*?triggers: \\[)`),
    `$1{ on: webhook, event: ${event} }, `,
  );

const RELEASE = {
  action: "published",
  release: { name: "Spring", html_url: "https://github.test/r/1" },
  repository: { full_name: REMOTE, html_url: "https://github.com/x/y" },
  sender: { login: "mallory" },
};

const ISSUE = {
  ...RELEASE,
  action: "labeled",
  label: { name: "svc" },
  issue: {
    ...{ number: 7, title: "The pump drips", body: "", html_url: "https://github.test/7" },
    ...{ labels: [{ name: "svc" }], user: { login: "mallory" }, node_id: "I_7" },
  },
};

const jobs = async ({ store }: ControlPlace) =>
  (await store.db.selectFrom("jobs").selectAll().orderBy("id").execute()).map((job) =>
    [job.role, job.trigger, job.ticket_id ?? "-", job.source_trust].join(" ")
  );

async function place(
  change: (text: string) => string,
  plan: Partial<ControlPlan> = {},
): Promise<ControlPlace> {
  const got = await controlPlace({ manifest: change, ...plan });
  await got.repo.git("config", "user.name", "Ada");
  await got.repo.git("config", "user.email", "ada@example.org");
  return got;
}

Deno.test("a role that waits for an event gets a job by its POST, which it trusts as a stranger's", async () => {
  const second = waitsFor("ceo", "github.release.published");
  await using ground = await place((text) =>
    second(waitsFor("gardener", "github.release.published")(text))
  );
  const { status } = await ground.github("release", RELEASE, "delivery-1");
  assert.equal(status, 202);
  assert.equal((await ground.github("release", RELEASE, "delivery-1")).body.duplicate, true);
  assert.deepEqual(await settleIn(ground), { done: 1, waiting: [] });
  assert.deepEqual((await jobs(ground)).toSorted(), [
    ...["ceo webhook - observer", "gardener webhook - observer"],
  ]);
  assert.deepEqual((await queuedTold(ground.store.db)).toSorted(), [
    ...["ceo webhook", "gardener webhook"],
  ]);
  const [job] = await ground.store.db.selectFrom("jobs").selectAll().execute();
  const { event, task } = JSON.parse(job!.payload);
  assert.equal(event, "github.release.published");
  assert.match(task, /^The event github\.release\.published happened\./);
  assert.match(task, /\n```+text\n[^]*by: mallory[^]*\n```+$/);
});

for (const name of ["github.release", "github.release.publish", "github.release.published.twice"]) {
  Deno.test(`a role that waits for ${name} gets no job by github.release.published`, async () => {
    await using ground = await place(waitsFor("gardener", name));
    const { status, body } = await ground.github("release", RELEASE);
    assert.deepEqual([status, body.ignored], [200, true]);
    assert.deepEqual(await settleIn(ground), { done: 0, waiting: [] });
    assert.deepEqual(await jobs(ground), []);
  });
}

Deno.test("a role that waits for an event gets a job for the ticket that the event made", async () => {
  await using ground = await place(waitsFor("gardener", "github.issues.labeled"));
  assert.equal((await ground.github("issues", ISSUE)).status, 202);
  assert.deepEqual(await settleIn(ground), { done: 1, waiting: [] });
  assert.deepEqual(await jobs(ground), ["gardener webhook T-0001 observer"]);
});

Deno.test("where a person dispatches, no event queues a job", async () => {
  const waits = waitsFor("gardener", "github.release.published");
  await using ground = await place((text) => waits(text).replace("mode: routed", "mode: manual"));
  assert.equal((await ground.github("release", RELEASE)).status, 202);
  await settleIn(ground);
  assert.deepEqual(await jobs(ground), []);
});

Deno.test("events know a manifest for a moment, and then what it has become", async () => {
  let now = 0;
  await using ground = await place((text) => text, {
    clock: { ...systemClock, monotonic: () => now },
  });
  const ignored = async () => (await ground.github("release", RELEASE)).body.ignored === true;
  assert.equal(await ignored(), true);
  const path = `${ground.repo.path}/.harness/manifest.yaml`;
  const waits = waitsFor("gardener", "github.release.published");
  await Deno.writeTextFile(path, waits(await Deno.readTextFile(path)));
  now = WEBHOOK_MANIFEST_MS - 1;
  assert.equal(await ignored(), true);
  now++;
  assert.equal(await ignored(), false);
});

Deno.test("a manifest that could not be read is read for the next event", async () => {
  let broken = true;
  const real = new RepoOpener(checkoutPorts());
  const opener = {
    hostAt: (...args: Parameters<RepoOpener["hostAt"]>) => real.hostAt(...args),
    manifestAt: (...args: Parameters<RepoOpener["manifestAt"]>) =>
      broken ? Promise.reject(new Error("the disk is away")) : real.manifestAt(...args),
  };
  await using ground = await place(waitsFor("gardener", "github.release.published"), {
    ...{ clock: { ...systemClock, monotonic: () => 0 }, opener: () => Promise.resolve(opener) },
  });
  assert.equal((await ground.github("release", RELEASE, "delivery-1")).status, 503);
  broken = false;
  assert.equal((await ground.github("release", RELEASE, "delivery-1")).status, 202);
});
