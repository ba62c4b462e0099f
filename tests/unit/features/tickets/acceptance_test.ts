/** What a ticket says must hold. */
import assert from "node:assert/strict";
import { acceptanceLines } from "svc/features/tickets/acceptance.ts";

Deno.test("acceptance is what the front matter lists and what stands below its heading", () => {
  const text = [
    ...["---", "id: T-0001", "acceptance: [one]", "---", "", "## Context", "", "check lint", ""],
    ...["## Acceptance ##", "", "- [ ] one", "  and more", "### More", "- two", ""],
    ...["## Evidence", "", "- check lint passes"],
  ].join("\r\n");
  const lines = acceptanceLines({ acceptance: ["one"] }, text);
  assert.deepEqual(lines, ["one", "- [ ] one", "  and more", "### More", "- two"]);
  assert.deepEqual(acceptanceLines({ acceptance: [] }, "no heading"), []);
});

Deno.test("a comment in code ends no acceptance, and a heading in code begins none", () => {
  const text = [
    ...["## Context", "", "```", "## Acceptance", "- [ ] check lint", "```", ""],
    ...["## Acceptance", "", "```sh", "# in a new clone", "npm ci", "```", "- [ ] check test", ""],
    ...["## Evidence", ""],
  ].join("\n");
  assert.deepEqual(
    acceptanceLines({ acceptance: [] }, text),
    ["```sh", "# in a new clone", "npm ci", "```", "- [ ] check test"],
  );
});
