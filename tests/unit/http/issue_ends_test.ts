/** Issues of GitHub that end: from the signed POST of one of GitHub's own examples to the ticket. */
import assert from "node:assert/strict";
import examples from "@octokit/webhooks-examples" with { type: "json" };
import { verifies } from "tests/kit/verifies.ts";
import { settleIn } from "tests/unit/features/webhooks/request_place.ts";
import { checkoutAt } from "tests/unit/features/tickets/ticket_checkout.ts";
import { listTickets } from "svc/features/tickets/ticket_list.ts";
import { moveTicket } from "svc/features/tickets/tickets.ts";
import { pendingSettlements } from "svc/features/routing/settlement_store.ts";
import { type ControlPlace, controlPlace, REMOTE } from "./control_place.ts";

interface Issue {
  readonly action: string;
  readonly issue: Record<string, unknown>;
  readonly [key: string]: unknown;
}

const issues = (examples as unknown as { name: string; examples: Issue[] }[])
  .find(({ name }) => name === "issues")!.examples;

const SVC = { name: "svc" };
const time = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, "0")}:00Z`;

/** GitHub's example of the action, of one issue of the registered repo. */
function event(action: string, minute: number, more: Record<string, unknown> = {}): Issue {
  // GitHub publishes no example of an issue that is closed.
  const like = action === "closed" ? "reopened" : action;
  const example = issues.find((one) => one.action === like)!;
  const labels = action === "unlabeled" ? [] : [SVC];
  const state = action === "closed" ? "closed" : "open";
  return {
    ...example,
    ...{ action, label: SVC, sender: { login: "ada" } },
    issue: { ...example.issue, number: 7, updated_at: time(minute), labels, state, ...more },
    repository: { full_name: REMOTE, html_url: `https://github.com/${REMOTE}` },
  };
}

async function place(): Promise<ControlPlace> {
  const ground = await controlPlace();
  await ground.repo.git("config", "user.name", "Ada");
  await ground.repo.git("config", "user.email", "ada@example.org");
  return ground;
}

/** Each is sent and settled before the next comes. */
async function told(ground: ControlPlace, ...events: readonly Issue[]): Promise<void> {
  for (const one of events) {
    const { status, body } = await ground.github("issues", one);
    assert.equal(status, 202, JSON.stringify(body));
    assert.deepEqual((await settleIn(ground)).waiting, []);
  }
}

async function tickets({ repo }: ControlPlace) {
  using checkout = await checkoutAt(repo.path);
  return (await listTickets(checkout)).tickets;
}

/** Moves that are owed, and how the last request ended. */
async function outcome({ store: { db }, repoId }: ControlPlace): Promise<string> {
  const owed = await pendingSettlements(db, repoId);
  const rows = await db.selectFrom("wishes").selectAll().orderBy("id").execute();
  return [
    ...owed.map(({ ticket_id, from_state, to_state }) =>
      `${ticket_id} ${from_state} → ${to_state}`
    ),
    rows.at(-1)?.outcome,
  ].join("; ");
}

const ENDS = {
  closed: [{ state_reason: "not_planned" }, "closed in GitHub as not planned"],
  deleted: [{}, "deleted in GitHub"],
  transferred: [{}, "transferred in GitHub to Codertocat/Hello-World"],
  unlabeled: [{}, 'the label "svc" was taken off in GitHub'],
} as const;

verifies(
  "6:ingress:issue-ends",
  "an issue that is closed, deleted, transferred or loses its label ends the work on its ticket",
  async () => {
    await using ground = await place();
    for (const [at, [action, [more, why]]] of Object.entries(ENDS).entries()) {
      const [number, id] = [at + 7, `T-000${at + 1}`];
      await told(ground, event("labeled", 1, { number }), event(action, 2, { ...more, number }));
      // In the backlog a survey would start it; blocked, a person says how it goes on.
      assert.equal(await outcome(ground), `${id} in-progress → blocked; ${id}: ${why}`);
      const [owed] = await pendingSettlements(ground.store.db, ground.repoId);
      assert.match(owed!.unblock!, /Say whether the work is still wanted, then unblock it/);
      await ground.store.db.deleteFrom("settlements").execute();
    }
  },
);

Deno.test("a ticket in review is blocked as one in progress, and one that is done stays", async () => {
  await using ground = await place();
  const ends = ["in-progress", "review", "done"] as const;
  for (const [at, last] of ends.entries()) {
    const [number, id] = [at + 7, `T-000${at + 1}`];
    await told(ground, event("labeled", 1, { number }));
    using checkout = await checkoutAt(ground.repo.path);
    for (const to of ends.slice(0, at + 1)) await moveTicket(checkout, id, { to, actor: "ada" });
    await told(ground, event("closed", 2, { number }));
    const blocked = `${id} ${last} → blocked; ${id}: closed in GitHub`;
    assert.equal(await outcome(ground), last === "done" ? `${id} is done` : blocked);
    await ground.store.db.deleteFrom("settlements").execute();
  }
});

/** All but the true one. */
const ORDERS = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

verifies(
  "6:ingress:issue-order",
  "events of an issue count in the order of their own times, whatever the order they come in",
  async () => {
    await using ground = await place();
    for (const [at, order] of ORDERS.entries()) {
      const more = { number: at + 7 };
      const history = [
        event("labeled", 1, more),
        event("closed", 2, more),
        event("reopened", 3, more),
      ];
      await told(ground, ...order.map((nth) => history[nth]!));
      assert.deepEqual(await pendingSettlements(ground.store.db, ground.repoId), [], `${order}`);
    }
    const found = await tickets(ground);
    assert.deepEqual(found.map(({ state }) => state), ORDERS.map(() => "backlog"));
    const count = found.length;
    await told(ground, event("closed", 2, { number: 70 }), event("labeled", 1, { number: 70 }));
    assert.equal(await outcome(ground), "its issue was ended since");
    await told(ground, event("deleted", 1, { number: 71 }), event("labeled", 5, { number: 71 }));
    assert.equal(await outcome(ground), "its issue was ended since");
    assert.equal((await tickets(ground)).length, count);
  },
);

type Ground = Awaited<ReturnType<typeof place>>;

const linearIn = (ground: Ground) => (minute: number, more: object, updatedFrom: object) =>
  ground.linear({
    ...{ type: "Issue", action: "update", actor: { id: "u1", name: "ada" }, updatedFrom },
    data: {
      ...{ id: "i1", identifier: "ENG-3", title: "Mend", team: { key: "ENG" } },
      ...{ labels: [{ id: "l1", name: "svc" }], updatedAt: time(minute), ...more },
    },
  });

Deno.test("an issue of Linear that somebody completed, or that is a duplicate, blocks its ticket", async () => {
  for (
    const [type, why] of [
      ["completed", "completed in Linear"],
      ["duplicate", "closed in Linear as a duplicate"],
    ]
  ) {
    await using ground = await place();
    const linear = linearIn(ground);
    await linear(1, { state: { type: "backlog" } }, { labelIds: [] });
    await settleIn(ground);
    await linear(2, { state: { type } }, { stateId: "s0" });
    await settleIn(ground);
    assert.equal(await outcome(ground), `T-0001 in-progress → blocked; T-0001: ${why}`);
  }
});

Deno.test("an issue of Linear that was cancelled later than it was labelled gets no ticket", async () => {
  await using ground = await place();
  const linear = linearIn(ground);
  const ended = await linear(2, { state: { type: "canceled" } }, { stateId: "s0" });
  const late = await linear(1, { state: { type: "backlog" } }, { labelIds: [] });
  assert.deepEqual([ended.status, late.status], [202, 202]);
  await settleIn(ground);
  assert.equal(await outcome(ground), "its issue was ended since");
  assert.deepEqual(await tickets(ground), []);
});

Deno.test("events that wait together count as those that come one by one", async () => {
  await using ground = await place();
  for (const [action, minute] of [["labeled", 1], ["closed", 2], ["reopened", 3]] as const) {
    await ground.github("issues", event(action, minute));
  }
  await settleIn(ground);
  assert.deepEqual((await tickets(ground)).map(({ state }) => state), ["backlog"]);
  assert.deepEqual(await pendingSettlements(ground.store.db, ground.repoId), []);
});

Deno.test("a label that is not svc's, one of two, and a label on a closed issue end and begin nothing", async () => {
  await using ground = await place();
  const ignored = async (one: Issue) => (await ground.github("issues", one)).body;
  const other = { ...event("unlabeled", 2), label: { name: "bug" } };
  const ignores = (reason: string) => ({ ok: true, ignored: true, reason });
  assert.deepEqual(await ignored(other), ignores("no label of svc"));
  const left = event("unlabeled", 2, { labels: [SVC] });
  assert.deepEqual(await ignored(left), ignores("another label of svc is left"));
  const late = event("labeled", 2, { state: "closed" });
  assert.deepEqual(await ignored(late), ignores("a closed issue"));
});
