import assert from "node:assert/strict";
import { totalChars } from "svc/features/agent/conversation.ts";
import { runAgent } from "svc/features/agent/loop.ts";
import { ModelFault, type ModelRequest } from "svc/features/models/client/model.ts";
import type { StatedSizes } from "svc/features/models/client/overflow.ts";
import { call, calling, fault, finishing, rig } from "./scripted_run.ts";

const tools = { read: (args: string) => ({ text: `${args} ${"line\n".repeat(1_200)}` }) };
let read = 0;
const reading = () => calling(call("read", { path: `f${++read}` }));

/** Some 1,500 tokens each, at four characters a token. */
const turns = (count: number) => Array.from({ length: count }, reading);

const tokensOf = ({ messages, tools }: ModelRequest) =>
  (totalChars(messages) + JSON.stringify(tools).length) / 4;

function tooLong(stated: StatedSizes): ModelFault {
  const { message, detail } = fault("context_overflow");
  return new ModelFault("context_overflow", message, { ...detail, stated });
}

function answered(kind: "bad_request" | "server" | "quota", status: number): ModelFault {
  const { message, detail } = fault(kind);
  return new ModelFault(kind, message, { ...detail, status });
}

Deno.test("the window that an error states is taken for the model's from then on", async () => {
  const run = rig([...turns(8), tooLong({ window: 8_192 }), ...turns(6), finishing()], { tools });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const overflow = run.trace.records.filter(({ kind }) => kind === "overflow");
  assert.deepEqual(overflow.map(({ window }) => window), [8_192]);
  const [before, ...after] = run.model.requests.slice(8);
  assert.ok(tokensOf(before!) > 8_192);
  for (const request of after) assert.ok(tokensOf(request) <= 0.8 * 8_192, `${tokensOf(request)}`);
});

Deno.test("the prompt that an error counts teaches how long a token is", async () => {
  // The server counts twice as many tokens as four characters each would give.
  let chars = 0;
  const counted = (request: ModelRequest) => {
    chars = tokensOf(request) * 4;
    throw tooLong({ window: 16_000, prompt: Math.ceil(chars / 2) });
  };
  const run = rig([...turns(6), counted, ...turns(5), finishing()], { tools, window: 16_000 });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  assert.ok(chars / 4 < 0.8 * 16_000, "by the estimate it fits");
  for (const request of run.model.requests.slice(7)) {
    assert.ok(tokensOf(request) * 2 <= 0.8 * 16_000, `${tokensOf(request)}`);
  }
});

Deno.test("where only the reply has no room, a shorter one is asked for and nothing is left out", async () => {
  const prompt = 5_900;
  const stated = { window: 8_192, prompt, reply: 4_096 };
  const run = rig([...turns(3), tooLong(stated), finishing()], { tools, window: 8_192 });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
  const overflow = run.trace.records.filter(({ kind }) => kind === "overflow");
  assert.deepEqual(overflow.map(({ how, window }) => [how, window]), [
    ["no room for the reply", 8_192],
  ]);
  const [before, after] = run.model.requests.slice(3);
  assert.deepEqual(after!.messages, before!.messages);
  assert.ok(prompt + after!.maxTokens! <= 8_192, `${after!.maxTokens}`);
});

Deno.test("a prompt that is too long and then leaves no room for its reply is served all the same", async () => {
  const script = [
    ...turns(8),
    tooLong({ window: 8_192, prompt: 12_000, reply: 256 }),
    tooLong({ window: 8_192, prompt: 6_400, reply: 3_000 }),
    finishing(),
  ];
  const run = rig(script, { tools });
  assert.equal((await runAgent(run.plan)).disposition, "submitted");
});

Deno.test("a server that never has room for a reply is not asked for ever", async () => {
  const short = tooLong({ window: 8_192, prompt: 5_900, reply: 4_096 });
  const run = rig([...turns(3), short, short, short], { tools, window: 8_192 });
  const end = await runAgent(run.plan);
  assert.deepEqual([end.disposition, end.fault], ["model_error", short]);
});

for (const [kind, status] of [["bad_request", 400], ["server", 500]] as const) {
  Deno.test(`an unexplained ${status} at more than half of the window makes the prompt shorter once`, async () => {
    const script = [...turns(6), answered(kind, status), finishing()];
    const run = rig(script, { tools, window: 16_000 });
    assert.equal((await runAgent(run.plan)).disposition, "submitted");
    const overflow = run.trace.records.find(({ kind }) => kind === "overflow")!;
    assert.equal(overflow.how, "refused without a reason");
    assert.ok(tokensOf(run.model.requests[7]!) < 0.8 * tokensOf(run.model.requests[6]!));
  });

  Deno.test(`a second unexplained ${status} is what it says`, async () => {
    const script = [...turns(6), answered(kind, status), answered(kind, status)];
    const run = rig(script, { tools, window: 16_000 });
    const end = await runAgent(run.plan);
    assert.deepEqual([end.disposition, end.fault?.kind], ["model_error", kind]);
    assert.equal(run.model.requests.length, 8);
  });

  Deno.test(`an unexplained ${status} at less than half of the window is what it says`, async () => {
    const run = rig([...turns(2), answered(kind, status)], { tools, window: 16_000 });
    const end = await runAgent(run.plan);
    assert.deepEqual([end.disposition, end.fault?.kind], ["model_error", kind]);
    assert.deepEqual(run.trace.records.filter(({ kind }) => kind === "overflow"), []);
  });
}

Deno.test("a fault with a reason or another status is never taken for a long prompt", async () => {
  for (const known of [answered("quota", 400), answered("server", 503), fault("server")]) {
    const run = rig([...turns(6), known], { tools, window: 16_000 });
    const end = await runAgent(run.plan);
    assert.deepEqual([end.disposition, end.fault], ["model_error", known]);
  }
});

Deno.test("where nothing can be left out, the fault is what it says", async () => {
  const run = rig([answered("bad_request", 400)], {
    window: 4_000,
    plan: { task: "word ".repeat(2_400) },
  });
  const end = await runAgent(run.plan);
  assert.deepEqual([end.disposition, end.fault?.kind], ["model_error", "bad_request"]);
});
