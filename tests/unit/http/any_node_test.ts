/** Webhooks of a team on a PostgreSQL server: each delivery may reach any node, and counts once. */
import assert from "node:assert/strict";
import { openStore } from "svc/store/open.ts";
import { POSTGRES } from "tests/kit/postgres.ts";
import { verifies } from "tests/kit/verifies.ts";
import { ports, useEngine } from "tests/unit/store/temp_store.ts";
import { controlPlace, REMOTE } from "./control_place.ts";

const issue = (number: number) => ({
  action: "labeled",
  label: { name: "svc" },
  issue: {
    ...{
      number,
      title: "Mend the pump",
      body: "It drips",
      state: "open",
      labels: [{ name: "svc" }],
    },
    ...{ user: { login: "ada" }, html_url: `https://github.com/${REMOTE}/issues/${number}` },
    updated_at: "2026-11-20T10:00:00Z",
  },
  repository: { full_name: REMOTE, html_url: `https://github.com/${REMOTE}` },
  sender: { login: "ada" },
});

verifies(
  "4.1:control-listener:code-host-webhooks",
  "a delivery that reaches two nodes at once is taken in once, whichever answers first",
  { ignore: POSTGRES === undefined, sanitizeOps: false, sanitizeResources: false },
  async () => {
    useEngine("postgres");
    await using north = await controlPlace();
    await using shared = await openStore(ports, north.store.path);
    await using south = await controlPlace({ db: shared.db });
    for (let nth = 1; nth <= 10; nth++) {
      const places = nth % 2 === 0 ? [north, south] : [south, north];
      const sent = await Promise.all(
        places.map((place) => place.github("issues", issue(nth), `delivery-${nth}`)),
      );
      assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 202]);
      assert.equal(sent.filter(({ body }) => body.duplicate).length, 1);
    }
    const wishes = await north.store.db.selectFrom("wishes").selectAll().execute();
    assert.equal(wishes.length, 10);
    assert.ok(wishes.every(({ repo_id }) => repo_id === north.repoId));
  },
);
