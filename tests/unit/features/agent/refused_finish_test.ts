/** An end that svc does not take: the run goes on, once. */
import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import { resumeFrom } from "svc/features/agent/resume.ts";
import { call, calling, type FakeTool, finishing, prefixesHold, rig } from "./scripted_run.ts";

/** Refuses the first ends. */
function refusing(times: number): FakeTool {
  let left = times;
  return (args) => {
    const facts = { ...JSON.parse(args), judged: true };
    if (left-- <= 0) return { facts };
    return { status: "failed", text: "Not finished: red", facts: { ...facts, refused: "red" } };
  };
}

Deno.test("a refused finish is a result like another, and the run goes on with the same prompt", async () => {
  const { plan, model, toolbox, turns } = rig(
    [finishing(), calling(call("write")), finishing("submitted", "mended")],
    { tools: { finish: refusing(1), write: () => ({}) } },
  );
  const end = await runAgent(plan);
  assert.deepEqual(
    [end.disposition, end.evidence, end.judged, end.category, end.refusals, end.turns],
    ["submitted", "mended", true, undefined, 1, 3],
  );
  assert.equal(toolbox.called.length, 3);
  assert.deepEqual(prefixesHold(model.requests), [true, true]);
  assert.deepEqual(turns.map(({ outcomes }) => outcomes[0]!.status), ["failed", "ok", "ok"]);
  assert.equal(model.requests[1]!.messages.at(-1)!.text, "Not finished: red");
});

Deno.test("the second refusal ends the run as the role said, whatever came between", async () => {
  const { plan, model, trace } = rig(
    [finishing(), { text: "It was not me." }, finishing("submitted", "as I said")],
    { tools: { finish: refusing(9) } },
  );
  const end = await runAgent(plan);
  assert.deepEqual([end.disposition, end.evidence, end.judged], ["submitted", "as I said", true]);
  assert.equal(end.category, undefined);
  assert.equal(model.requests.length, 3);
  const shown = trace.records.filter(({ kind }) => kind === "turn").flatMap(({ outcomes }) =>
    (outcomes as { facts: { refused?: string } }[]).map(({ facts }) => facts.refused)
  );
  assert.deepEqual(shown, ["red", "red"]);
});

Deno.test("calls behind a refused finish are not carried out, and count as no refusal", async () => {
  const { plan, model, toolbox } = rig(
    [
      calling(
        call("write"),
        call("finish", { disposition: "submitted", evidence: "1" }),
        call("write"),
        call("finish", { disposition: "submitted", evidence: "2" }),
      ),
      finishing("blocked", "3"),
    ],
    { tools: { finish: refusing(1), write: () => ({}) } },
  );
  const end = await runAgent(plan);
  assert.deepEqual([end.disposition, end.refusals], ["blocked", 1]);
  assert.deepEqual(toolbox.called.map((one) => one.split(" ")[0]), ["write", "finish", "finish"]);
  const answers = model.requests[1]!.messages.slice(-4).map(({ text }) => text);
  assert.equal(answers[2], "Not run: finish before it was refused; read why first.");
  assert.equal(answers[3], answers[2]);
});

Deno.test("a resumed run counts the refusal of the run that was cut off", async () => {
  const first = rig([finishing(), new Error("killed")], { tools: { finish: refusing(1) } });
  await runAgent(first.plan);
  const cut = first.trace.records.slice(0, first.trace.kinds().indexOf("turn") + 1);
  const resume = resumeFrom(cut)!;
  assert.equal(resume.refusals, 1);
  const second = rig([finishing("submitted", "again")], {
    tools: { finish: refusing(1) },
    plan: { resume },
  });
  const end = await runAgent(second.plan);
  assert.deepEqual([end.disposition, end.evidence, end.refusals], ["submitted", "again", 2]);
});

Deno.test("what svc does to judge an end is not the role's time", async () => {
  const judge = refusing(1);
  const { plan, clock, toolbox } = rig([finishing(), calling(call("write")), finishing()], {
    limits: { timeoutMs: 60_000 },
    tools: {
      finish: (args, context) => {
        clock.advance(50_000_000);
        return judge(args, context);
      },
      write: () => {
        clock.advance(59_999);
        return {};
      },
    },
  });
  assert.equal((await runAgent(plan)).disposition, "submitted");
  // In a turn of grace the second call would not be carried out.
  assert.deepEqual(toolbox.called.map((one) => one.split(" ")[0]), ["finish", "write", "finish"]);
  assert.equal(clock.pending(), 0);
});

Deno.test("the time goes on where it stood, and a time that is over ends the run", async () => {
  const work = () => calling(call("write"));
  const { plan, clock } = rig([work, finishing(), work, { text: "I need more time." }], {
    limits: { timeoutMs: 60_000 },
    tools: {
      finish: refusing(1),
      write: () => {
        clock.advance(30_000);
        return {};
      },
    },
  });
  const end = await runAgent(plan);
  assert.equal(end.disposition, "timed_out");
});

Deno.test("cancelling ends a run whose end is being judged", async () => {
  const { plan, cancel } = rig([finishing()], {
    tools: {
      finish: (_, { signal }) => {
        cancel.abort(new Error("a person"));
        throw signal.reason;
      },
    },
  });
  assert.equal((await runAgent(plan)).disposition, "cancelled");
});

Deno.test("in its last turn a run is told that nothing follows", async () => {
  const lasts: unknown[] = [];
  const { plan } = rig([calling(call("write")), finishing()], {
    limits: { maxTurns: 1 },
    tools: {
      write: (_, { last }) => {
        lasts.push(last);
        return {};
      },
      finish: (args, { last }) => {
        lasts.push(last);
        return { facts: JSON.parse(args) };
      },
    },
  });
  const end = await runAgent(plan);
  assert.deepEqual([end.disposition, end.judged, lasts], ["submitted", undefined, [false, true]]);
});
