import assert from "node:assert/strict";
import { newKey } from "svc/features/guardrails/fingerprint.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { secretScan } from "svc/features/guardrails/secret_scan.ts";
import { FACTS_PROOFS } from "svc/features/scanner/facts_shape.ts";
import { lookAtFile, readLooked } from "svc/features/scanner/look_at_file.ts";
import { readFiles } from "svc/features/scanner/read_files.ts";
import { RULES } from "svc/features/scanner/rules/all.ts";
import { systemClock, threadTime } from "svc/platform/clock.ts";
import { type BareWorkers, bareWorkers } from "svc/platform/confined/bare_worker.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import { verifies } from "tests/kit/verifies.ts";

const MODULE = new URL("../../../../src/features/scanner/scan_worker.ts", import.meta.url).href;
const encoder = new TextEncoder();
const draw = new Draw(7);

/** Every sixth kind of secret and every example of a rule, between longer files. */
const FILES: readonly (readonly [path: string, bytes: Uint8Array])[] = [
  ...RULES.flatMap(({ examples }) => [...examples.bad, ...examples.good]).flatMap(({ files }, at) =>
    Object.entries(files).map(([path, text]) => [`e${at}/${path}`, text] as const)
  ),
  ...secretRules().filter((_, at) => at % 6 === 0).map(({ id, examples }) =>
    [`s/${id}.env`, examples(draw).join("\n")] as const
  ),
  ["src/lib.rs", "#[cfg(test)]\nmod tests {}\n"] as const,
].flatMap(([path, text], at) => [
  [`long/${at}.ts`, encoder.encode(`export const a = "é";\n// TODO: ${at}\n`.repeat(120))] as const,
  [path, encoder.encode(text)] as const,
]);

interface Counted extends BareWorkers {
  answers: number;
}

function counted(): Counted {
  const real = bareWorkers(MODULE, systemClock);
  const workers: Counted = {
    ...real,
    most: 1,
    startBytes: 1,
    answers: 0,
    start: (heard) =>
      real.start((message) => {
        workers.answers++;
        heard(message);
      }),
  };
  return workers;
}

/** Lets messages in as the reader does every now and then; the Worker has all its work by the end. */
async function each(visit: (path: string, bytes: Uint8Array) => void): Promise<void> {
  for (const [at, [path, bytes]] of FILES.entries()) {
    visit(path, bytes);
    if (at % 50 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
}

verifies(
  "4.5:guardrails-secret-scan:finds-common-patterns",
  "a Worker finds the same secrets at the same places, in the same order",
  async () => {
    const key = newKey();
    const workers = counted();
    const scan = (with_?: BareWorkers) =>
      secretScan({ each: (visit) => each((path, bytes) => visit({ path, bytes })) }, {
        key,
        now: threadTime(systemClock),
        ...(with_ && { workers: with_ }),
      });
    const alone = await scan();
    assert.ok(alone.findings.length > 50);
    assert.deepEqual(await scan(workers), alone);
    assert.ok(workers.answers >= 2, `${workers.answers} answers`);
  },
);

verifies(
  "4.5:scan:reports-gaps",
  "a Worker reads the same facts, in the same order",
  async () => {
    const key = newKey();
    const workers = counted();
    const readTree: ReadTree = (_plan, visit) => each((path, bytes) => visit(path, bytes, ""));
    const read = async (with_?: BareWorkers) => [
      ...await readFiles({
        root: "/",
        paths: FILES.map(([path]) => path),
        key,
        readTree,
        clock: systemClock,
        signal: new AbortController().signal,
        progress() {},
        ...(with_ && { workers: with_ }),
      }),
    ];
    const alone = await read();
    assert.deepEqual(await read(workers), alone);
    assert.ok(workers.answers >= 2, `${workers.answers} answers`);
  },
);

Deno.test("a Worker's answer is taken as facts where it is such, and in no other case", () => {
  const answers = FILES.map(([path, bytes]) => {
    const { facts, hits } = lookAtFile(path, bytes, {});
    return { size: bytes.length, answer: JSON.parse(JSON.stringify({ facts, hits })) };
  });
  const seen = new Set<string>();
  for (const { size, answer } of answers) {
    assert.deepEqual(readLooked(answer, size), answer);
    assert.equal(readLooked(answer, size + 1), undefined);
    for (const key of Object.keys(answer.facts)) {
      seen.add(key);
      for (const other of [null, -1, [[1]], [1, "b"], { x: 1 }, false]) {
        const wrong = { ...answer, facts: { ...answer.facts, [key]: other } };
        assert.equal(readLooked(wrong, size), undefined, `${key}: ${JSON.stringify(other)}`);
      }
    }
    assert.equal(readLooked({ ...answer, facts: { ...answer.facts, more: 1 } }, size), undefined);
    for (const [at, hit] of answer.hits.entries()) {
      for (const change of [{ rule: "none" }, { line: 0 }, { secret: "" }, { shown: "x" }]) {
        const hits = answer.hits.with(at, { ...hit, ...change });
        assert.equal(readLooked({ ...answer, hits }, size), undefined);
      }
    }
  }
  for (const wrong of [null, 1, "x", [], { facts: null, hits: [] }]) {
    assert.equal(readLooked(wrong, 0), undefined);
  }
  const added = ["untracked", "todoTimes", "secrets"];
  assert.deepEqual(Object.keys(FACTS_PROOFS).filter((key) => !seen.has(key)).sort(), added.sort());
});

Deno.test("a Worker of a scan reaches nothing", async () => {
  const module = `data:text/javascript,${
    encodeURIComponent(`onmessage = () => {
      const tries = [
        () => Deno.readTextFileSync("/etc/hostname"),
        () => Deno.writeTextFileSync("/tmp/x", ""),
        () => Deno.env.get("HOME"),
        () => new Deno.Command("true").outputSync(),
        () => Deno.listen({ port: 0 }),
        () => Deno.hostname(),
      ];
      const attempt = (one) => { try { one(); return "done"; } catch (thrown) { return thrown.name; } };
      postMessage(tries.map(attempt));
    };`)
  }`;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const worker = bareWorkers(module, systemClock).start(resolve);
  worker.post("try");
  assert.deepEqual(await promise, Array(6).fill("NotCapable"));
  worker.end();
});

Deno.test("a Worker that cannot be loaded is heard to have died", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const worker = bareWorkers("data:text/javascript,throw 1", systemClock).start(resolve);
  assert.equal(await promise, undefined);
  worker.end();
});
