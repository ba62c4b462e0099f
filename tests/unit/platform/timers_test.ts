import assert from "node:assert/strict";
import { after, afterTheRest, every } from "svc/platform/timers.ts";
import { repoRoot } from "tests/kit/script.ts";

const passed = (ms: number) => new Promise<void>((resolve) => after(ms, resolve));

Deno.test("timers run in the order in which they are due, whenever they were set", async () => {
  const ran: string[] = [];
  const note = (name: string) => () => void ran.push(name);
  await passed(1); // the first one loads what the others need
  after(300, note("third"));
  after(100, note("first"));
  after(300, note("fourth"));
  after(200, note("second"));
  after(0.5, note("at once"));
  await passed(400);
  assert.deepEqual(ran, ["at once", "first", "second", "third", "fourth"]);
});

Deno.test("a timer that was cleared never runs, and those after it do", async () => {
  const ran: string[] = [];
  const first = after(5, () => ran.push("first"));
  after(10, () => {
    ran.push("second");
    third.clear();
  });
  const third = after(10, () => ran.push("third"));
  first.clear();
  first.clear();
  await passed(20);
  assert.deepEqual(ran, ["second"]);
});

Deno.test("a timer runs although the alarm of a cleared one went off unheard", async () => {
  after(5, () => assert.fail("it was cleared")).clear();
  for (const began = performance.now(); performance.now() - began < 20;) await afterTheRest();
  await passed(1);
});

Deno.test("a long timer between many short ones needs one alarm: none can be taken back", async () => {
  const { code, out, err } = await printed(`
    const made: number[] = [];
    const timeout = AbortSignal.timeout;
    AbortSignal.timeout = (ms) => {
      made.push(ms);
      return timeout.call(AbortSignal, ms);
    };
    const long = after(3_600_000, () => {});
    for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => after(1, resolve));
    for (let i = 0; i < 20; i++) after(1_000 + i, () => {}).clear();
    for (let i = 0; i < 20; i++) await new Promise<void>((resolve) => after(1, resolve));
    long.clear();
    console.log(made.filter((ms) => ms > 100).length, made.length > 40);`);
  assert.deepEqual([code, out], [0, "2 true\n"], err);
});

Deno.test("a timer may be as long as anyone likes", async () => {
  const { code, out, err } = await printed(`
    const endless = after(Infinity, () => console.log("ran"));
    const long = after(2 ** 60, () => console.log("ran"));
    await new Promise<void>((resolve) => after(20, resolve));
    endless.clear();
    long.clear();
    console.log("left");`);
  assert.deepEqual([code, out], [0, "left\n"], err);
});

Deno.test("what runs again and again ends when it is cleared", async () => {
  let runs = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = every(2, () => {
    if (++runs < 3) return;
    timer.clear();
    resolve();
  });
  await promise;
  await passed(20);
  assert.equal(runs, 3);
});

Deno.test("what is ready goes on before the rest is waited for", async () => {
  const ran: string[] = [];
  Promise.resolve().then(() => ran.push("a promise"));
  queueMicrotask(() => ran.push("a microtask"));
  await afterTheRest();
  assert.deepEqual(ran, ["a promise", "a microtask"]);
});

/** @returns what a process of its own printed until nothing kept it any more */
async function printed(source: string): Promise<{ code: number; out: string; err: string }> {
  const from = `from "${repoRoot}src/platform/timers.ts"`;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--ext=ts", `import { after } ${from};\n${source}`],
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

Deno.test("a timer keeps its process until it has run, and no longer", async () => {
  const kept = await printed(`after(50, () => console.log("ran"));`);
  assert.deepEqual([kept.code, kept.out], [0, "ran\n"]);
  const left = await printed(`after(3_600_000, () => {}).clear();\nconsole.log("left");`);
  assert.deepEqual([left.code, left.out], [0, "left\n"]);
});

Deno.test("no timer asks for Deno's own, which would load a part of Node", async () => {
  const { code, out, err } = await printed(`
    import { systemClock } from "${repoRoot}src/platform/clock.ts";
    for (const name of ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval"]) {
      Object.defineProperty(globalThis, name, { get: () => { throw new Error(name); } });
    }
    after(1, () => {}).clear();
    await new Promise((resolve) => after(1, resolve));
    await systemClock.sleep(1);
    console.log("slept");`);
  assert.deepEqual([code, out], [0, "slept\n"], err);
});

Deno.test("a timer that fails ends its process, as any error that nobody caught", async () => {
  const { code, err } = await printed(`
    after(5, () => { throw new Error("broken"); });
    after(3_600_000, () => {});`);
  assert.equal(code, 1);
  assert.match(err, /broken/);
});
