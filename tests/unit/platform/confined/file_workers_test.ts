import assert from "node:assert/strict";
import type { BareWorkers } from "svc/platform/confined/bare_worker.ts";
import type { FilePiece, FileTask } from "svc/platform/confined/file_pieces.ts";
import { FileWorkers } from "svc/platform/confined/file_workers.ts";
import { verifies } from "tests/kit/verifies.ts";

interface Look {
  readonly by: "here" | "worker";
  readonly size: number;
  readonly first: number;
}

const KIB = 1024;
const FILES = Array.from({ length: 60 }, (_, at) => ({
  path: `f${at}`,
  bytes: new Uint8Array(at === 40 ? 3000 * KIB : 200 * KIB + at).fill(at),
}));
const lookAt = (by: Look["by"], bytes: Uint8Array): Look => ({
  by,
  size: bytes.length,
  first: bytes[0]!,
});

function answered({ shared, files }: FilePiece): Look[] {
  const bytes = new Uint8Array(shared);
  return files.map(([, end], at) => lookAt("worker", bytes.slice(files[at - 1]?.[1] ?? 0, end)));
}

interface Fake extends BareWorkers {
  pieces: number;
  started: number;
  ended: number;
  ahead: number;
}

/** @param answer what is heard for the nth piece of a Worker; "nothing" hangs */
function workers(
  answer: (looks: Look[], nth: number) => unknown = (looks) => JSON.stringify(looks),
  late = () => new Promise<void>(() => {}),
): Fake {
  const fake: Fake = {
    most: 1,
    startBytes: 4096 * KIB,
    pieces: 0,
    started: 0,
    ended: 0,
    ahead: 0,
    clock: { sleep: late },
    start(heard) {
      fake.started++;
      let done = new Int32Array(new SharedArrayBuffer(4));
      return {
        post(message) {
          if ("settings" in (message as object)) {
            done = new Int32Array((message as FileTask<unknown>).done);
            return;
          }
          const said = answer(answered(message as FilePiece), fake.pieces++);
          fake.ahead = Math.max(fake.ahead, fake.pieces - Atomics.load(done, 0));
          queueMicrotask(() => {
            if (said === "nothing") return;
            Atomics.add(done, 0, 1);
            heard(said);
          });
        },
        end: () => void fake.ended++,
      };
    },
  };
  return fake;
}

async function looked(with_: BareWorkers | undefined, { breathe = true, expected = 0 } = {}) {
  const taken: [string, Look][] = [];
  {
    using files = new FileWorkers<Look>({
      settings: {},
      look: (_, bytes) => lookAt("here", bytes),
      read: (answer, size) =>
        (answer as Look | undefined)?.size === size ? answer as Look : undefined,
      take: (path, look) => taken.push([path, look]),
    }, with_);
    files.expect(expected);
    const scratch = new Uint8Array(4000 * KIB);
    for (const { path, bytes } of FILES) {
      scratch.set(bytes);
      files.look(path, scratch.subarray(0, bytes.length));
      if (path === "f30") files.tell("told", { by: "here", size: 0, first: 0 });
      if (breathe) await Promise.resolve();
    }
    await files.end();
  }
  return taken;
}

const WHOLE = FILES.map(({ path, bytes }) => [path, bytes.length, bytes[0]]);
WHOLE.splice(31, 0, ["told", 0, 0]);
const plain = (taken: [string, Look][]) =>
  taken.map(([path, { size, first }]) => [path, size, first]);
const byWorker = (taken: [string, Look][]) => taken.filter(([, { by }]) => by === "worker").length;

Deno.test("files are looked at here where no Worker is, and few files start none", async () => {
  assert.deepEqual(plain(await looked(undefined)), WHOLE);
  const idle = workers();
  const taken: string[] = [];
  using files = new FileWorkers<Look>({
    settings: {},
    look: (_, bytes) => lookAt("here", bytes),
    read: () => undefined,
    take: (path) => void taken.push(path),
  }, idle);
  for (const { path, bytes } of FILES.slice(0, 10)) files.look(path, bytes);
  await files.end();
  assert.deepEqual([taken.length, idle.started], [10, 0]);
});

Deno.test("a Worker looks at files, and what it says is taken in order", async () => {
  const fake = workers();
  const taken = await looked(fake);
  assert.deepEqual(plain(taken), WHOLE);
  assert.ok(byWorker(taken) > 20, `${byWorker(taken)} files`);
  assert.deepEqual([fake.started, fake.ended], [1, 1]);
});

Deno.test("a Worker that is slow has two pieces at most, and this thread goes on", async () => {
  const fake = workers(undefined);
  const taken = await looked(fake, { breathe: false });
  assert.deepEqual(plain(taken), WHOLE);
  assert.equal(fake.ahead, 2);
  assert.ok(byWorker(taken) < 20);
});

Deno.test("a Worker starts early where those that come are worth it, and not where they are few", async () => {
  const startBytes = 14_000 * KIB;
  const late = await looked({ ...workers(), startBytes });
  assert.ok(byWorker(late) < 6, `${byWorker(late)} files`);
  const early = await looked({ ...workers(), startBytes }, { expected: FILES.length });
  assert.deepEqual(plain(early), WHOLE);
  assert.ok(byWorker(early) > 12, `${byWorker(early)} files`);
  const few = { ...workers(), startBytes: startBytes * 2 };
  await looked(few, { expected: FILES.length });
  assert.equal(few.started, 0);
});

for (
  const [name, answer] of Object.entries({
    "dies at once": () => undefined,
    "dies after its third piece": (looks: Look[], nth: number) =>
      nth < 3 ? JSON.stringify(looks) : undefined,
    "says what is no JSON": () => "{",
    "says something about fewer files": (looks: Look[]) => JSON.stringify(looks.slice(1)),
    "leaves files to this thread": (looks: Look[]) => JSON.stringify(looks.map(() => null)),
    "says nonsense of some": (looks: Look[]) =>
      JSON.stringify(looks.map((look, at) => at % 2 ? look : { size: -1 })),
    "answers an object": () => ({ length: 5 }),
  })
) {
  verifies(
    "4.5:guardrails-secret-scan:finds-common-patterns",
    `no file is lost to a Worker that ${name}`,
    async () => assert.deepEqual(plain(await looked(workers(answer))), WHOLE),
  );
}

verifies(
  "4.5:guardrails-secret-scan:finds-common-patterns",
  "no file is lost to a Worker that hangs",
  async () => {
    const fake = workers(
      (looks, nth) => nth === 2 ? "nothing" : JSON.stringify(looks),
      () => Promise.resolve(),
    );
    assert.deepEqual(plain(await looked(fake)), WHOLE);
    assert.ok(fake.ended > 0);
  },
);

Deno.test("what fails here is thrown at the end, and Workers are ended", async () => {
  const fake = workers(() => JSON.stringify([]));
  const failing = async () => {
    using files = new FileWorkers<Look>({
      settings: {},
      look(path, bytes) {
        if (path === "f25") throw new Error("broken");
        return lookAt("here", bytes);
      },
      read: () => undefined,
      take() {},
    }, fake);
    for (const { path, bytes } of FILES) {
      files.look(path, bytes);
      await Promise.resolve();
    }
    await files.end();
  };
  await assert.rejects(failing, /broken/);
  assert.equal(fake.ended > 0, true);
});
