/** Where each thing stands on the board, and what is said of it there. */
import assert from "node:assert/strict";
import { CARDS_A_ZONE, cardsOf } from "svc/runtime/views/pipeline_view.ts";
import type { Card } from "svc/runtime/views/card.ts";
import { CARD_ROWS } from "./card_rows.ts";
import { MORE_CARD_ROWS } from "./more_card_rows.ts";
import { begun, blocked, lane, of } from "./card_samples.ts";
import { HOUR, job, MINUTE, NOW, repo, REPO_ID, service, settlement, ticket } from "./facts.ts";

for (
  const { what, zone, why, action, since, more = {}, ...facts } of [...CARD_ROWS, ...MORE_CARD_ROWS]
) {
  Deno.test(`cardsOf puts ${what} under ${zone}`, () => {
    const { cards } = cardsOf(service(facts.service), [facts.repo]);
    const card = cards.find((one) => why.test(one.why));
    assert.ok(card, JSON.stringify(cards, null, 1));
    assert.equal(card.zone, zone);
    assert.equal(
      card.since,
      since === null ? null : new Date(NOW - since * HOUR).toISOString(),
    );
    if (action === undefined) assert.equal(card.action, null);
    else assert.match(card.action ?? "", action);
    for (const [key, value] of Object.entries(more)) {
      assert.deepEqual(card[key as keyof Card], value, key);
    }
  });
}

Deno.test("cardsOf gives each ticket one card, with the first thing that is true of it", () => {
  const live = [job({ status: "running", ticket_id: "T-0001" }), job({ ticket_id: "T-0001" })];
  const settlements = [settlement({ waits_for: "a clean checkout: a" })];
  const { cards } = cardsOf(service(), [repo({ ...of([ticket(begun)]), live, settlements })]);
  assert.deepEqual(cards.map(({ zone, key }) => [zone, key]), [[
    "working",
    `ticket:${REPO_ID}:T-0001`,
  ]]);
});

Deno.test("cardsOf leaves out what nobody needs to see", () => {
  const old = job({ role: "qa", status: "failed", finished_at: NOW - 30 * 24 * HOUR });
  const quiet = job({ role: "ceo", status: "completed", disposition: "no_work" });
  const stopped = job({ role: "gardener", status: "failed", disposition: "cancelled" });
  const again = job({ role: "engineer" });
  const ofRole = new Map([old, quiet, stopped, again].map((one) => [one.role, one]));
  const done = ticket({ state: "done", updated: "2026-11-19T10:00:00Z" });
  const strange = { ...lane, key: "ffffffffffff/engineer" };
  const board = cardsOf(service({ lanes: [strange] }), [repo({ ...of([done]), ofRole })]);
  assert.deepEqual(board.cards, []);
  const observer = service({ profile: "observer" });
  const fault = '"main" to be checked out: "fix" is';
  assert.deepEqual(cardsOf(observer, [repo({ files: { fault } })]).cards, []);
});

Deno.test("cardsOf orders zones, then age, and counts the cards that it does not list", () => {
  const many = Array.from(
    { length: CARDS_A_ZONE + 7 },
    (_, at) => ticket({ id: `T-${1000 + at}`, updated: new Date(NOW - at * MINUTE).toISOString() }),
  );
  const done = [1, 2].map((at) =>
    ticket({ id: `T-000${at}`, state: "done", updated: new Date(NOW - at * HOUR).toISOString() })
  );
  const { cards, totals } = cardsOf(service(), [
    repo(of([...done, ...many, { ...blocked, id: "T-0009" }])),
  ]);
  assert.deepEqual(totals, {
    needs_you: 1,
    failing: 0,
    waiting: CARDS_A_ZONE + 7,
    working: 0,
    done: 2,
  });
  assert.equal(cards.length, 1 + CARDS_A_ZONE + 2);
  assert.equal(cards[0]!.zone, "needs_you");
  assert.equal(cards[1]!.ticket_id, `T-${1000 + CARDS_A_ZONE + 6}`, "the one that waits longest");
  assert.deepEqual(cards.slice(-2).map(({ ticket_id }) => ticket_id), ["T-0001", "T-0002"]);
  assert.equal(new Set(cards.map(({ key }) => key)).size, cards.length);
});

Deno.test("cardsOf shortens what somebody else wrote", () => {
  const loud = ticket({ title: `${"a".repeat(9_000)}\n\n\tb` });
  const [card] = cardsOf(service(), [repo(of([loud]))]).cards;
  assert.ok(card!.title.length <= 201);
});
