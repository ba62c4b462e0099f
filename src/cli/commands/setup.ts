import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, on, path, text } from "svc/cli/flags.ts";
import { settleDefault } from "svc/cli/setup/choose_default.ts";
import { nextSteps } from "svc/cli/setup/next_steps.ts";
import { showSetup } from "svc/cli/setup/report.ts";
import { refuseContradictions } from "svc/cli/setup/flags.ts";
import {
  acknowledged,
  bundleSteps,
  fetchPlan,
  planBundle,
  readyModel,
  serverBehind,
  tellPlan,
} from "svc/cli/setup/local_bundle.ts";
import { planned } from "svc/cli/setup/plan_lines.ts";
import { seenAround, seenMachine, seenReleases } from "svc/cli/setup/seen.ts";
import { setupShape } from "svc/cli/setup/shape.ts";
import { releaseAccess } from "svc/features/access/release_access.ts";
import { releaseCredential, releaseUrl } from "svc/features/access/release_place.ts";
import { endpointRules } from "svc/features/models/choose/choose_model.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { BUNDLES } from "svc/core/local_bundles.ts";
import { INFERENCES } from "svc/features/setup/choice.ts";
import { lookAround, type Surroundings } from "svc/features/setup/look_around.ts";
import { lookAtMachine } from "svc/features/setup/machine.ts";
import { keepMachineRecord } from "svc/features/setup/machine_record.ts";
import { homeState } from "svc/features/setup/prepare_home.ts";
import { serverPrograms, systemOf } from "svc/features/setup/server_programs.ts";
import { tryModel } from "svc/features/setup/try_model.ts";
import { type ConfigEdit, planConfig } from "svc/features/settings/edit_config.ts";
import { roomAt } from "svc/platform/files/disk_space.ts";
import { programsOn } from "svc/platform/process/program.ts";
import { openOwnServer } from "svc/runtime/start/own_server.ts";

const NOTHING: Surroundings = { servers: [], strangers: [], keys: [] };

const FLAGS = {
  inference: choice(INFERENCES, "Where models run (default: what is found, or svc asks)"),
  modelEndpoint: text(
    "url",
    "Make this OpenAI-compatible endpoint the default; #name picks a model",
  ),
  localBundle: choice(BUNDLES, "Bundle of local models (default: auto, what fits this machine)"),
  download: on("Download the bundle; without a terminal, --yes acknowledges the shown plan"),
  skipDownload: on("Download nothing; if no model is found, you choose one later"),
  github: on("Check release access too"),
  skipGithub: on("Leave release access alone (the default)"),
  installDir: path("folder", "Folder of the program svc, for svc path setup and updates"),
  testMode: on("Prepare the machine only: ask no server, download nothing, choose no model"),
} as const;

export default command({
  about: "Prepare this machine: the svc home, its config, and the model that every role uses",
  details:
    "Looks for model servers on this machine, for keys in the environment (by the names of their " +
    "variables), and at GPU, memory and disk. Then it asks one question: which model every role " +
    "uses. It tests whether that model can call a tool, and stores the choice in " +
    "~/.svc/config.yaml; a repo can choose another for itself. Everything else that you wrote " +
    "there stays, comments included. Ctrl-C leaves nothing half done. Without a terminal it asks " +
    "nothing: if something is not clear, it fails and names the flag that decides it.",
  examples: [
    { line: "svc setup", about: "with Ollama running: one Enter" },
    { line: "svc setup --dry-run", about: "shows what it finds and would write" },
    {
      line: "svc setup --yes --inference cloud",
      about: "for scripts, with a key in the environment",
    },
    {
      line: "svc setup --yes --model-endpoint http://127.0.0.1:11434/v1#qwen3-coder:30b",
      about: "a model by its address",
    },
  ],
  effect: "writes_home",
  net: {
    to: "ask model servers of this machine and the provider that you choose, download what you " +
      "agree to, and ask the code host for releases",
  },
  givenBy: { who: "person", because: "it says where prompts and code of every repo are sent" },
  modes: ["json", "plain", "yes", "dry-run"],
  flags: FLAGS,
  result: setupShape,

  async run(app: App, asked) {
    refuseContradictions(asked);
    const { home, files, progress } = app;
    const settings = await app.settings();
    const rules = endpointRules(settings, home.config);
    const place = await homeState(files, home.root);
    progress.update("looking for models on this machine");
    const machine = await lookAtMachine({ ...app, roomAt }, home.models);
    const local = await planBundle(app, asked, { machine, settings });
    if (local !== undefined) tellPlan(app, asked, local);
    const found = asked.testMode
      ? NOTHING
      : await lookAround(app, registry(), rules.allowedKeyEnvs);
    const done = local !== undefined && await acknowledged(app, asked, local);
    if (local !== undefined && done) await fetchPlan(app, local, settings);
    const own = local && await readyModel(app, local, settings);
    const current = settings.models.default;
    const { inference: wanted, skipDownload: noneWillDo } = asked;
    const { memoryBytes } = machine;
    const wish = { inference: wanted, current, memoryBytes, noneWillDo };
    const alone = found.servers.length === 0 && current === undefined;
    const { inference, model } = asked.testMode
      ? { inference: "defer" as const, model: undefined }
      : own !== undefined || local !== undefined && alone
      ? { inference: "local" as const, model: own?.model }
      : await settleDefault(app, asked, found, wish, rules);
    let tried: Awaited<ReturnType<typeof tryModel>> | undefined;
    if (model !== undefined && !asked.dryRun) {
      const server = own?.server ?? serverBehind(model, settings);
      await using _server = server && await openOwnServer(app, server, []);
      progress.update(`asking ${model.model ?? model.provider} to call a tool`);
      tried = await tryModel(app, model, { rules, server });
    }
    const edits: ConfigEdit[] = [
      ...(model === undefined ? [] : [{ path: ["models", "default"], value: model }]),
      ...(own === undefined ? [] : [{ path: ["models", "server"], value: own.server }]),
      ...(asked.installDir === undefined
        ? []
        : [{ path: ["install_dir"], value: asked.installDir }]),
    ];
    const config = await planConfig(files, home.config, edits);
    if (!asked.dryRun) {
      await files.makeFolder(home.root);
      await config.write();
      await keepMachineRecord(app);
    }
    const release = asked.github && !asked.dryRun
      ? await releaseAccess(app, releaseUrl(settings), () => releaseCredential(app, settings))
      : undefined;
    progress.done();
    const onPath = programsOn(app.env.get("PATH") ?? "");
    const programs = serverPrograms(systemOf(app.runtime.target), onPath);
    return {
      home: { ...place },
      config: { path: config.path, change: config.change, diff: config.diff },
      dry_run: asked.dryRun,
      inference,
      ...(model !== undefined && {
        model: {
          ...model,
          ...(tried !== undefined && {
            tools: tried.profile.tools,
            window: tried.profile.contextWindow,
          }),
        },
      }),
      machine: seenMachine(machine),
      found: seenAround(found),
      ...(release !== undefined && { release: seenReleases(release) }),
      ...(local !== undefined && {
        download: { bundle: local.bundle.id, plan: planned(local.plan), done },
      }),
      programs: [...programs],
      notes: [...tried?.notes ?? []],
      next: [
        ...(local === undefined || own !== undefined ? [] : bundleSteps(asked, local, programs)),
        ...await nextSteps(app, FLAGS, asked, { inference, found, release }),
      ],
    };
  },

  show: showSetup,
});
