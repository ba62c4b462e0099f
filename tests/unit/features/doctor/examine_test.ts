import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { examine } from "svc/features/doctor/examine.ts";
import { type Ground, ok, type Probe, warning } from "svc/features/doctor/probe.ts";

const probe = (id: string, run: Probe["run"]): Probe => ({ id, about: id, run });
const ground = {} as Ground; // these probes look at nothing

Deno.test("examine keeps every finding with the probe it came from, and counts them", async () => {
  const { findings, counts } = await examine([
    probe("one", () => Promise.resolve([ok("fine"), warning("odd", "mend it")])),
    probe("two", () => Promise.resolve([])),
  ], ground);
  assert.deepEqual(findings.map(({ probe, level }) => [probe, level]), [
    ["one", "ok"],
    ["one", "warning"],
  ]);
  assert.deepEqual(counts, { ok: 1, warning: 1, error: 0 });
});

Deno.test("a probe that fails is an error with its own remedy, and the next one runs", async () => {
  const { findings } = await examine([
    probe(
      "bad",
      () => Promise.reject(new Failure("environment", "Cannot look", { remedy: "fix" })),
    ),
    probe("good", () => Promise.resolve([ok("fine")])),
  ], ground);
  assert.deepEqual(findings[0], { probe: "bad", level: "error", text: "Cannot look", fix: "fix" });
  assert.equal(findings[1]!.probe, "good");
});

Deno.test("a crash inside a probe is no finding: it is thrown on", async () => {
  const crash = probe("crash", () => Promise.reject(new TypeError("bug")));
  await assert.rejects(() => examine([crash], ground), TypeError);
});
