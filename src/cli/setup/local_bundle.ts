/** The part of `svc setup` that runs a model by itself: plans, asks once, downloads, and tries it. */
import type { App } from "svc/app.ts";
import { consent } from "svc/cli/ask.ts";
import type { CommonOptions } from "svc/cli/command.ts";
import { mayAsk } from "svc/cli/setup/choose_default.ts";
import type { BUNDLES } from "svc/core/local_bundles.ts";
import { Failure } from "svc/core/failure.ts";
import { visible } from "svc/core/visible_text.ts";
import { bundleNamed, SERVER_ARTIFACT } from "svc/features/models/bundles/artifact.ts";
import { keepChecked } from "svc/features/models/bundles/checked_file.ts";
import { download } from "svc/features/models/bundles/download.ts";
import {
  autoBundle,
  eligibilities,
  type Eligibility,
} from "svc/features/models/bundles/eligible.ts";
import type { MachineFacts } from "svc/features/models/bundles/fit.ts";
import { type DownloadPlan, downloadPlan } from "svc/features/models/bundles/plan.ts";
import { bytesText, progressText } from "svc/features/models/bundles/progress.ts";
import { type Bundle, registry } from "svc/features/models/choose/registry.ts";
import { serverEndpoint } from "svc/features/models/server/server_plan.ts";
import type { Config, PerformanceProfile } from "svc/features/settings/config_file.ts";
import type { ModelDefault } from "svc/features/settings/model_default.ts";
import { buildFor, installedServer, installServer } from "svc/features/setup/server_build.ts";
import { type ServerProgram, type System, systemOf } from "svc/features/setup/server_programs.ts";
import { roomAt } from "svc/platform/files/disk_space.ts";
import { partFiles } from "svc/platform/files/part_file.ts";
import { freePort } from "svc/platform/net/free_port.ts";
import { programsOn } from "svc/platform/process/program.ts";
import { planLines, planned } from "./plan_lines.ts";

/** Beside the usual ports of model servers, where a person's own may be started later. */
const PORTS = [18_080, 18_180] as const;

export interface BundleAsked extends CommonOptions {
  readonly inference: "local" | "cloud" | "defer" | undefined;
  readonly localBundle: typeof BUNDLES[number] | undefined;
  readonly modelEndpoint: string | undefined;
  readonly download: boolean;
  readonly skipDownload: boolean;
  readonly testMode: boolean;
}

export interface LocalBundle {
  readonly bundle: Bundle;
  readonly plan: DownloadPlan;
  /** Whether a server is here that can run it. */
  readonly runs: boolean;
}

const placesOf = ({ home }: App, { models: { folders } }: Config) => ({
  models: home.models,
  bin: home.bin,
  folders,
});

/** @throws Failure `environment` where this machine can run none, or not the one that is named, with the reason */
function mustBeEligible(
  all: readonly Eligibility[],
  named: BundleAsked["localBundle"],
  profile: PerformanceProfile,
): Bundle {
  const found = named === undefined || named === "auto"
    ? autoBundle(all, profile)
    : all.find(({ bundle }) => bundle.id === named);
  if (found?.eligible) return found.bundle;
  const [{ bundle, reasons }] = found === undefined ? all as [Eligibility] : [found];
  throw new Failure("environment", `Cannot run ${bundle.id} here: ${reasons.join("; ")}`, {
    remedy: "svc models eligible says what this machine can run; or svc setup --inference cloud",
  });
}

async function hasServer(app: App, system: System): Promise<boolean> {
  if (programsOn(app.env.get("PATH") ?? "").has("llama-server")) return true;
  const build = buildFor(system, registry());
  return build !== undefined &&
    await installedServer(app.files, app.home.bin, build, system) !== undefined;
}

/** Asks nobody and requests nothing. Undefined where no bundle is wanted. */
export async function planBundle(
  app: App,
  asked: BundleAsked,
  { machine, settings }: { readonly machine: MachineFacts; readonly settings: Config },
): Promise<LocalBundle | undefined> {
  const elsewhere = asked.testMode || asked.inference === "cloud" || asked.inference === "defer" ||
    asked.modelEndpoint !== undefined;
  if (elsewhere || !asked.download && asked.localBundle === undefined) return undefined;
  const places = placesOf(app, settings);
  const all = await eligibilities(app.files, registry().bundles, machine, places);
  const bundle = mustBeEligible(all, asked.localBundle, settings.performance_profile);
  const system = systemOf(app.runtime.target);
  const served = await hasServer(app, system);
  const plan = await downloadPlan(app.files, places, {
    bundles: [bundle],
    server: served ? undefined : buildFor(system, registry()),
    mirror: settings.models.mirror,
  });
  const runs = served || plan.artifacts.some(({ bundle }) => bundle === SERVER_ARTIFACT);
  return { bundle, plan, runs };
}

/** For programs, before anything is requested (spec section 4.5, behaviour rule 1). */
export function tellPlan(app: Pick<App, "stderr">, asked: BundleAsked, { plan }: LocalBundle) {
  if (asked.json) app.stderr.write(`${JSON.stringify({ plan: planned(plan) })}\n`);
}

/**
 * Whether it may be downloaded; a person is asked once, for all of it, and nothing of the answer is kept.
 * @throws Failure `answer_needed` for --download without --yes where nobody can be asked, `refused` for a no
 */
export async function acknowledged(
  app: App,
  asked: BundleAsked,
  { plan }: LocalBundle,
): Promise<boolean> {
  if (asked.dryRun || asked.skipDownload || plan.artifacts.length === 0) return false;
  if (asked.yes || !mayAsk(app, asked)) {
    if (!asked.download) return false;
    if (!asked.json) { for (const line of planLines(plan)) app.stderr.write(`${visible(line)}\n`); }
  }
  if (asked.yes) return true;
  await consent(app, asked, {
    doing: "download the bundle",
    question: `Download ${bytesText(plan.bytes)} under these licenses?`,
    preview: planLines(plan),
  });
  return true;
}

/** @throws Failure as `download` and `installServer` */
export async function fetchPlan(app: App, { plan }: LocalBundle, settings: Config): Promise<void> {
  const system = systemOf(app.runtime.target);
  for (const artifact of plan.artifacts) {
    await download(
      {
        ...app,
        parts: partFiles,
        room: roomAt,
        mirror: settings.models.mirror,
        report: (progress) => app.progress.update(progressText(progress)),
      },
      artifact,
      artifact.path,
    );
    if (artifact.bundle === SERVER_ARTIFACT) {
      const build = buildFor(system, registry())!;
      const { home: { bin } } = app;
      await installServer(app, { archive: artifact.path, bin, build, system });
    } else await keepChecked({ ...app, parts: partFiles, read: () => {} }, artifact, artifact.path);
  }
  app.progress.done();
}

export interface OwnModel {
  readonly model: ModelDefault;
  readonly server: NonNullable<Config["models"]["server"]>;
}

/** The default that stands for a bundle which svc runs. @throws Failure `environment` where no port is free */
export function ownModel({ bundle }: LocalBundle, { models: { server } }: Config): OwnModel {
  const port = server?.bundle === bundle.id ? server.port : freePort(...PORTS);
  if (port === undefined) {
    throw new Failure("environment", `Cannot choose a port: ${PORTS.join(" to ")} are all taken`, {
      remedy: "Stop some of the programs that listen there: ss -ltnp",
    });
  }
  const model = { provider: "llama.cpp", endpoint: serverEndpoint(port), bundle: bundle.id };
  return { model, server: { bundle: bundle.id, port } };
}

/** The server of the config where the model is what it serves: kept by a person, it has to be started to be tried. */
export function serverBehind(
  { endpoint }: ModelDefault,
  { models: { server } }: Config,
): Config["models"]["server"] {
  return server !== undefined && serverEndpoint(server.port) === endpoint ? server : undefined;
}

/** Undefined while its file or its server is not here. */
export async function readyModel(
  app: App,
  local: LocalBundle,
  settings: Config,
): Promise<OwnModel | undefined> {
  const places = placesOf(app, settings);
  const bundles = [bundleNamed(local.bundle.id, registry())];
  const { artifacts } = await downloadPlan(app.files, places, { bundles });
  const here = artifacts.length === 0 && await hasServer(app, systemOf(app.runtime.target));
  return here ? ownModel(local, settings) : undefined;
}

/** What is left to do until svc can run the bundle. */
export function bundleSteps(
  asked: BundleAsked,
  { bundle, plan, runs }: LocalBundle,
  programs: readonly ServerProgram[],
): string[] {
  const line = `svc setup --inference local --local-bundle ${bundle.id}`;
  const { get } = programs.find(({ program }) => program === "llama-server")!;
  const missing = plan.artifacts.length > 0 && !(asked.download && asked.yes && !asked.dryRun);
  if (!runs) return [`${get}; then: ${line}${missing ? " --download" : ""}`];
  return missing ? [`${line} --download --yes`] : [];
}
