/** A step as `svc jobs logs` prints it. */
import assert from "node:assert/strict";
import { type ShownStep, showStep } from "svc/cli/jobs/shown_step.ts";
import { page } from "svc/cli/page/page.ts";

const FACTS = { styled: false, redact: (text: string) => text };

function shownOf(text: string, whole: boolean): string {
  let said = "";
  const step = {
    ...{ step: 0, kind: "reply", turn: 1, at: "", title: "It answered", notes: [] },
    ...{ texts: [{ name: "text", text }], calls: [], tokens: null, duration_ms: null },
  } as unknown as ShownStep;
  showStep(page((text) => void (said += text), FACTS), step, whole);
  return said;
}

Deno.test("a long text of a step is cut between characters, with how much is left out", () => {
  for (const before of ["", "x"]) {
    const text = before + "🚢".repeat(2_000);
    assert.match(shownOf(text, false), /🚢\n {4}… \d+ more characters: --full/u);
    assert.ok(shownOf(text, false).isWellFormed());
    assert.ok(shownOf(text, true).includes(text));
  }
});
