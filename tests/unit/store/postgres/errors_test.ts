/** What the server or the network says decides whether work waits for it: no server is needed to know that. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { serverFailure } from "svc/store/postgres/errors.ts";

const SHOWN = "postgres://team@db/svc";

function told(code: string, message = "so it is") {
  const thrown = Object.assign(new Error(message), { code });
  const failure = serverFailure(thrown, SHOWN);
  assert.ok(failure instanceof Failure, `${code} is none of the server's`);
  assert.equal(failure.detail.cause, thrown);
  const prefix = `Cannot use the database "${SHOWN}": `;
  assert.ok(failure.message.startsWith(prefix), failure.message);
  const why = failure.message.slice(prefix.length);
  return { code: failure.code, why, waits: failure.detail.waits === true };
}

Deno.test("what passes without a change of settings waits: no attempt is used, and no ticket blocked [2.1:shared-database:holds-serve-state, 3.2:startup:resumes-active-jobs]", () => {
  const away = "the server does not answer";
  const waits: Record<string, readonly [code: string, why: string]> = {
    "57P01": ["environment", away],
    "57P03": ["environment", away],
    "08006": ["environment", away],
    ECONNREFUSED: ["environment", away],
    EPIPE: ["environment", away],
    ETIMEDOUT: ["environment", away],
    ENOENT: ["environment", away],
    "53300": ["environment", "the server takes no more connections"],
    "53100": ["environment", "the disk of the server is full"],
    "53200": ["environment", "the server has a fault"],
    "58030": ["environment", "the server has a fault"],
    XX000: ["environment", "the server has a fault"],
    "25006": ["environment", "the server is a read-only copy"],
    "40001": [
      "conflict",
      "another connection wanted the same rows at once, and the server undid this one",
    ],
    "40P01": [
      "conflict",
      "another connection wanted the same rows at once, and the server undid this one",
    ],
    "55P03": ["conflict", "another connection has held it locked for too long"],
    "57014": ["conflict", "another connection has held it locked for too long"],
  };
  for (const [sqlstate, [code, why]] of Object.entries(waits)) {
    assert.deepEqual(told(sqlstate), { code, why, waits: true }, sqlstate);
  }
  for (const message of ["Connection terminated unexpectedly", "Query read timeout"]) {
    assert.deepEqual(told("", message), { code: "environment", why: away, waits: true }, message);
  }
});

Deno.test("what a person has to mend does not wait, and what is svc's own is left as it is [2.1:shared-database:holds-serve-state]", () => {
  const mended: Record<string, string> = {
    "28000": "the server refuses the login",
    "28P01": "the server refuses the login",
    "3D000": "the server has no such database",
    "42501": "the user may not do this in the database",
    ENOTFOUND: "its host has no address",
    EAI_AGAIN: "its host has no address",
  };
  for (const [sqlstate, why] of Object.entries(mended)) {
    assert.deepEqual(told(sqlstate), { code: "environment", why, waits: false }, sqlstate);
  }
  const tls = "self-signed certificate";
  assert.equal(told("", tls).why, "its TLS is not what sslmode asks for");
  // A statement's own error may speak of a certificate, too.
  for (const [code, message] of [["23505", "duplicate key"], ["22P02", tls], ["", "a bug"]]) {
    const thrown = Object.assign(new Error(message), { code });
    assert.equal(serverFailure(thrown, SHOWN), thrown);
  }
});
