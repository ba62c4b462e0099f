import assert from "node:assert/strict";
import { runAgent } from "svc/features/agent/loop.ts";
import { call, calling, fault, finishing, rig } from "./scripted_run.ts";

/** A run with reads, a write, a silent turn, a compaction and a turn of grace: every await there is. */
function eventful() {
  const long = "a line of output\n".repeat(60);
  const run = rig([
    calling(call("read", 1), call("read", 2)),
    calling(call("write", 3)),
    { text: "hm" },
    calling(call("read", 4), call("read", 5)),
    calling(call("write", 6)),
    calling(call("read", 7)),
    finishing(),
  ], {
    tools: { read: () => ({ text: long }), write: (args) => ({ text: args }) },
    limits: { maxTurns: 6 },
    window: 1_350,
  });
  return run;
}

/** The run, with `at` called before the nth await of a port: model, toolbox or trace. */
async function steps(nth: number | undefined) {
  const run = eventful();
  let count = 0;
  const step = () => {
    if (++count === nth) run.cancel.abort(new DOMException("Cancelled", "AbortError"));
  };
  const { model, toolbox, trace } = run.plan;
  const cancellable = <A extends unknown[], R>(
    work: (...args: A) => Promise<R>,
    signalOf: (...args: A) => AbortSignal | undefined,
  ) =>
  async (...args: A) => {
    step();
    const signal = signalOf(...args);
    const result = await work(...args);
    step();
    signal?.throwIfAborted();
    return result;
  };
  const end = await runAgent({
    ...run.plan,
    model: {
      ...model,
      ask: async (request, options) => {
        step();
        if (options.signal.aborted) throw fault("cancelled");
        const reply = await model.ask(request, options);
        step();
        if (options.signal.aborted) throw fault("cancelled");
        return reply;
      },
    },
    toolbox: {
      ...toolbox,
      offered: cancellable(toolbox.offered, () => undefined),
      call: cancellable(toolbox.call, (_name, _args, { signal }) => signal),
    },
    trace: { path: trace.path, write: cancellable(trace.write, () => undefined) },
  });
  return { run, end, count };
}

Deno.test("runAgent is cancelled at every await: it ends, and leaves nothing behind", async () => {
  const { count, end: whole, run: all } = await steps(undefined);
  assert.equal(whole.disposition, "submitted");
  assert.ok(all.trace.kinds().includes("compacted"));
  assert.ok(all.trace.kinds().includes("note"));
  assert.ok(count > 60);
  for (let nth = 1; nth <= count; nth++) {
    const { run, end } = await steps(nth);
    const ended = run.trace.records.at(-1)!;
    assert.equal(ended.kind, "ended", `at ${nth}`);
    assert.equal(run.clock.pending(), 0, `at ${nth}`);
    // Once finish was carried out the run is over, whoever cancels.
    if (end.disposition === "submitted") {
      assert.ok(run.toolbox.called.at(-1)!.startsWith("finish"), `at ${nth}`);
      continue;
    }
    assert.equal(end.disposition, "cancelled", `at ${nth}`);
    assert.equal(end.category, undefined);
    assert.equal(ended.disposition, "cancelled");
  }
});

Deno.test("runAgent that is cancelled before it starts asks nothing", async () => {
  const run = rig([]);
  run.cancel.abort();
  assert.equal((await runAgent(run.plan)).disposition, "cancelled");
});
