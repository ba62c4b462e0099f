import assert from "node:assert/strict";
import { abilitiesOf, ABILITY, lacking } from "svc/core/abilities.ts";

Deno.test("a node can what its config says, each once", () => {
  const of = (tags: string[], models: string[], usual?: string) =>
    abilitiesOf({
      node: { tags, models },
      models: { ...(usual && { default: { model: usual } }) },
    });
  assert.deepEqual(of([], []), []);
  assert.deepEqual(of(["gpu", "big", "gpu"], ["b"], "a"), [
    ...["model:a", "model:b", "tag:big", "tag:gpu"],
  ]);
  assert.deepEqual(of([], ["a"], "a"), ["model:a"]);
});

Deno.test("needs are words that both sides can write", () => {
  for (const word of ["tag:gpu", "tag:a.b-c_1", "model:qwen/Qwen3-Coder:30b"]) {
    assert.match(word, ABILITY);
  }
  for (const word of ["gpu", "tag:", "tag:-a", "tag:a b", "model:", "model:a,b", "tags:gpu", ""]) {
    assert.doesNotMatch(word, ABILITY);
  }
});

Deno.test("lacking names what a node has not", () => {
  assert.deepEqual(lacking(null, []), []);
  assert.deepEqual(lacking('["tag:gpu","model:a"]', ["model:a", "tag:gpux"]), ["tag:gpu"]);
});
