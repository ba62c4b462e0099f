import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { offer, only, reach } from "svc/platform/broker.ts";

interface Counter {
  add(by: number): Promise<number>;
  fail(): Promise<never>;
  crash(): Promise<never>;
  hidden(): Promise<number>;
}

function pair() {
  const { port1, port2 } = new MessageChannel();
  let sum = 0;
  const counter: Counter = {
    add: (by) => Promise.resolve(sum += by),
    fail: () => Promise.reject(new Failure("refused", "Cannot add", { remedy: "subtract" })),
    crash: () => Promise.reject(new TypeError("raw detail")),
    hidden: () => Promise.resolve(sum),
  };
  offer(port1, { counter: only(counter, ["add", "fail", "crash"]) });
  const close = () => {
    port1.close();
    port2.close();
  };
  return { broker: reach(port2), close };
}

Deno.test("a call across the port gives its own answer", async () => {
  const { broker, close } = pair();
  const counter = broker<Counter>("counter");
  const sums = await Promise.all([counter.add(1), counter.add(2), counter.add(3)]);
  assert.deepEqual(sums, [1, 3, 6]);
  close();
});

Deno.test("a failure keeps code, text and remedy; a crash keeps its raw text to itself", async () => {
  const { broker, close } = pair();
  const counter = broker<Counter>("counter");
  await assert.rejects(
    () => counter.fail(),
    (error) =>
      error instanceof Failure && error.code === "refused" && error.detail.remedy === "subtract",
  );
  await assert.rejects(
    () => counter.crash(),
    (error) =>
      error instanceof Failure && error.code === "internal" &&
      !error.message.includes("raw detail"),
  );
  close();
});

Deno.test("what is not offered cannot be called, inherited names included", async () => {
  const { broker, close } = pair();
  const refused = (error: unknown) => error instanceof Failure && error.code === "refused";
  await assert.rejects(() => broker<Counter>("counter").hidden(), refused);
  await assert.rejects(() => broker<Counter>("other").add(1), refused);
  for (const method of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    const object = broker<Record<string, () => Promise<unknown>>>("counter");
    await assert.rejects(() => object[method]!(), refused);
  }
  close();
});

Deno.test("an awaited object of calls is not taken for a promise", async () => {
  const { broker, close } = pair();
  const counter = await Promise.resolve(broker<Counter>("counter"));
  assert.equal(await counter.add(5), 5);
  close();
});
