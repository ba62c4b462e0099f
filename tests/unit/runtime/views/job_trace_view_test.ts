/** The steps of a run from its trace in pieces: what an answer holds, what it leaves for later, what it says is wrong. */
import assert from "node:assert/strict";
import { VIEW_CALL_CHARS, VIEW_TEXT_CHARS } from "svc/core/bounds.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { TRACE_STEPS_A_PIECE, TRACE_TEXT_CHARS } from "svc/runtime/views/job_trace_view.ts";
import { line, longTrace, prompt, reply, results } from "tests/kit/long_trace.ts";
import { verifies } from "tests/kit/verifies.ts";
import { SECRET } from "./site.ts";
import { tracePlace } from "./trace_place.ts";

verifies(
  ["4.2:debug:page"],
  "a run's steps tell prompt, thinking, words, calls with output, and how it ended",
  async () => {
    await using at = await tracePlace();
    const thought = line("reply", {
      turn: 1,
      message: {
        ...{ role: "assistant", text: "I write it.", reasoning: { text: "It is small." } },
        calls: [
          { id: "a", name: "file_write", args: '{"path":"a.txt","content":"one\\ntwo","n":2}' },
          { id: "b", name: "odd", args: "{no json" },
        ],
      },
      ...{ end: "length", repeated: "text", written: [{}] },
      usage: { tokensIn: 9, cachedIn: 4, tokensOut: 3 },
    });
    const answered = line("turn", {
      ...{ turn: 1, elapsedMs: 1200 },
      append: [
        { role: "tool", callId: "a", text: "written" },
        { role: "user", text: "Call a tool." },
      ],
      outcomes: [{ status: "failed", facts: { refused: "no" }, durationMs: 7 }],
    });
    await Deno.writeTextFile(
      at.path,
      prompt("Be careful.") + thought + answered +
        line("note", { append: [{ role: "user", text: "Mind the gap." }], person: ["n1"] }) +
        line("overflow", { how: "refused" }) + line("summary", { text: "It wrote." }) +
        line("compacted", { before: 90, after: 20, messages: [{ role: "user", text: "Short." }] }) +
        line("proof", { committed: true, objections: [], refused: "no commit" }) +
        line("ended", { disposition: "no_work", evidence: "nothing to do", turns: 1 }) +
        line("summary", { fault: "timeout" }) + line("reply", { turn: 3 }),
    );
    const { steps, total, live, missing } = await at.trace();
    assert.deepEqual([total, live, missing], [10, false, []]);
    assert.deepEqual(steps.map(({ title }) => title), [
      "The prompt",
      "Turn 1",
      "A person told it something",
      "The prompt did not fit the model: refused",
      "The model summed up what was done",
      "The conversation was made shorter: 90 to 20 tokens",
      "svc looked at the work, and did not take its end",
      "Ended as no work after 1 turn",
      "No summary of what was done: timeout",
      "A step that cannot be read",
    ]);
    const said = (nth: number) => steps[nth]!.texts.map(({ name, text }) => `${name}: ${text}`);
    assert.deepEqual(said(0), [
      ...["system: Be careful.", "user: Mend it.", "tools offered: file_read, finish"],
    ]);
    assert.deepEqual(said(1), [
      "reasoning: It is small.",
      "model: I write it.",
      "svc: Call a tool.",
    ]);
    assert.deepEqual(said(2), ["a person: Mind the gap."]);
    assert.deepEqual(said(6), ["svc: no commit", "seen: committed: true"]);
    const [written, odd] = steps[1]!.calls;
    assert.deepEqual(
      [written!.status, written!.brief, written!.args.text, written!.result?.text],
      ["refused", "a.txt one two 2", "path: a.txt\ncontent:\none\ntwo\nn: 2", "written"],
    );
    assert.deepEqual([written!.duration_ms, steps[1]!.duration_ms], [7, 1200]);
    assert.deepEqual([odd!.status, odd!.args.text, odd!.result], [
      "not answered",
      "{no json",
      null,
    ]);
    assert.deepEqual(steps[1]!.tokens, { in: 9, out: 3, cached: 4 });
    assert.equal(steps[1]!.notes.length, 3);
  },
);

verifies(
  ["4.2:debug:page"],
  "of a trace of 50 MB an answer holds one piece, and a text is read on where it was cut",
  async () => {
    await using at = await tracePlace();
    const turns = await longTrace(at.path, 50 * 1024 * 1024);
    const first = await at.trace();
    assert.deepEqual([first.steps.length, first.total], [TRACE_STEPS_A_PIECE, turns + 1]);
    assert.ok(JSON.stringify(first).length < 256 * 1024);
    const last = await at.trace({ from: String(turns - 3), count: "3" });
    assert.deepEqual(last.steps.map(({ step, turn }) => [step, turn]), [
      [turns - 3, turns - 3],
      [turns - 2, turns - 2],
      [turns - 1, turns - 1],
    ]);
    const result = last.steps[2]!.calls[0]!.result!;
    assert.equal(result.text.length, VIEW_CALL_CHARS);
    const rest = (await at.reads["job-trace-text"]({
      ...{
        id: at.id,
        step: String(turns - 1),
        part: result.part,
        from: String(result.text.length),
      },
    }))!;
    assert.equal(result.text.length + rest.text.length, result.chars);
    assert.ok((result.text + rest.text).startsWith(`output ${turns - 1}: 0123`));
    for (const odd of ["x", "-1", "1e3", "9999999999"]) {
      assert.deepEqual((await at.trace({ from: odd })).steps, [], odd);
      assert.equal(
        await at.reads["job-trace-text"]({ id: at.id, step: odd, part: "text" }),
        undefined,
        odd,
      );
    }
    assert.deepEqual((await at.trace({ from: String(turns + 9) })).steps, []);
  },
);

Deno.test("long steps make an answer end early, and a text of any length comes in pieces", async () => {
  await using at = await tracePlace();
  const calls = Array.from({ length: 90 }, (_, nth) => ({
    ...{ id: `c${nth}`, name: "file_read", args: JSON.stringify({ path: "x".repeat(9_000) }) },
  }));
  const wide = (turn: number) =>
    line("reply", {
      ...{ turn, usage: { tokensIn: 1, tokensOut: 1 } },
      message: { role: "assistant", text: "", calls },
    });
  const long = "😀".repeat(TRACE_TEXT_CHARS);
  await Deno.writeTextFile(at.path, reply(1, long) + wide(2) + wide(3) + wide(4));
  const { steps } = await at.trace();
  assert.deepEqual(steps.map(({ turn }) => turn), [1, 2], "the third would be too much");
  let read = steps[0]!.texts[0]!.text;
  assert.ok(read.isWellFormed() && read.length <= VIEW_TEXT_CHARS);
  while (read.length < steps[0]!.texts[0]!.chars) {
    const more = (await at.reads["job-trace-text"]({
      ...{ id: at.id, step: "0", part: "text", from: String(read.length) },
    }))!;
    assert.ok(more.text.length > 0 && more.text.length <= TRACE_TEXT_CHARS);
    read += more.text;
  }
  assert.equal(read, `turn 1: ${long}`);
});

verifies(
  ["2.2:registered-repo:path-not-exposed"],
  "no piece tells half of a secret or of a path",
  async () => {
    await using at = await tracePlace();
    const home = at.ports.home.root;
    // Wherever a bound falls, it falls on one of them.
    const told = `${SECRET} ${at.repo.path} ${home} `.repeat(3_000);
    await Deno.writeTextFile(
      at.path,
      prompt(told) + reply(1, told) + results(1, told) +
        line("proof", { refused: told, checks: told }),
    );
    const trace = await at.trace();
    const texts = [JSON.stringify(trace)];
    for (const { step, texts: parts, calls } of trace.steps) {
      const all = [
        ...parts,
        ...calls.flatMap(({ args, result }) => result ? [args, result] : [args]),
      ];
      for (const { part, text, chars } of all) {
        for (let from = text.length; from < chars; from += TRACE_TEXT_CHARS) {
          const query = { id: at.id, step: String(step), part, from: String(from) };
          texts.push((await at.reads["job-trace-text"](query))!.text);
        }
      }
    }
    assert.ok(texts.length > 8);
    for (const text of texts) {
      // The end of a repo's path is its name, which may be shown.
      const kept = [at.repo.path, home, SECRET].map((one) => one.slice(0, one.length / 2 + 4));
      for (const half of [...kept, SECRET.slice(-SECRET.length / 2)]) {
        assert.equal(text.includes(half), false, half);
      }
    }
  },
);

Deno.test("a trace that grows is told as live, with the line that is being written left for later", async () => {
  await using at = await tracePlace("running");
  assert.deepEqual(await at.trace(), {
    ...{ steps: [], total: 0, bytes: 0, live: true },
    missing: ["It has not come to its first turn yet"],
  });
  const half = results(1, "x").slice(0, -40);
  await Deno.writeTextFile(at.path, prompt("Be careful.") + reply(1, "a") + half);
  const before = await at.trace();
  assert.deepEqual([before.total, before.missing], [2, []]);
  assert.equal(before.steps[1]!.calls[0]!.status, "not answered");
  await Deno.writeTextFile(at.path, results(1, "x").slice(-40) + reply(2, "b"), { append: true });
  const after = await at.trace({ from: "1" });
  assert.deepEqual(after.steps.map(({ calls }) => calls[0]!.status), ["ok", "not answered"]);
});

Deno.test("a trace that is cut short, packed, pruned or gone is told as such", async () => {
  await using at = await tracePlace();
  const missing = async () => (await at.trace()).missing;
  await Deno.writeTextFile(at.path, reply(1, "a") + reply(2, "b").slice(0, 99) + "\n" + '{"at":"2');
  assert.deepEqual(await missing(), [
    "One line of its trace is broken off",
    "Its trace ends in the middle of a line: its writer was killed, or the disk was full",
  ]);
  const packed = new Blob([reply(1, "a")]).stream().pipeThrough(new CompressionStream("gzip"));
  await Deno.writeFile(at.path, packed);
  assert.match((await missing()).join(), /^Its trace was compressed, and is shown once .*\.jsonl$/);
  await Deno.rename(at.path, `${at.path}.gz`);
  assert.match((await missing()).join(), /^Its trace was compressed, and is shown .*\.jsonl\.gz$/);
  await Deno.remove(`${at.path}.gz`);
  assert.deepEqual(await missing(), ["There is no trace: the job never reached its first turn"]);
  await at.ports.db.updateTable("jobs").set({ trace_path: at.path }).execute();
  assert.deepEqual(await missing(), ["The trace no longer exists: its file is gone"]);
  await at.ports.db.insertInto("removals").values({
    ...{
      id: at.id,
      job_id: at.id,
      what: "files",
      repo_id: at.repoId,
      role: "engineer",
      ticket_id: null,
    },
    ...{ disposition: "reported", ended_at: 1, removed_at: Date.parse("2026-11-22T10:00:00Z") },
  }).execute();
  assert.deepEqual(await missing(), [
    "Its trace and its outputs were removed by retention on 2026-11-22",
  ]);
});

Deno.test("reading in pieces is what the files' port does: past the end there is nothing", async () => {
  await using at = await tracePlace();
  await Deno.writeTextFile(at.path, "0123456789");
  using file = await denoFiles().openRead(at.path);
  const text = async (from: number, bytes: number) =>
    new TextDecoder().decode(await file.read(from, bytes));
  assert.deepEqual([await text(7, 9), await text(0, 2), await text(11, 4)], ["789", "01", ""]);
  assert.equal((await file.facts()).size, 10);
  await assert.rejects(denoFiles().openRead(at.ports.home.traces), /is a folder|folder/);
});
