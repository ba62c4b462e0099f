/**
 * Runs the model server of the user's config: finds the program and the model file, fits the model to the
 * machine, and restarts the server if it ends.
 */
import { Failure } from "svc/core/failure.ts";
import { bundleNamed, modelArtifact } from "svc/features/models/bundles/artifact.ts";
import { checkedFile } from "svc/features/models/bundles/checked_file.ts";
import { fitOf } from "svc/features/models/bundles/fit.ts";
import { bytesText } from "svc/features/models/bundles/progress.ts";
import { chooseModel, endpointRules } from "svc/features/models/choose/choose_model.ts";
import { namedEndpoint } from "svc/features/models/choose/named_endpoint.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { keepServer, type KeptServer } from "svc/features/models/server/keep_server.ts";
import { serverEndpoint, serverPlan } from "svc/features/models/server/server_plan.ts";
import type { Config } from "svc/features/settings/config_file.ts";
import { lookAtMachine } from "svc/features/setup/machine.ts";
import { buildFor, installedServer } from "svc/features/setup/server_build.ts";
import { serverPrograms, systemOf } from "svc/features/setup/server_programs.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import { roomAt } from "svc/platform/files/disk_space.ts";
import { partFiles } from "svc/platform/files/part_file.ts";
import { tryLockFile } from "svc/platform/git/repo_lock.ts";
import { lastingProcesses } from "svc/platform/process/lasting.ts";
import { programsOn } from "svc/platform/process/program.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import { manifestOf } from "./prepare_repo.ts";

export interface OwnServerPorts extends PreparationPorts {
  readonly runtime: Entrance["runtime"];
  readonly progress: { update(text: string): void; done(): void };
}

export type OwnServer = NonNullable<Config["models"]["server"]>;

const NAME = "llama-server";

/** @throws Failure `environment` with the line that installs it on this system */
async function programFor({ env, files, home, runtime }: OwnServerPorts): Promise<string> {
  const programs = programsOn(env.get("PATH") ?? "");
  if (programs.has(NAME)) return NAME;
  const system = systemOf(runtime.target);
  const build = buildFor(system, registry());
  const installed = build && await installedServer(files, home.bin, build, system);
  if (installed !== undefined) return installed;
  const { get } = serverPrograms(system, programs).find(({ program }) => program === NAME)!;
  throw new Failure("environment", `Cannot run the local model: ${NAME} is not on PATH`, {
    remedy: `${get}; or take another model: --model-endpoint <url>`,
  });
}

/**
 * Returns when it answers; it ends when it is disposed of, and never outlives svc.
 * @throws Failure `environment` for a program or a file that is not here or not right, `conflict` for its port
 */
export async function openOwnServer(
  ports: OwnServerPorts,
  server: OwnServer,
  refuseUnder: readonly string[],
): Promise<KeptServer> {
  const { home, progress, env, files } = ports;
  const { models: { folders } } = await ports.settings();
  const bundle = bundleNamed(server.bundle, registry());
  const artifact = modelArtifact(bundle);
  const read = (bytes: number) =>
    progress.update(`checks ${artifact.identity.file}: ${bytesText(bytes)}`);
  const check = { ...ports, parts: partFiles, read };
  const model = await checkedFile(check, artifact, { models: home.models, folders });
  const program = await programFor(ports);
  const machine = await lookAtMachine({ ...ports, roomAt }, home.models);
  const plan = serverPlan(bundle, fitOf(bundle, machine), {
    program,
    model,
    port: server.port,
    cores: machine.cores,
  });
  const doing = "run a model server";
  await files.makeFolder(home.models);
  return await keepServer({
    ...ports,
    lasting: lastingProcesses(),
    env,
    tryLock: (path) => tryLockFile(path, { doing, clock: ports.clock }),
    refuseUnder,
    progress: (text) => progress.update(text),
    note: (text) => ports.log.write("info", text),
  }, plan);
}

/** Whether a role of these repos would ask it; a route that may not be used fails later, and says so. */
async function isAsked(
  ports: OwnServerPorts,
  endpoint: string,
  { repos, role, modelEndpoint }: {
    readonly repos: readonly string[];
    readonly role: string | undefined;
    readonly modelEndpoint: string | undefined;
  },
): Promise<boolean> {
  if (modelEndpoint !== undefined) return namedEndpoint(modelEndpoint).endpoint.href === endpoint;
  const rules = endpointRules(await ports.settings(), ports.home.config);
  const { bundledHarness } = await ports.load("src/runtime/start/scaffold");
  for (const root of repos) {
    try {
      using folder = await ports.folder(root);
      const { roles } = await manifestOf(ports, root) ??
        bundledHarness({ root, branch: "main" }).manifest;
      for (const [name, { tier }] of Object.entries(roles)) {
        if (role !== undefined && name !== role) continue;
        const { route } = await chooseModel(folder, { role: name, tier }, rules);
        if (route.endpoint === endpoint) return true;
      }
    } catch (thrown) {
      if (Failure.from(thrown).code === "internal") throw thrown;
      ports.log.write("warn", "cannot tell which model this repo asks", { root, thrown });
    }
  }
  return false;
}

/** Undefined if the config names no server, or if nothing that runs here would use it. */
export async function ownServerFor(
  ports: OwnServerPorts,
  asked: Parameters<typeof isAsked>[2],
): Promise<KeptServer | undefined> {
  const { models: { server } } = await ports.settings();
  if (server === undefined) return undefined;
  if (!await isAsked(ports, serverEndpoint(server.port), asked)) return undefined;
  const kept = await openOwnServer(ports, server, asked.repos);
  ports.progress.done();
  return kept;
}
