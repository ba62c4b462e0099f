import assert from "node:assert/strict";
import {
  changedFields,
  fieldConflicts,
  filledFrom,
  typedFields,
  withMine,
} from "svc/dashboard/state/ticket_fields.ts";

const BASE = typedFields({
  ...{ title: "Mend the pump", type: "bug", priority: "p2", role: "engineer" },
  ...{ depends_on: ["T-0001", "T-0002"], acceptance: ["It pumps"] },
});

Deno.test("changedFields sees what a field holds, not how it is typed", () => {
  const typed = { ...BASE, depends_on: "T-0001  T-0002", acceptance: " It pumps \n\n" };
  assert.deepEqual(changedFields(BASE, typed), []);
  assert.deepEqual(changedFields(BASE, { ...typed, depends_on: "" }), ["depends_on"]);
});

Deno.test("fieldConflicts names what both changed to different things; the rest is kept of both", () => {
  const mine = { ...BASE, title: "Mend both pumps", priority: "p0", role: "qa" };
  const theirs = { ...BASE, priority: "p3", role: "qa", type: "debt" };
  assert.deepEqual(fieldConflicts(BASE, mine, theirs), [
    { name: "priority", mine: "p0", theirs: "p3" },
  ]);
  assert.deepEqual(withMine(BASE, mine, theirs), { ...mine, type: "debt" });
});

Deno.test("filledFrom takes a template where nothing was typed, and leaves what was", () => {
  const none = { fields: { ...BASE, title: "", acceptance: "" }, text: "" };
  const bug = { type: "bug", priority: "p1", role: "qa", acceptance: ["A test"], text: "What?" };
  const chore = { ...bug, type: "debt", acceptance: ["Checks pass"], text: "Why?" };
  const filled = filledFrom(none, undefined, bug);
  assert.deepEqual([filled.fields.acceptance, filled.text], ["A test", "What?"]);
  const typed = { ...filled, text: "It drips." };
  const again = filledFrom(typed, bug, chore);
  assert.deepEqual([again.fields.acceptance, again.text], ["Checks pass", "It drips."]);
  assert.equal(again.fields.type, "debt");
  assert.equal(filledFrom(filled, bug, undefined).text, "");
});
