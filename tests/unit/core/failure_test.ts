import assert from "node:assert/strict";
import { Failure, FAILURES } from "svc/core/failure.ts";

Deno.test("Failure knows its exit status and HTTP status", () => {
  const failure = new Failure("refused", "Cannot write: observer profile", { remedy: "x" });
  assert.deepEqual([failure.exit, failure.http, failure.detail.remedy], [3, 403, "x"]);
});

Deno.test("Failure.from keeps a Failure and hides anything else behind `internal`", () => {
  const own = new Failure("usage", "Cannot");
  assert.equal(Failure.from(own), own);
  const wrapped = Failure.from(new TypeError("secret detail"));
  assert.equal(wrapped.code, "internal");
  assert.ok(!wrapped.message.includes("secret detail"));
  assert.ok(wrapped.cause instanceof TypeError);
});

Deno.test("exit statuses are those of the documented table", () => {
  const exits = Object.fromEntries(
    Object.entries(FAILURES).map(([code, { exit }]) => [code, exit]),
  );
  assert.deepEqual(exits, {
    failed: 1,
    not_found: 1,
    too_busy: 1,
    not_offered: 1,
    locked: 1,
    usage: 2,
    refused: 3,
    login_needed: 3,
    answer_needed: 4,
    environment: 5,
    conflict: 6,
    internal: 70,
    interrupted: 130,
  });
});
