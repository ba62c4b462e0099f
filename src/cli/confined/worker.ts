/** The Worker's side of a confined command: runs it with what the message and the broker give. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import { failureData } from "svc/platform/confined/broker.ts";
import { denoEntrance, type Entrance } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import type { Interrupt } from "svc/platform/process/interrupt.ts";
import { reachRepos } from "svc/platform/confined/reached_repo.ts";
import { hideEnvironment, onWorkerMessage, postToMain } from "svc/platform/confined/worker_side.ts";
import { wire } from "svc/wire.ts";
import { showable } from "svc/cli/ascii_output.ts";
import { type CommandCall, perform, wiringOf } from "svc/cli/perform.ts";
import type { AheadMessage } from "./idle_worker.ts";
import type { ConfinedMessage } from "./run_confined.ts";
import { moduleOf } from "svc/cli/tree.ts";

/** An interrupt that the main thread controls; it keeps the deadlines too. */
function relayed(): Interrupt & { stop(): void; hasten(): void } {
  const first = new AbortController();
  const second = new AbortController();
  const failure = new Failure("interrupted", "Interrupted");
  return {
    signal: first.signal,
    hurry: second.signal,
    overdue: new Promise<never>(() => {}),
    stop: () => first.abort(failure),
    hasten: () => second.abort(failure),
    close() {},
  };
}

function confinedEntrance(plain: Entrance, { env, cwd, given }: ConfinedMessage): Entrance {
  const known = new Map(Object.entries(env));
  const entrance: Entrance = {
    ...plain,
    env: {
      get: (name) => known.get(name),
      all: () => Object.fromEntries(known),
      forget: (name) => void known.delete(name),
    },
    cwd: () => cwd,
  };
  return showable(entrance, given.json);
}

async function start({ mainUrl, modules }: AheadMessage["ahead"]): Promise<Entrance> {
  const entrance = denoEntrance(mainUrl);
  const loaded = await Promise.all(modules.map((module) => entrance.load(module)));
  for (const module of loaded) if ("warmUp" in module) module.warmUp();
  return entrance;
}

async function runHere(entrance: Entrance, message: ConfinedMessage, port: MessagePort) {
  const { default: command } = await entrance.load(moduleOf(message.path));
  const call: CommandCall = { path: message.path, command, given: message.given };
  const { confinement } = message;
  const reached = {
    ...reachRepos(port, denoFiles()),
    confinement,
    ...(confinement.database !== undefined && { database: confinement.database }),
    ...(confinement.serverLogin !== undefined && { serverLogin: confinement.serverLogin }),
    ...(confinement.node !== undefined && { node: confinement.node }),
  };
  const { hidden, gitFolders } = message;
  const app = await wire(entrance, { ...wiringOf(call), interrupt, reached, hidden, gitFolders });
  try {
    return { exit: await perform(call, app, interrupt) };
  } catch (thrown) {
    return { failure: { ...failureData(thrown), ...logged(app, thrown) } };
  } finally {
    app.close();
  }
}

/** The raw cause must not leave this thread; it goes to the log here, and the remedy says where. */
function logged(app: App, thrown: unknown): { remedy?: string } {
  const failure = Failure.from(thrown);
  if (failure.code !== "internal") return {};
  app.log.write("error", failure.message, { cause: failure.cause });
  return { remedy: `See the cause in ${app.log.path()}` };
}

hideEnvironment();
const interrupt = relayed();
let started: Promise<Entrance>;
onWorkerMessage(async ({ data, ports }) => {
  if ("ahead" in data) started = start(data.ahead);
  else if ("stop" in data) interrupt.stop();
  else if ("hurry" in data) interrupt.hasten();
  else {
    const message = data as ConfinedMessage;
    postToMain(await runHere(confinedEntrance(await started, message), message, ports[0]!));
  }
});
