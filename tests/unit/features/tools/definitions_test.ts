import assert from "node:assert/strict";
import { z } from "zod";
import { TOOLS, toolsFor } from "svc/features/tools/all.ts";
import { definitionOf, parametersOf } from "svc/features/tools/definitions.ts";
import { tool } from "svc/features/tools/tool.ts";

Deno.test("models are told of each tool what its arguments are checked by", () => {
  for (const one of [...TOOLS, ...toolsFor(["routed"], { leftovers: true, asks: true })]) {
    const { type, function: told } = definitionOf(one);
    assert.equal(type, "function");
    assert.deepEqual(
      { ...told, parameters: JSON.stringify(told.parameters) },
      // Prompt caches compare bytes: what was generated has the same order, too.
      {
        name: one.name,
        description: one.about,
        parameters: JSON.stringify(parametersOf(one)),
      },
    );
    assert.equal(definitionOf(one), definitionOf(one));
  }
});

Deno.test("a tool's shape is made when it is first asked for, and once", () => {
  let made = 0;
  const one = tool({
    name: "say",
    about: "Says it.",
    capability: "read",
    args() {
      made++;
      return z.strictObject({ word: z.string() });
    },
    run: ({ role }, { word }) => Promise.resolve({ ok: true, text: `${role}: ${word}` }),
  });
  assert.equal(made, 0);
  assert.deepEqual(one.args.parse({ word: "x" }), { word: "x" });
  assert.equal(one.args, one.args);
  assert.equal(made, 1);
});
