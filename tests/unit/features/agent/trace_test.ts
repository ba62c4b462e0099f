import assert from "node:assert/strict";
import fc from "fast-check";
import { redactor } from "svc/core/redact.ts";
import type { AgentPlan, Trace } from "svc/features/agent/agent.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import { endIn, resumeFrom } from "svc/features/agent/resume.ts";
import { openTrace, readTrace, TRACE_LINE_BYTES } from "svc/features/agent/trace.ts";
import { redactSecrets } from "svc/features/guardrails/redact_text.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { call, calling, finishing, mustBeWhole, rig, type Step } from "./scripted_run.ts";

const CANARY = 'SVC_CANARY_9f2c"quoted';
const redact = redactor([CANARY], redactSecrets);
const opened = (path: string) =>
  openTrace({ files: denoFiles(), path, redact, clock: systemClock });

Deno.test("openTrace writes owner-only JSON lines without secrets", async () => {
  await using home = await tempFolder();
  const path = `${home.path}/traces/demo/job.jsonl`;
  {
    using trace = await opened(path);
    await trace.write("reply", {
      message: { text: `key ${CANARY}`, calls: [{ args: JSON.stringify({ token: CANARY }) }] },
      b64: btoa(`x${CANARY}`),
    });
    await trace.write("turn", { text: "two\nlines" });
  }
  const text = await Deno.readTextFile(path);
  assert.ok(!text.includes("SVC_CANARY") && !text.includes(btoa(CANARY).slice(0, 12)));
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  assert.equal((await Deno.stat(`${home.path}/traces/demo`)).mode! & 0o777, 0o700);
  const [first, second] = readTrace(text);
  assert.match(first!.at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.deepEqual([first!.kind, second!.kind, second!.text], ["reply", "turn", "two\nlines"]);
});

Deno.test("openTrace bounds a line, and keeps it readable", async () => {
  await using home = await tempFolder();
  const path = `${home.path}/job.jsonl`;
  using trace = await opened(path);
  await trace.write("reply", { message: { text: "ä".repeat(TRACE_LINE_BYTES) }, short: "whole" });
  const parts = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [i, "y".repeat(60_000)]));
  await trace.write("turn", parts);
  const lines = (await Deno.readTextFile(path)).trim().split("\n");
  assert.equal(lines.length, 2);
  for (const line of lines) assert.ok(new TextEncoder().encode(line).length <= TRACE_LINE_BYTES);
  const [first] = readTrace(lines.join("\n"));
  assert.deepEqual([first!.cut, first!.short], [true, "whole"]);
  assert.match(JSON.stringify(first!.message), /\[\d+ characters left out of the trace\]/);
});

Deno.test("openTrace cuts a text between characters, since a run that goes on sends it again", async () => {
  await using home = await tempFolder();
  const path = `${home.path}/job.jsonl`;
  using trace = await opened(path);
  await trace.write("reply", { text: `a${"😀".repeat(TRACE_LINE_BYTES / 4)}` });
  const [record] = readTrace(await Deno.readTextFile(path));
  assert.equal(record!.cut, true);
  assert.ok(String(record!.text).isWellFormed());
});

Deno.test("readTrace passes over half a line, at the end or where a run went on", async () => {
  await using home = await tempFolder();
  const path = `${home.path}/job.jsonl`;
  {
    using trace = await opened(path);
    for (const turn of [1, 2, 3]) await trace.write("turn", { turn });
  }
  const whole = await Deno.readTextFile(path);
  for (let length = 0; length <= whole.length; length++) {
    const read = readTrace(whole.slice(0, length));
    assert.deepEqual(read, readTrace(whole).slice(0, read.length));
  }
  await Deno.writeTextFile(path, whole.slice(0, -9));
  {
    using trace = await opened(path);
    await trace.write("turn", { turn: 4 });
  }
  assert.deepEqual(readTrace(await Deno.readTextFile(path)).map(({ turn }) => turn), [1, 2, 4]);
});

const long = "a line of output\n".repeat(40);
const script = (): Step[] => [
  { text: "I look", ...calling(call("read", 1, "a"), call("read", 2, "b")) },
  { text: "hm" },
  calling(call("write", 3, "c"), call("read", 4, "d")),
  { text: "" },
  calling(call("read", 5, "e"), call("read", 6, "f")),
  calling(call("read", 7, "g")),
  finishing(),
];
const tools = { read: () => ({ text: long }), write: (args: string) => ({ text: args }) };

async function traced(path: string, steps: readonly Step[], more: Partial<AgentPlan> = {}) {
  const run = rig(steps, { tools, window: 1_500, plan: more });
  using trace = await opened(path);
  const end = await runAgent({ ...run.plan, trace });
  return { run, end };
}

Deno.test("resumeFrom goes on after any line as if the run had not been cut off", async () => {
  await using home = await tempFolder();
  const path = `${home.path}/whole.jsonl`;
  const { run: whole, end } = await traced(path, script());
  assert.equal(end.disposition, "submitted");
  const text = await Deno.readTextFile(path);
  assert.ok(text.includes('"kind":"compacted"'), "the script makes a compaction");
  assert.equal(resumeFrom(readTrace(text)), undefined, "it came to its end");
  assert.equal(resumeFrom([]), undefined);
  const lines = text.trim().split("\n");
  for (let kept = 1; kept < lines.length; kept++) {
    const records = readTrace(lines.slice(0, kept).join("\n"));
    if (kept === lines.length - 1) {
      assert.equal(resumeFrom(records), undefined, "the turn says that it was the last");
      assert.equal(endIn(records)!.disposition, "submitted");
      continue;
    }
    const resumed = resumeFrom(records)!;
    mustBeWhole([...resumed.messages, { role: "assistant", text: "next", calls: [] }]);
    const last = records.at(-1)!.kind;
    if (last === "reply") {
      const calls = (records.at(-1)!.message as { calls: unknown[] }).calls.length;
      assert.match(
        resumed.messages.at(-1)!.text,
        calls === 0 ? /^Go on/ : /look before you repeat it/,
      );
      continue;
    }
    // Its next request is the very one that the whole run made.
    const path = `${home.path}/resumed-${kept}.jsonl`;
    await Deno.writeTextFile(path, `${lines.slice(0, kept).join("\n")}\n{"half a li`);
    const asked = whole.model.requests.length - script().length + resumed.turns;
    const { run, end: second } = await traced(path, script().slice(resumed.turns), {
      resume: resumed,
    });
    assert.deepEqual(run.model.requests[0]!.messages, whole.model.requests[asked]!.messages);
    // Whether a server still has the prompt of the run that was cut off is not known.
    assert.ok(second.freshIn >= end.freshIn);
    assert.deepEqual({ ...second, freshIn: end.freshIn }, end);
    assert.equal(resumeFrom(readTrace(await Deno.readTextFile(path))), undefined);
  }
});

Deno.test("resumeFrom joins what was said in two lines, as the run did", () => {
  const user = (text: string) => ({ append: [{ role: "user", text }] });
  const messages = [{ role: "system", text: "s" }, { role: "user", text: "t" }];
  const resumed = resumeFrom([
    { at: "", kind: "started", messages },
    { at: "", kind: "reply", message: { role: "assistant", text: "hm", calls: [] } },
    { at: "", kind: "turn", ...user("go on") },
    { at: "", kind: "note", ...user("the end") },
  ])!;
  assert.equal(resumed.messages.length, 4);
  assert.equal(resumed.messages[3]!.text, "go on\n\nthe end");
});

Deno.test("resumeFrom goes on with a run that was cancelled, after its last turn", async () => {
  await using home = await tempFolder();
  const path = `${home.path}/cut.jsonl`;
  const cancel = new AbortController();
  const steps = script().slice(0, 2);
  const { run, end } = await traced(path, steps, {
    signal: cancel.signal,
    onTurn: ({ turn }) => turn === 2 && cancel.abort(),
  });
  assert.equal(end.disposition, "cancelled");
  const records = readTrace(await Deno.readTextFile(path));
  assert.equal(endIn(records)!.disposition, "cancelled");
  const resumed = resumeFrom(records)!;
  assert.equal(resumed.turns, 2);
  assert.deepEqual(resumed.messages.slice(0, 2), run.model.requests[0]!.messages);
});

Deno.test("openTrace writes nothing that acts on a terminal, and reads it as it was", async () => {
  await using home = await tempFolder();
  const path = `${home.path}/job.jsonl`;
  const evil = "\x1b[2J\x9b31m\u202egnp.exe\x7f";
  {
    using trace = await opened(path);
    await trace.write("turn", { text: evil });
  }
  const text = await Deno.readTextFile(path);
  // deno-lint-ignore no-control-regex -- they are what must not be there
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  assert.equal(readTrace(text)[0]!.text, evil);
});

Deno.test("openTrace syncs what something follows from before write returns", async () => {
  const done: string[] = [];
  const file = {
    write: (text: string) => Promise.resolve(void done.push(JSON.parse(text).kind)),
    sync: () => Promise.resolve(void done.push("sync")),
    [Symbol.dispose]: () => void done.push("closed"),
  };
  {
    using trace = await openTrace({
      files: {
        makeFolder: (path) => Promise.resolve(assert.equal(path, "/traces/demo")),
        stat: () => Promise.resolve(undefined),
        openAppend: () => Promise.resolve(file),
      },
      path: "/traces/demo/job.jsonl",
      redact,
      clock: systemClock,
    });
    for (const kind of ["reply", "turn", "compacted", "ended"]) await trace.write(kind, {});
  }
  assert.deepEqual(done, ["reply", "turn", "sync", "compacted", "sync", "ended", "sync", "closed"]);
});

Deno.test("readTrace never throws", () => {
  const pieces = fc.constantFrom(
    "{",
    "}",
    "\n",
    '"kind"',
    '"at"',
    ":",
    '""',
    ",",
    "null",
    "[1]",
    "é",
  );
  fc.assert(fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
    for (const { kind } of readTrace(parts.join(""))) assert.notEqual(kind, undefined);
  }));
});

Deno.test("runAgent has its turn on the disk when it is shown", async () => {
  await using home = await tempFolder();
  const path = `${home.path}/job.jsonl`;
  using trace: Trace & Disposable = await opened(path);
  const run = rig(script(), { tools });
  const shown: unknown[] = [];
  await runAgent({
    ...run.plan,
    trace,
    onTurn: ({ turn }) => {
      const last = readTrace(Deno.readTextFileSync(path)).at(-1)!;
      shown.push([last.kind, last.turn === turn]);
    },
  });
  assert.deepEqual(shown, Array(7).fill(["turn", true]));
});
