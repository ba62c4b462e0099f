import assert from "node:assert/strict";
import { acceptanceOf } from "svc/dashboard/parts/acceptance.ts";
import { verifies } from "tests/kit/verifies.ts";

const BODY = `## Context

It rains in.

## Acceptance

- [ ] The roof is tight
- [x] A test pours water,
  twice
- [ ] to be said

## Evidence

- 2026-11-20 created
`;

verifies(
  ["2.1:tickets:state-directories"],
  "acceptanceOf says each thing once, from the field and from the text",
  () => {
    const { wishes, rest } = acceptanceOf(["The roof  is tight"], BODY, false);
    assert.deepEqual(wishes, [
      { text: "The roof  is tight", met: false },
      { text: "A test pours water, twice", met: true },
    ]);
    assert.doesNotMatch(rest, /Acceptance/);
    assert.match(rest, /It rains in\.[^]*## Evidence/);
  },
);

Deno.test("acceptanceOf: what is done is met, whatever the boxes say", () => {
  const { wishes } = acceptanceOf(["The roof is tight"], BODY, true);
  assert.deepEqual(wishes.map(({ met }) => met), [true, true]);
});

Deno.test("acceptanceOf keeps prose below its heading, and headings in code", () => {
  const { wishes, rest } = acceptanceOf(
    [],
    "```\n## Acceptance\n- [ ] no\n```\n## Acceptance\nAsk ada.\n",
    false,
  );
  assert.deepEqual(wishes, []);
  assert.match(rest, /- \[ \] no/);
  assert.match(rest, /## Acceptance\n\nAsk ada\.\n$/);
});

Deno.test("acceptanceOf takes a point of very many lines, such as a pasted log", () => {
  const lines = 60_000; // joined one by one they took minutes
  const { wishes } = acceptanceOf(
    [],
    `## Acceptance\n- [ ] all\n${"  of it\n".repeat(lines)}`,
    false,
  );
  assert.deepEqual(wishes, [{ text: `all${" of it".repeat(lines)}`, met: false }]);
});
