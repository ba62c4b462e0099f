/** For `assert.rejects`: a Failure of this code, with a message like that. */
import assert from "node:assert/strict";
import type { FailureCode } from "svc/core/failure.ts";
import { Failure } from "svc/core/failure.ts";

export const refusal = (code: FailureCode, message: RegExp) => (thrown: unknown): true => {
  const failure = Failure.from(thrown);
  assert.equal(failure.code, code, failure.message);
  assert.match(failure.message, message);
  return true;
};
