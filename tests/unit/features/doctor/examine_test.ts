import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { examine } from "svc/features/doctor/examine.ts";
import {
  type HeldBackLane,
  ok,
  type Probe,
  type ProbeContext,
  warning,
} from "svc/features/doctor/probe.ts";
import { heldBack } from "svc/features/doctor/machine_probes.ts";

const probe = (id: string, run: Probe["run"]): Probe => ({ id, about: id, run });
const context = {} as ProbeContext; // these probes look at nothing

Deno.test("examine keeps every finding with the probe it came from, and counts them", async () => {
  const { findings, counts } = await examine([
    probe("one", () => Promise.resolve([ok("fine"), warning("odd", "mend it")])),
    probe("two", () => Promise.resolve([])),
  ], context);
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
  ], context);
  assert.deepEqual(findings[0], { probe: "bad", level: "error", text: "Cannot look", fix: "fix" });
  assert.equal(findings[1]!.probe, "good");
});

Deno.test("a crash inside a probe is no finding: it is thrown on", async () => {
  const crash = probe("crash", () => Promise.reject(new TypeError("bug")));
  await assert.rejects(() => examine([crash], context), TypeError);
});

Deno.test("the probe held-back names what waits for a person, and the run that lifts it", async () => {
  const held = {
    kind: "model",
    key: "acme/large",
    reason: "no quota",
    role: "qa",
    repo: "/r",
  } as const;
  let database = "/home/db/app/svc.db";
  const found = async (...lanes: HeldBackLane[]) => {
    const { findings } = await examine([heldBack], {
      databases: () => Promise.resolve([database]),
      home: () => ({ db: "/home/db" }),
      files: { stat: () => Promise.resolve({}) },
      heldBack: () => Promise.resolve(lanes),
    } as unknown as ProbeContext);
    return findings.map(({ level, text, fix }) => [level, text, fix]);
  };
  assert.deepEqual(await found(held, { ...held, kind: "role", key: "0/qa" }), [
    [
      "warning",
      "model acme/large is held back: no quota",
      "mend what it names, then: svc run qa --repo /r",
    ],
    [
      "warning",
      'role "qa" of /r is held back: no quota',
      "mend what it names, then: svc run qa --repo /r",
    ],
  ]);
  assert.deepEqual(await found(), [["ok", "no model and no role is held back", undefined]]);
  // What svc serve holds back, a run on the repo's own database would not let go of.
  database = "/home/of serve/svc.db";
  const [[, , run], [, , none]] = await found(held, { ...held, role: null }) as [
    string[],
    string[],
  ];
  assert.equal(run, "mend what it names, then: svc run qa --repo /r --db '/home/of serve/svc.db'");
  assert.equal(none, "mend what it names, then: svc serve --db '/home/of serve/svc.db'");
});
