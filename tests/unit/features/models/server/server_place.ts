/** Ports for a kept model server in a temporary home. */
import { keepServer, type ServerPorts } from "svc/features/models/server/keep_server.ts";
import type { ServerPlan } from "svc/features/models/server/server_plan.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoEnv } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tryLockFile } from "svc/platform/git/repo_lock.ts";
import { lastingProcesses } from "svc/platform/process/lasting.ts";
import { freePort } from "tests/kit/free_port.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

export interface ServerPlace extends AsyncDisposable {
  readonly folder: string;
  readonly plan: ServerPlan;
  readonly notes: string[];
  readonly progress: string[];
  /** What the server's model file says: how the stand-in behaves. */
  model(words: string): Promise<void>;
  keep(more?: Partial<ServerPorts>, plan?: Partial<ServerPlan>): ReturnType<typeof keepServer>;
  logs(): string;
}

export async function serverPlace(program: string): Promise<ServerPlace> {
  const temporary = await tempFolder();
  const { path: folder } = temporary;
  const home = { models: `${folder}/models`, logs: `${folder}/logs` };
  await Deno.mkdir(home.models);
  const plan: ServerPlan = {
    program,
    model: `${home.models}/tiny.gguf`,
    alias: "svc-local-cpu-q3",
    port: freePort(),
    contextWindow: 16_384,
    gpuLayers: 0,
    threads: 2,
  };
  const notes: string[] = [];
  const progress: string[] = [];
  return {
    folder,
    plan,
    notes,
    progress,
    model: (words) => Deno.writeTextFile(plan.model, `GGUF ${words}\n`),
    keep: (more = {}, changed = {}) =>
      keepServer({
        fetch,
        clock: systemClock,
        lasting: lastingProcesses(),
        files: denoFiles(),
        env: denoEnv,
        redact: (line) => line,
        tryLock: (path) => tryLockFile(path, { doing: "run a model server", clock: systemClock }),
        home,
        refuseUnder: [],
        signal: new AbortController().signal,
        progress: (text) => void progress.push(text),
        note: (text) => void notes.push(text),
        ...more,
        limits: { loadingLookMs: 20, adoptedLookMs: 20, againMs: 10, ...more.limits },
      }, { ...plan, ...changed }),
    logs: () =>
      Array.from(
        Deno.readDirSync(home.logs),
        ({ name }) => Deno.readTextFileSync(`${home.logs}/${name}`),
      ).join("\n"),
    [Symbol.asyncDispose]: () => temporary[Symbol.asyncDispose](),
  };
}
