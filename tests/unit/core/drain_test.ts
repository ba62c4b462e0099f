import assert from "node:assert/strict";
import { drain } from "svc/core/drain.ts";
import { Failure } from "svc/core/failure.ts";

const row = (id: number, waits_for: string | null = null) => ({ id, waits_for });
const { signal } = new AbortController();
const faulty = (_: ReturnType<typeof row>, thrown: unknown) => assert.fail(String(thrown));

Deno.test("drain goes on behind what waits, and stores a reason only when it is new", async () => {
  const stored: string[] = [];
  const drained = await drain([row(1), row(2, "a person"), row(3, "a person"), row(4)], {
    signal,
    settle({ id }) {
      if (id === 1) return Promise.reject(new Failure("conflict", "a merge is going on"));
      return Promise.resolve(id === 2 ? "a person" : id === 3 ? "the branch" : undefined);
    },
    waits: ({ id }, why) => Promise.resolve(stored.push(`${id} ${why}`)),
    faulty,
  });
  assert.deepEqual(drained, {
    done: 1,
    waiting: [
      { id: 1, why: "a merge is going on" },
      { id: 2, why: "a person" },
      { id: 3, why: "the branch" },
    ],
  });
  assert.deepEqual(stored, ["1 a merge is going on", "3 the branch"]);
});

Deno.test("drain tells the way out with what is in the way", async () => {
  const remedy = "git merge --abort";
  const settle = () => Promise.reject(new Failure("conflict", "a merge is going on", { remedy }));
  const waits = () => Promise.resolve();
  const { waiting } = await drain([row(1)], { signal, settle, waits, faulty });
  assert.deepEqual(waiting, [{ id: 1, why: "a merge is going on; git merge --abort" }]);
});

Deno.test("drain tells of a fault of svc, and goes on behind it", async () => {
  const told: unknown[] = [];
  const drained = await drain([row(1), row(2)], {
    signal,
    settle: ({ id }) =>
      id === 1
        ? Promise.reject(new TypeError("undefined is no ticket"))
        : Promise.resolve(undefined),
    waits: () => Promise.resolve(),
    faulty: (_, thrown) => void told.push(thrown),
  });
  assert.deepEqual([drained.done, drained.waiting], [1, [
    { id: 1, why: "a fault of svc to be over; its log tells of it" },
  ]]);
  assert.deepEqual(told.map((thrown) => (thrown as Error).name), ["TypeError"]);
});

Deno.test("drain stops when its signal is aborted, and stores nothing then", async () => {
  const stop = new AbortController();
  const settled: number[] = [];
  const work = drain([row(1), row(2), row(3)], {
    signal: stop.signal,
    settle({ id }) {
      settled.push(id);
      if (id === 1) return Promise.resolve(undefined);
      stop.abort(new Failure("interrupted", "Interrupted"));
      return Promise.reject(new Failure("environment", "git was killed"));
    },
    waits: () => Promise.reject(new Error("stored")),
    faulty,
  });
  await assert.rejects(work, { code: "interrupted" });
  assert.deepEqual(settled, [1, 2]);
});
