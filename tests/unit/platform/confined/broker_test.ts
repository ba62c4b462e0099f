import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import {
  type BrokerCallContext,
  type BrokerOffer,
  offer,
  only,
  type Reach,
  reach,
} from "svc/platform/confined/broker.ts";

/** Both sides of a port on one thread. */
function join(objects: BrokerOffer): { call: Reach; port: MessagePort } & AsyncDisposable {
  const { port1, port2 } = new MessageChannel();
  const served = offer(port1, objects);
  return {
    call: reach(port2),
    port: port2,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      port2.close();
    },
  };
}

function counting() {
  let sum = 0;
  const counter = {
    add: (by: number) => Promise.resolve(sum += by),
    fail: () =>
      Promise.reject(new Failure("refused", "Cannot add", { remedy: "subtract", waits: true })),
    crash: () => Promise.reject(new TypeError("raw detail")),
    hidden: () => Promise.resolve(sum),
  };
  return join({ counter: only(counter, ["add", "fail", "crash"]) });
}

Deno.test("a call across the port gives its own answer", async () => {
  await using joined = counting();
  const add = (by: number) => joined.call<number>("counter", "add", [by]);
  assert.deepEqual(await Promise.all([add(1), add(2), add(3)]), [1, 3, 6]);
});

Deno.test("a failure keeps code, text, remedy and that it waits; a crash keeps its raw text to itself", async () => {
  await using joined = counting();
  await assert.rejects(
    () => joined.call("counter", "fail", []),
    (error) =>
      error instanceof Failure && error.code === "refused" &&
      error.detail.remedy === "subtract" && error.detail.waits === true,
  );
  await assert.rejects(
    () => joined.call("counter", "crash", []),
    (error) =>
      error instanceof Failure && error.code === "internal" &&
      !error.message.includes("raw detail"),
  );
});

Deno.test("what is not offered cannot be called, inherited names included", async () => {
  await using joined = counting();
  const refused = (error: unknown) => error instanceof Failure && error.code === "refused";
  await assert.rejects(() => joined.call("counter", "hidden", []), refused);
  await assert.rejects(() => joined.call("other", "add", [1]), refused);
  for (const method of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
    await assert.rejects(() => joined.call("counter", method, []), refused);
    await assert.rejects(() => joined.call(method, "call", []), refused);
  }
});

Deno.test("nonsense on the port neither ends the broker nor answers a call twice", async () => {
  await using joined = counting();
  const nonsense = [null, 7, "x", {}, { id: 1 }, { id: 1, cancel: true }, { id: 1, dealt: true }];
  for (const message of nonsense) joined.port.postMessage(message);
  joined.port.postMessage({ id: 99, object: "counter", method: "add", args: null });
  assert.equal(await joined.call("counter", "add", [5]), 5);
});

/** Emits the numbers from 1 to `count` and tells of each that was dealt with. */
function stream() {
  const seen = { dealt: 0, aborted: false };
  const count = async ([upTo]: readonly unknown[], { emit, signal }: BrokerCallContext) => {
    signal.addEventListener("abort", () => void (seen.aborted = true));
    for (let number = 1; number <= Number(upTo) && !signal.aborted; number++) {
      await emit(number);
      seen.dealt++;
    }
    return "done";
  };
  return { seen, ...join({ stream: { count } }) };
}

Deno.test("events come in order, and the method waits until each is dealt with", async () => {
  const at = stream();
  await using _end = at;
  const got: number[] = [];
  const answer = await at.call("stream", "count", [5], {
    async onEvent(event) {
      await Promise.resolve();
      assert.equal(at.seen.dealt, got.length);
      got.push(event as number);
    },
  });
  assert.deepEqual([answer, got, at.seen], ["done", [1, 2, 3, 4, 5], { dealt: 5, aborted: false }]);
});

Deno.test("what a visitor throws gives the call up and is thrown", async () => {
  const at = stream();
  await using _end = at;
  const thrown = new TypeError("enough");
  const got: unknown[] = [];
  const call = at.call("stream", "count", [1e9], {
    onEvent(event) {
      got.push(event);
      if (got.length === 3) throw thrown;
    },
  });
  await assert.rejects(call, (error) => error === thrown);
  assert.deepEqual([got.length, at.seen.aborted], [3, true]);
});

Deno.test("an abort reaches the method, before the call and while it runs", async () => {
  const at = stream();
  await using _end = at;
  await at.call("stream", "count", [1e9], { signal: AbortSignal.abort() });
  assert.equal(at.seen.aborted, true);
  at.seen.aborted = false;
  const later = new AbortController();
  await at.call("stream", "count", [1e9], {
    signal: later.signal,
    onEvent: (event) => void (event === 10 && later.abort()),
  });
  assert.equal(at.seen.aborted, true);
});

Deno.test("disposing the broker aborts what runs, and waits for it", async () => {
  const { port1, port2 } = new MessageChannel();
  const begun = Promise.withResolvers<void>();
  let ended = false;
  const served = offer(port1, {
    slow: {
      async work(_, { signal, emit }) {
        begun.resolve();
        await emit("nobody deals with it");
        if (!signal.aborted) {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        }
        await new Promise((resolve) => setTimeout(resolve)); // later than the abort itself
        ended = true;
      },
    },
  });
  port2.postMessage({ id: 1, object: "slow", method: "work", args: [] });
  await begun.promise;
  await served[Symbol.asyncDispose]();
  assert.equal(ended, true);
  port2.close();
});
