/** Which bundles a machine can run. */
import assert from "node:assert/strict";
import { autoBundle, eligibility } from "svc/features/models/bundles/eligible.ts";
import { fitOf, LEAST_WINDOW, type MachineFacts } from "svc/features/models/bundles/fit.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { verifies } from "tests/kit/verifies.ts";

const GIB = 1024 ** 3;
const { bundles } = registry();
const [small, balanced, quality] = bundles;

function machine(memory: number, vram: readonly (number | null)[] = [], disk = 500): MachineFacts {
  return {
    memoryBytes: memory * GIB,
    memoryFreeBytes: memory * GIB * 0.9,
    diskFreeBytes: disk * GIB,
    cores: 8,
    gpus: vram.map((gib) => ({ name: "GPU", memoryBytes: gib === null ? null : gib * GIB })),
  };
}

const all = (of: MachineFacts) =>
  bundles.map((bundle) => eligibility(bundle, of, bundle.artifact.bytes));

const able = (of: MachineFacts) =>
  all(of).filter(({ eligible }) => eligible).map(({ bundle }) => bundle.id);

verifies(
  "4.5:models-eligible:reports-bundles",
  "memory, GPU and disk decide which bundles a machine can run",
  () => {
    assert.deepEqual(able(machine(4)), []);
    assert.deepEqual(able(machine(7.7)), ["local-cpu-q3"]);
    assert.deepEqual(able(machine(31)), ["local-cpu-q3", "local-balanced-q4"]);
    assert.deepEqual(able(machine(62)), bundles.map(({ id }) => id));
    assert.deepEqual(able(machine(16, [24])), [
      "local-cpu-q3",
      "local-balanced-q4",
      "local-quality-q8",
    ]);
    assert.deepEqual(able(machine(62, [], 10)), ["local-cpu-q3"]);
    assert.deepEqual(able(machine(62, [], 1)), []);
  },
);

Deno.test("a refusal says what is missing and how much", () => {
  const [, found] = all(machine(7.7, [], 10));
  assert.deepEqual(found?.reasons, [
    "memory: it needs 22.2 GB, this machine has 8.3 GB",
    "disk: it needs 19.1 GB, 10.7 GB are free",
  ]);
});

Deno.test("a file that is here needs no room", () => {
  const { eligible } = eligibility(small!, machine(16, [], 0), 0);
  assert.equal(eligible, true);
});

Deno.test("GPUs take as many layers as they have memory for, one beside another", () => {
  assert.equal(fitOf(balanced!, machine(64)).gpuLayers, 0);
  assert.equal(fitOf(balanced!, machine(64, [null])).gpuLayers, 0);
  assert.equal(fitOf(balanced!, machine(64, [0.5])).gpuLayers, 0);
  const one = fitOf(balanced!, machine(64, [12])).gpuLayers;
  assert.ok(one > 15 && one < 30, String(one));
  assert.equal(fitOf(balanced!, machine(64, [12, 12])).gpuLayers, 2 * one);
  const whole = fitOf(balanced!, machine(64, [48]));
  assert.equal(whole.gpuLayers, balanced!.layers);
  assert.equal(whole.memoryBytes, 2e9); // all but the rest is on the GPU
});

Deno.test("where memory is short the window gives way, down to what an agent needs", () => {
  const fit = fitOf(balanced!, machine(24));
  assert.equal(fit.contextWindow, 32_768);
  assert.equal(fitOf(balanced!, machine(4)).contextWindow, LEAST_WINDOW);
  const { reasons } = eligibility(balanced!, machine(24), 0);
  assert.ok(reasons.includes("its window is cut to 32768 tokens to fit"), reasons.join("; "));
});

Deno.test("auto takes the best that runs well: eight bits only where a GPU holds them", () => {
  const auto = (of: MachineFacts) => autoBundle(all(of), "auto")?.bundle.id;
  assert.equal(auto(machine(2)), undefined);
  assert.equal(auto(machine(7.7)), small!.id);
  assert.equal(auto(machine(31)), balanced!.id);
  assert.equal(auto(machine(125)), balanced!.id);
  assert.equal(auto(machine(62, [80])), quality!.id);
});

Deno.test("a performance profile takes less of the machine, or all that runs", () => {
  const on = (of: MachineFacts, ...profiles: Parameters<typeof autoBundle>[1][]) =>
    profiles.map((profile) => autoBundle(all(of), profile)?.bundle.id);
  assert.deepEqual(on(machine(62, [80]), "light", "balanced", "full"), [
    ...[small!.id, balanced!.id, quality!.id],
  ]);
  assert.deepEqual(on(machine(125), "light", "balanced", "full"), [
    ...[small!.id, balanced!.id, quality!.id],
  ]);
  assert.deepEqual(on(machine(7.7), "light", "balanced", "full"), [
    small!.id,
    small!.id,
    small!.id,
  ]);
  assert.deepEqual(on(machine(2), "light", "full"), [undefined, undefined]);
});
