/** Whose delivery it is: which repo gets it, and which are svc's own doing. */
import assert from "node:assert/strict";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { insertRepo, listRepos } from "svc/features/repos/repo_store.ts";
import type { WebhookSource } from "svc/features/webhooks/delivery_table.ts";
import { payloadOf } from "svc/features/webhooks/payload.ts";
import { takeDelivery } from "svc/features/webhooks/take_delivery.ts";
import { tempStore } from "tests/unit/store/temp_store.ts";

const NOW = 1_700_000_000_000;

/** Repos of this age in ms, by their path, with their teams in Linear. */
const REPOS = [
  { path: "/w/second", team: "OPS", remote: "ada/pump", age: 2 },
  { path: "/w/first", team: "ENG", remote: "ada/shop", age: 9 },
  { path: "/w/third", team: undefined, remote: "Ada/Pump", age: 5 },
] as const;

async function intake() {
  const store = await tempStore();
  const { db } = store;
  for (const { path, remote, age } of REPOS) {
    const id = path.slice(3).padEnd(12, "0").replaceAll(/[^0-9a-f]/g, "a").slice(0, 12);
    await insertRepo(db, { id, path, remote, branch: "main", host: "github.com" }, NOW - age);
  }
  const ports = {
    db,
    manifestOf({ path }: { readonly path: string }) {
      const team = REPOS.find((repo) => repo.path === path)?.team;
      const linear = team === undefined ? {} : { linear: { team } };
      return Promise.resolve({ roles: {}, integrations: linear } as unknown as Manifest);
    },
    hostOf: () => Promise.resolve("github.com"),
    own: { github: ["svc-bot"], linear: ["Own-1"] },
  };
  let nth = 0;
  return {
    ports,
    /** Path of the repo that took it, or why none did. */
    async take(source: WebhookSource, event: string, payload: object) {
      const delivery = { source, event, id: `delivery-${++nth}`, payload: payloadOf(payload) };
      const taken = await takeDelivery(ports, delivery, NOW, new AbortController().signal);
      if (taken.kind === "ignored") return taken.reason;
      const row = await db.selectFrom("deliveries").select("repo_id").where("id", "=", delivery.id)
        .executeTakeFirst();
      return (await listRepos(db)).find(({ id }) => id === row?.repo_id)?.path ?? taken.kind;
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

const issue = (team: string | undefined, more: object = {}, data: object = {}) => ({
  action: "create",
  type: "Issue",
  data: {
    ...{ id: crypto.randomUUID(), title: "Mend", labels: [{ id: "l1", name: "svc" }] },
    ...(team !== undefined && { team: { key: team } }),
    ...data,
  },
  ...more,
});

Deno.test("an issue of Linear goes to the repo of its team, and to none of another", async () => {
  await using at = await intake();
  const { take } = at;
  assert.equal(await take("linear", "Issue", issue("OPS")), "/w/second");
  assert.equal(await take("linear", "Issue", issue("ENG")), "/w/first");
  for (const team of ["eng", "NEW", undefined]) {
    assert.equal(await take("linear", "Issue", issue(team)), "unknown team", team);
  }
});

Deno.test("what svc did itself in Linear is told by any name of its doer", async () => {
  await using at = await intake();
  const { take } = at;
  for (
    const payload of [
      issue("ENG", { actor: { id: "own-1" } }),
      issue("ENG", { actor: { id: "ada" } }, { userId: "own-1" }),
      issue("ENG", {}, { botActor: { id: "own-1" } }),
    ]
  ) assert.equal(await take("linear", "Issue", payload), "own doing");
  assert.equal(await take("linear", "Issue", issue("ENG", { actor: { id: "ada" } })), "/w/first");
});

Deno.test("of two clones the one that was registered first gets what comes for their repo", async () => {
  await using at = await intake();
  const pushed = (full_name: string, login: string, host = "github.com") => ({
    ...{ ref: "refs/heads/main", after: crypto.randomUUID(), sender: { login } },
    repository: { full_name, html_url: `https://${host}/${full_name}` },
  });
  assert.equal(await at.take("github", "push", pushed("ada/pump", "ada")), "/w/third");
  assert.equal(await at.take("github", "push", pushed("ada/none", "ada")), "unknown repo");
  assert.equal(await at.take("github", "push", pushed("ada/pump", "SVC-Bot")), "own doing");
  for (const host of ["git.test", "github.com:8443", ""]) {
    const elsewhere = pushed("ada/pump", "ada", host);
    assert.equal(await at.take("github", "push", elsewhere), "unknown repo", host);
  }
});

Deno.test("nothing is stored once nobody waits for the answer", async () => {
  await using at = await intake();
  const { db } = at.ports;
  const left = new AbortController();
  const ports = {
    ...at.ports,
    manifestOf(repo: { readonly path: string }) {
      left.abort();
      return at.ports.manifestOf(repo);
    },
  };
  const payload = payloadOf(issue("ENG"));
  const delivery = { source: "linear", event: "Issue", id: "delivery-0", payload } as const;
  await assert.rejects(() => takeDelivery(ports, delivery, NOW, left.signal));
  for (const table of ["deliveries", "wishes"] as const) {
    assert.deepEqual(await db.selectFrom(table).selectAll().execute(), []);
  }
});
