import assert from "node:assert/strict";
import { TRACE_PIECE_BYTES, TraceIndexes } from "svc/features/agent/trace_index.ts";
import { denoFiles, type Files } from "svc/platform/files/files.ts";
import { line, longTrace, reply, results } from "tests/kit/long_trace.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

/** The files of this machine, and how many bytes were read at once and in all. */
function counted() {
  const read = { bytes: 0, most: 0 };
  const files: Pick<Files, "openRead"> = {
    async openRead(path) {
      const file = await denoFiles().openRead(path);
      return {
        facts: () => file.facts(),
        async read(from, bytes) {
          const got = await file.read(from, bytes);
          read.bytes += got.length;
          read.most = Math.max(read.most, got.length);
          return got;
        },
        [Symbol.dispose]: () => file[Symbol.dispose](),
      };
    },
  };
  return { read, traces: new TraceIndexes(files) };
}

const FIFTY_MB = 50 * 1024 * 1024;

verifies(
  ["4.2:debug:page"],
  "a trace of 50 MB is looked through once, in pieces; then only what is asked for is read",
  async () => {
    await using folder = await tempFolder();
    const path = `${folder.path}/job.jsonl`;
    const turns = await longTrace(path, FIFTY_MB);
    const { read, traces } = counted();
    const { bytes, steps } = await traces.open(path, (trace) => Promise.resolve(trace));
    assert.ok(bytes >= FIFTY_MB);
    assert.equal(steps.filter(({ kind }) => kind === "reply").length, turns);
    assert.deepEqual([read.bytes, read.most], [bytes, TRACE_PIECE_BYTES]);

    read.bytes = 0;
    const place = steps[Math.floor(steps.length / 2)]!;
    const text = await traces.open(path, (trace) => trace.text(place));
    assert.equal(JSON.parse(text).turn, place.turn);
    assert.equal(read.bytes, place.bytes);
  },
);

Deno.test("an index goes on where the file has grown, and begins anew with another file", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/job.jsonl`;
  const begin = line("job", { job: "j1", branch: "svc/T-0001" }) +
    line("started", { messages: [] }) + reply(1, "a");
  const half = reply(2, "b").slice(0, -50);
  await Deno.writeTextFile(path, begin + half);
  const { read, traces } = counted();
  const look = () =>
    traces.open(path, (trace) => Promise.resolve({ ...trace, steps: [...trace.steps] }));
  const first = await look();
  assert.deepEqual(first.steps.map(({ kind, turn }) => [kind, turn]), [["started", undefined], [
    "reply",
    1,
  ]]);
  assert.deepEqual([first.unfinished, first.broken], [half.length, 0]);
  assert.ok(first.job !== undefined && first.steps[1]!.results === undefined);

  // The rest of the line comes, with the results of both turns.
  read.bytes = 0;
  const more = reply(2, "b").slice(-50) + results(2, "b") + line("ended", { turns: 2 });
  await Deno.writeTextFile(path, more, { append: true });
  const then = await look();
  assert.deepEqual(then.steps.map(({ kind }) => kind), ["started", "reply", "reply", "ended"]);
  assert.equal(then.unfinished, 0);
  assert.equal(then.steps[2]!.results?.bytes, results(2, "b").length - 1);
  assert.equal(read.bytes, half.length + more.length);

  await Deno.remove(path);
  await Deno.writeTextFile(path, reply(7, "x"));
  assert.deepEqual((await look()).steps.map(({ turn }) => turn), [7]);
});

Deno.test("lines that a crash cut short are counted, and results of another run's calls are left out", async () => {
  await using folder = await tempFolder();
  const path = `${folder.path}/job.jsonl`;
  await Deno.writeTextFile(
    path,
    reply(1, "a") + reply(2, "b").slice(0, 200) + "\n\n" + results(9, "z") + "no JSON\n" +
      reply(3, "ä".repeat(40)) + results(3, "c"),
  );
  const { traces } = counted();
  const found = await traces.open(path, async ({ steps, broken, text }) => ({
    steps,
    broken,
    last: await text(steps[1]!),
  }));
  assert.deepEqual(found.steps.map(({ turn, results }) => [turn, results !== undefined]), [
    [1, false],
    [3, true],
  ]);
  assert.equal(found.broken, 2);
  assert.equal(JSON.parse(found.last).message.text, `turn 3: ${"ä".repeat(40)}`);
});
