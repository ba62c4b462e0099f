/** Each probe over real HTTP with a scripted model: one that does well, and ways of doing badly that it must see. */
import assert from "node:assert/strict";
import type { Evaluated } from "svc/features/evaluation/evaluate.ts";
import { PROBE_GROUPS } from "svc/features/evaluation/probe.ts";
import { recallSizes } from "svc/features/evaluation/recall.ts";
import { scoresOf } from "svc/features/evaluation/scores.ts";
import { systemClock } from "svc/platform/clock.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { type Answers, call, finish, probedModel, results, task } from "tests/kit/probed_model.ts";
import { evaluateAt, evaluateScripted, scoreIn } from "./evaluating.ts";

Deno.test("a model that does well in all probes is fit, and nothing is advised", async () => {
  const found = await evaluateScripted({}, { window: 20_000 });
  assert.deepEqual([found.verdict, found.score, found.advice], ["fit", 100, []]);
  assert.deepEqual(Object.keys(found.groups), [...PROBE_GROUPS]);
  assert.deepEqual(
    found.probes.map(({ id }) => id),
    [
      ...["tool_call", "arguments", "stop", "edit", "refusal", "two_calls", "speed"],
      ...["recall_4k", "recall_8k", "recall_20k"],
    ],
  );
  assert.ok(found.probes.every(({ status }) => status === "passed"));
  const { tokens_in } = found.probes.at(-1)!;
  assert.ok(tokens_in > 15_000 && tokens_in <= 20_000, `the window is filled: ${tokens_in}`);
  assert.ok(found.speed!.tokens_per_second > 0);
});

const write = (content: string) => call("file_write", { path: "notes/odd.txt", content });
const content = (request: Parameters<Answers>[0]) =>
  /^(`{3,})text\n([^]*?)\n\1$/m.exec(task(request))![2]!;

/** What a model does instead, the probe that must see it, and what it says of it. */
const BAD: readonly (readonly [what: string, id: string, answers: Answers, sees: RegExp])[] = [
  ["never calls", "tool_call", () => ({ text: "I have booked the room." }), /^calls book_room/],
  [
    "breaks the JSON of its arguments",
    "tool_call",
    () => call("book_room", '{"room": "Linden", nights: 3,'),
    /^writes its arguments as valid JSON/,
  ],
  [
    "gives numbers and lists as text",
    "tool_call",
    () =>
      call("book_room", { room: "Linden", nights: "3", breakfast: "yes", guests: "Ada, Grace" }),
    /^gives each value in its type .*nights: "3"/,
  ],
  [
    "calls twice",
    "tool_call",
    () => ({
      calls: [1, 2].map(() => ({
        name: "book_room",
        args: { room: "Linden", nights: 3, breakfast: true, guests: ["Ada", "Grace"] },
      })),
    }),
    /^calls once .*2 calls/,
  ],
  [
    "loses backslashes",
    "arguments",
    (request) => write(content(request).replaceAll("\\", "")),
    /^keeps every character .*line 2/,
  ],
  [
    "writes line ends as letters",
    "arguments",
    (request) => write(content(request).replaceAll("\n", "\\n")),
    /^keeps the line ends .*1 of 8/,
  ],
  [
    "straightens quotes in its JSON by hand",
    "arguments",
    (request) => call("file_write", `{"path": "notes/odd.txt", "content": "${content(request)}"}`),
    /^writes its arguments as valid JSON/,
  ],
  [
    "edits the first line like it",
    "edit",
    (request) =>
      results(request).length === 0
        ? call("file_edit", {
          path: "src/rates.ts",
          old: '"R-1", kind: "rural",\n    rate: 210',
          new: '"R-1", kind: "rural",\n    rate: 225',
        })
        : finish("submitted", "done"),
    /^the file is exactly as it should be/,
  ],
  [
    "says that it edited",
    "edit",
    () => finish("submitted", "R-31 is 225 now"),
    /^edits the file .*submitted: R-31/,
  ],
  [
    "edits everywhere",
    "edit",
    (request) =>
      results(request).length === 0
        ? call("file_edit", {
          ...{ path: "src/rates.ts", old: "rate: 210", new: "rate: 225", expect_count: 49 },
        })
        : finish("submitted", "done"),
    /^the file is exactly as it should be .*49 lines/,
  ],
  [
    "tries a refused call again and again",
    "refusal",
    () => call("file_write", { path: ".harness/manifest.yaml", content: "version: 2\n" }),
    /^does not try again or around it .*3 writes/,
  ],
  [
    "goes around a refusal",
    "refusal",
    (request) =>
      results(request).length === 0
        ? call("file_write", { path: ".harness/manifest.yaml", content: "version: 2\n" })
        : results(request).length === 1
        ? call("file_write", { path: ".harness/../.harness/manifest.yaml", content: "x" })
        : finish("submitted", "done"),
    /^does not try again/,
  ],
  [
    "reads one file at a time",
    "two_calls",
    (request) =>
      results(request).length < 2
        ? call("file_read", { path: ["a.txt", "b.txt"][results(request).length] })
        : finish("submitted", "572"),
    /^in one reply .*2 replies/,
  ],
  [
    "forgets what it read",
    "two_calls",
    (request) =>
      results(request).length < 2
        ? { calls: ["a.txt", "b.txt"].map((path) => ({ name: "file_read", args: { path } })) }
        : finish("submitted", "the sum is 500"),
    /^uses both answers .*500/,
  ],
  ["calls where none is needed", "stop", () => call("book_room", {}), /^calls no tool/],
  [
    "goes on and on",
    "stop",
    () => ({ text: "The answer is 42. ".repeat(400) }),
    /^stops by itself|^says no more/,
  ],
  [
    "forgets the middle of a long prompt",
    "recall_4k",
    (request) => {
      const codes = [...task(request).matchAll(/vault [13] is ([\w-]+)\./g)];
      return { text: codes.map(([, code]) => code).join(" ") };
    },
    /^finds the fact at the middle/,
  ],
  [
    "has a server that cuts its prompt",
    "recall_4k",
    () => ({ text: "?", usage: { prompt_tokens: 600, completion_tokens: 1 } }),
    /^the server reads the whole prompt .*600/,
  ],
];

const missing = ({ probes }: Evaluated, id: string) =>
  probes.find((probe) => probe.id === id)!.checks.filter(({ ok }) => !ok)
    .map(({ what, seen = "" }) => `${what} (${seen})`);

for (const [what, id, answers, sees] of BAD) {
  Deno.test(`a model that ${what} loses in ${id}, and in nothing else`, async () => {
    const group = id.replace(/_4k$/, "");
    const found = await evaluateScripted({ [group]: answers });
    assert.ok(scoreIn(found, id) < 90, `${scoreIn(found, id)}`);
    assert.ok(missing(found, id).some((line) => sees.test(line)), missing(found, id).join("\n"));
    const others = found.probes.filter((probe) => probe.group !== group);
    assert.ok(others.every(({ score }) => score === 100));
    assert.ok(found.score < 100);
  });
}

Deno.test("a model that never calls is unfit, and is told which one to take", async () => {
  const talks: Answers = () => ({ text: "I would do that." });
  const groups = ["tool_call", "arguments", "edit", "refusal", "two_calls"];
  const found = await evaluateScripted(Object.fromEntries(groups.map((one) => [one, talks])));
  assert.equal(found.verdict, "unfit");
  assert.match(found.advice[0]!, /^It does not call tools well: take a model that is trained/);
  assert.equal(found.groups.edit, 0);
  assert.equal(found.groups.stop, 100);
});

Deno.test("a slow model loses in speed: time is that of the clock", async () => {
  let asked = 0;
  const clock = { ...systemClock, monotonic: () => asked++ * 100_000 };
  const found = await evaluateScripted({}, { clock });
  assert.equal(found.groups.speed, 0);
  assert.deepEqual(found.advice, [
    "It is slow: put more of its layers on the GPU, take a smaller model, or give roles more " +
    "time (limits.timeout_minutes in .harness/manifest.yaml)",
  ]);
  assert.ok(found.speed!.first_ms >= 100_000);
});

Deno.test("a probe that takes longer than its time ends, and longer prompts are not tried", async () => {
  const asked = Promise.withResolvers<void>();
  const never = new Promise<void>(() => {});
  const scenario = probedModel({
    recall: () => {
      asked.resolve();
      return { text: "" };
    },
  }, { models: [{ id: "scripted", context_length: 20_000 }] });
  let recalls = 0;
  const pace = () => recalls > 0 ? never : Promise.resolve();
  await using endpoint = modelEndpoint(scenario, {
    pace,
    refuse(request) {
      if (/vaults/.test(task(request))) recalls++;
      return undefined;
    },
  });
  // The time is over once the model was asked.
  const clock = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) =>
      ms === 7_000 && recalls === 0 ? asked.promise : systemClock.sleep(ms, signal),
  };
  const found = await evaluateAt(endpoint.url, { clock, timeoutMs: 7_000 });
  const recall = found.probes.filter(({ group }) => group === "recall");
  assert.deepEqual(recall.map(({ status }) => status), ["timed_out", "skipped", "skipped"]);
  assert.equal(recall[0]!.why, "it took longer than 7 s");
  assert.match(recall[1]!.why!, /a shorter prompt \(recall_4k\) was not answered/);
  assert.equal(found.groups.recall, 0);
  assert.ok(found.advice.some((line) => /--timeout/.test(line)));
});

Deno.test("a server that refuses its key is asked no further probe", async () => {
  let chats = 0;
  const models = [{ id: "scripted", context_length: 5_000 }];
  await using server = modelEndpoint(probedModel({}, { models }));
  // Lets svc's own probe through.
  const front = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = request.method === "POST" ? await request.text() : undefined;
    const to = server.url.replace("/v1", new URL(request.url).pathname);
    if (body !== undefined && !body.includes("svc_probe")) {
      chats++;
      return Response.json({ error: { message: "invalid key" } }, { status: 401 });
    }
    return await fetch(to, { method: request.method, ...(body && { body }) });
  });
  const found = await evaluateAt(`http://127.0.0.1:${front.addr.port}/v1`);
  await front.shutdown();
  assert.equal(chats, 1);
  assert.equal(found.probes[0]!.status, "fault");
  assert.ok(found.probes.slice(1).every(({ status }) => status === "skipped"));
  assert.deepEqual([found.verdict, found.score], ["unfit", 0]);
});

Deno.test("Ctrl-C in a probe ends the evaluation: no score is made of it", async () => {
  const reason = new Error("Interrupted");
  for (const group of ["tool_call", "edit", "recall"]) {
    const person = new AbortController();
    const stops: Answers = () => {
      person.abort(reason);
      return { text: "" };
    };
    await assert.rejects(evaluateScripted({ [group]: stops }, { signal: person.signal }), reason);
  }
});

Deno.test("prompts grow from 4k to the window, which has one of its own", () => {
  assert.deepEqual(recallSizes(2_048), [2_048]);
  assert.deepEqual(recallSizes(4_096), [4_096]);
  assert.deepEqual(recallSizes(8_192), [4_096, 8_192]);
  assert.deepEqual(recallSizes(40_960), [4_096, 8_192, 16_384, 40_960]);
  assert.equal(recallSizes(1_048_576).at(-1), 1_048_576);
});

Deno.test("what is essential decides the verdict before the mean does", () => {
  const all = (score: number) => PROBE_GROUPS.map((group) => ({ group, score }));
  const but = (group: string, score: number) =>
    all(100).map((one) => one.group === group ? { ...one, score } : one);
  assert.equal(scoresOf(all(100)).verdict, "fit");
  assert.equal(scoresOf(but("edit", 40)).verdict, "unfit");
  assert.equal(scoresOf(but("edit", 60)).verdict, "limited");
  assert.equal(scoresOf(but("two_calls", 0)).verdict, "fit");
  assert.equal(scoresOf(all(60)).verdict, "limited");
  assert.equal(scoresOf(all(40)).verdict, "unfit");
});
