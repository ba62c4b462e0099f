/** Keeps a model server as a program of its own, which a test may kill: `<program> <model> <port> <folder>`. */
import { keepServer } from "svc/features/models/server/keep_server.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoEnv } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tryLockFile } from "svc/platform/git/repo_lock.ts";
import { lastingProcesses } from "svc/platform/process/lasting.ts";

const [program, model, port, folder] = Deno.args as [string, string, string, string];
const kept = await keepServer({
  fetch,
  clock: systemClock,
  lasting: lastingProcesses(),
  files: denoFiles(),
  env: denoEnv,
  redact: (line) => line,
  tryLock: (path) => tryLockFile(path, { doing: "run a model server", clock: systemClock }),
  home: { models: `${folder}/models`, logs: `${folder}/logs` },
  refuseUnder: [],
  signal: new AbortController().signal,
  progress: () => {},
  note: () => {},
}, {
  program,
  model,
  alias: "svc-local-cpu-q3",
  port: Number(port),
  contextWindow: 16_384,
  gpuLayers: 0,
  threads: 1,
});
console.log(`${kept.endpoint} ${kept.adopted ? "adopted" : "own"}`);
await new Promise(() => {});
