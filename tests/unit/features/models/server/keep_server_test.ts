/** A model server that svc runs, against a stand-in that takes llama.cpp's published flags and no others. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { fitOf } from "svc/features/models/bundles/fit.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { serverArgs, serverPlan } from "svc/features/models/server/server_plan.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { until } from "tests/kit/until.ts";
import {
  buildLlamaServer,
  llamaServerMissing,
  processesOf,
} from "tests/kit/servers/llama_server.ts";
import { serverPlace } from "./server_place.ts";

const ignore = llamaServerMissing() !== undefined;

/** Compiled once; removed by the last test. */
let built: Promise<{ readonly program: string; readonly end: () => PromiseLike<void> }> | undefined;

const standIn = () =>
  built ??= (async () => {
    const folder = await tempFolder();
    const program = await buildLlamaServer(folder.path);
    return { program, end: () => folder[Symbol.asyncDispose]() };
  })();

const pids = (program: string, port: number) =>
  [...processesOf(program)].filter(([, words]) => words.includes(String(port))).map(([pid]) => pid);

async function gone(program: string, port: number): Promise<void> {
  await until(() => pids(program, port).length === 0, () => "a server that lives on");
}

const has = (code: string, ...texts: string[]) => (thrown: unknown) => {
  assert.ok(thrown instanceof Failure, String(thrown));
  assert.equal(thrown.code, code, thrown.message);
  for (const text of texts) {
    assert.ok(`${thrown.message}; ${thrown.remedy}`.includes(text), thrown.message);
  }
  return true;
};

Deno.test("the flags are those that llama.cpp publishes, by what the machine takes", () => {
  const [, balanced] = registry().bundles;
  const gib = 1024 ** 3;
  const machine = { memoryBytes: 32 * gib, memoryFreeBytes: 30 * gib, diskFreeBytes: 0, cores: 8 };
  const fit = fitOf(balanced!, { ...machine, gpus: [{ name: "GPU", memoryBytes: 12 * gib }] });
  const model = "/models/coder.gguf";
  const plan = serverPlan(balanced!, fit, { program: "llama-server", model, port: 8085, cores: 8 });
  assert.deepEqual(serverArgs(plan), [
    ...["--model", "/models/coder.gguf", "--alias", "svc-local-balanced-q4"],
    ...["--host", "127.0.0.1", "--port", "8085", "--ctx-size", "65536", "--parallel", "1"],
    ...["--n-gpu-layers", String(fit.gpuLayers), "--threads", "8", "--jinja", "--no-webui"],
  ]);
});

Deno.test("a server is started, awaited while it loads, and ended", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  const { port } = place.plan;
  await place.model("load=150");
  {
    await using kept = await place.keep();
    assert.deepEqual([kept.endpoint, kept.adopted], [`http://127.0.0.1:${port}/v1`, false]);
    const [pid, ...others] = pids(program, port);
    assert.deepEqual(others, []);
    // Any page of a browser may ask the server; it tells none what it works on, and works for none.
    const variables = Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0");
    assert.ok(variables.includes("LLAMA_ARG_NO_ENDPOINT_SLOTS=1"));
    const file = `${place.folder}/models/llama-server-${port}.key`;
    const key = Deno.readTextFileSync(file).trim();
    assert.equal(Deno.statSync(file).mode! & 0o777, 0o600);
    assert.ok(variables.includes(`LLAMA_API_KEY=${key}`));
    assert.doesNotMatch(Deno.readTextFileSync(`/proc/${pid}/cmdline`), new RegExp(key));
    const asked = (headers: HeadersInit) => fetch(`${kept.endpoint}/models`, { headers });
    const refused = await asked({});
    await refused.body?.cancel();
    assert.equal(refused.status, 401);
    const list = await (await asked({ authorization: `Bearer ${key}` })).json();
    assert.equal(list.data[0].id, "svc-local-cpu-q3");
    assert.ok(
      place.progress.some((text) => text.startsWith("llama-server loads svc-local-cpu-q3")),
    );
  }
  assert.deepEqual(pids(program, port), []);
  assert.match(place.logs(), /main: loading model\n(?:.*\n)*main: model loaded/);
});

Deno.test("a server that ends is started again at the same port", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("load=1");
  await using kept = await place.keep();
  for (let times = 0; times < 2; times++) {
    const [pid] = pids(program, place.plan.port);
    Deno.kill(pid!, "SIGKILL");
    await until(async () => {
      const answer = await fetch(kept.endpoint.replace("/v1", "/health")).catch(() => undefined);
      await answer?.body?.cancel();
      const [now] = pids(program, place.plan.port);
      return answer?.status === 200 && now !== undefined && now !== pid;
    }, () => place.notes.join("; "));
  }
  assert.match(place.notes.join("\n"), /was killed by SIGKILL; it is started again in 10 ms\n/);
  assert.match(place.notes.join("\n"), /again in 20 ms/);
});

Deno.test(
  "two svc share one server; when its owner ends, the other one runs it",
  { ignore },
  async () => {
    const { program } = await standIn();
    await using place = await serverPlace(program);
    const { port } = place.plan;
    await place.model("load=50");
    const first = await place.keep();
    await using second = await place.keep();
    assert.deepEqual([first.adopted, second.adopted], [false, true]);
    const [before, ...others] = pids(program, port);
    assert.deepEqual(others, []);
    await first[Symbol.asyncDispose]();
    await until(
      () => pids(program, port).some((pid) => pid !== before),
      () => place.notes.join("; "),
    );
    assert.equal(pids(program, port).length, 1);
  },
);

Deno.test(
  "the lock of an owner that ends slowly is tried until it is free",
  { ignore },
  async () => {
    const { program } = await standIn();
    await using place = await serverPlace(program);
    const { port } = place.plan;
    await place.model("load=50");
    const first = await place.keep();
    let [isHeld, asked] = [true, 0];
    await using _second = await place.keep({
      // The owner lets go of the lock later than of the port.
      tryLock: () => (asked++, Promise.resolve(isHeld ? "process 1" : { [Symbol.dispose]() {} })),
    });
    await first[Symbol.asyncDispose]();
    await until(() => asked > 3, () => `${asked} tries`);
    assert.deepEqual(pids(program, port), []);
    isHeld = false;
    await until(() => pids(program, port).length === 1, () => place.notes.join("; "));
  },
);

Deno.test("who has the lock and never answers is not awaited forever", async () => {
  await using place = await serverPlace("no-such-llama-server");
  await assert.rejects(
    place.keep({ tryLock: () => Promise.resolve("process 1"), limits: { loadMs: 100 } }),
    has("conflict", "another svc runs it (process 1), and no answer"),
  );
});

Deno.test("what goes wrong at a later start is said, and tried again", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  const { port } = place.plan;
  await place.model("load=1");
  const files = denoFiles();
  let opened = 0;
  const openAppend = (path: string) => {
    if (++opened !== 2) return files.openAppend(path);
    throw new Failure("environment", "Cannot open the log: the disk is full");
  };
  await using _kept = await place.keep({ files: { ...files, openAppend } });
  const [before] = pids(program, port);
  Deno.kill(before!, "SIGKILL");
  await until(
    () => pids(program, port).some((pid) => pid !== before),
    () => place.notes.join("; "),
  );
  assert.match(
    place.notes.join("\n"),
    /could not be kept: Cannot open the log: the disk is full; it is/,
  );
});

Deno.test("two that start at the same time start one", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("load=100");
  const both = await Promise.all([place.keep(), place.keep()]);
  assert.deepEqual(both.map(({ adopted }) => adopted).sort(), [false, true]);
  assert.equal(pids(program, place.plan.port).length, 1);
  for (const kept of both) await kept[Symbol.asyncDispose]();
});

Deno.test(
  "a server that a person runs with this model is used, and left alone",
  { ignore },
  async () => {
    const { program } = await standIn();
    await using place = await serverPlace(program);
    await place.model("load=50");
    const own = new Deno.Command(program, { args: serverArgs(place.plan), stderr: "null" }).spawn();
    try {
      await until(
        () =>
          fetch(`http://127.0.0.1:${place.plan.port}/health`).then(
            (answer) => (answer.body?.cancel(), true),
            () => false,
          ),
        () => "no server",
      );
      const kept = await place.keep();
      assert.equal(kept.adopted, true);
      await kept[Symbol.asyncDispose]();
      assert.deepEqual(pids(program, place.plan.port), [own.pid]);
    } finally {
      own.kill();
      await own.status;
    }
  },
);

Deno.test("a port where something else answers is left alone", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("load=1");
  const { port } = place.plan;
  await using _other = Deno.serve(
    { hostname: "127.0.0.1", port, onListen() {} },
    () => new Response("hello"),
  );
  await assert.rejects(
    place.keep(),
    has("conflict", `on port ${port}: it is no llama-server`, "svc setup"),
  );
  assert.deepEqual(pids(program, port), []);
});

Deno.test("what answers without end at its port is another program, and is not read on", async () => {
  await using place = await serverPlace("/bin/false");
  const part = new Uint8Array(64 * 1024);
  let sent = 0;
  const endless = () =>
    new ReadableStream({
      pull(sink) {
        sent += part.length;
        sink.enqueue(part);
      },
    }, { highWaterMark: 0 });
  const other = new AbortController();
  const serving = Deno.serve(
    { hostname: "127.0.0.1", port: place.plan.port, signal: other.signal, onListen() {} },
    () => new Response(endless()),
  );
  await assert.rejects(place.keep(), has("conflict", "it is no llama-server"));
  other.abort();
  await serving.finished;
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes`);
});

Deno.test("a full disk ends the log of the server, not the server", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("load=1");
  // The kernel's own full disk (full(4)).
  const openAppend = async () => {
    const file = await Deno.open("/dev/full", { write: true });
    return {
      write: async (text: string) => void await file.write(new TextEncoder().encode(text)),
      sync: () => Promise.resolve(),
      [Symbol.dispose]: () => file.close(),
    };
  };
  await using kept = await place.keep({ files: { ...denoFiles(), openAppend } });
  assert.equal(kept.adopted, false);
  assert.match(place.notes.join("\n"), /its log cannot be written: .*; it goes on without/);
  assert.doesNotMatch(place.notes.join("\n"), /started again/);
});

Deno.test("another model of the same server program is told from it", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("load=1");
  await using _kept = await place.keep({}, { alias: "mine" });
  await assert.rejects(
    place.keep({ tryLock: () => Promise.resolve({ [Symbol.dispose]() {} }) }),
    has("conflict", 'it serves "mine", not "svc-local-cpu-q3"'),
  );
});

Deno.test("a server that cannot load its model says so in its own words", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("fail");
  await assert.rejects(
    place.keep(),
    has("environment", "ended with exit code 1", "unable to allocate CUDA0 buffer"),
  );
  assert.equal(place.notes.filter((note) => note.includes("starts on port")).length, 3);
  assert.deepEqual(pids(program, place.plan.port), []);
});

Deno.test("a server that loads for too long is ended", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("load=100000");
  await assert.rejects(
    place.keep({ limits: { loadMs: 50, tries: 1 } }),
    has("environment", "Cannot run the model server"),
  );
  await gone(program, place.plan.port);
});

Deno.test("an interrupt while it loads ends it", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("load=100000");
  const stop = new AbortController();
  const progress = () => stop.abort(new Error("stopped"));
  await assert.rejects(place.keep({ signal: stop.signal, progress }), /stopped/);
  await gone(program, place.plan.port);
});

Deno.test("a program that is not there is said before anything is tried again", async () => {
  await using place = await serverPlace("no-such-llama-server");
  await assert.rejects(place.keep(), has("environment", "no such program on PATH"));
});

Deno.test("no server outlives an svc that is killed", { ignore }, async () => {
  const { program } = await standIn();
  await using place = await serverPlace(program);
  await place.model("load=1");
  const { model, port } = place.plan;
  const file = new URL("./keep_program.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "-q", file, program, model, String(port), place.folder],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assert.equal(new TextDecoder().decode(value), `http://127.0.0.1:${port}/v1 own\n`);
  assert.equal(pids(program, port).length, 1);
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  await gone(program, port);
});

Deno.test("the stand-in is removed", { ignore }, async () => {
  await (await standIn()).end();
});
