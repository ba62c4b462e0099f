import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { LOCAL_BUNDLES } from "svc/core/local_bundles.ts";
import { autoBundle, eligibilities } from "svc/features/models/bundles/eligible.ts";
import { bytesText } from "svc/features/models/bundles/progress.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { lookAtMachine } from "svc/features/setup/machine.ts";
import { roomAt } from "svc/platform/files/disk_space.ts";

export default command({
  about: "Say which local bundles this machine can run, and why",
  details:
    "Compares each bundle with the memory, GPU and disk of this machine: what it needs with its " +
    "window, how many of its layers a GPU takes, and what is missing. If memory is short, a " +
    "smaller window is tried, down to 16384 tokens. auto is the bundle that svc setup takes by " +
    "itself. Nothing is downloaded.",
  examples: [
    { line: "svc models eligible", about: "each bundle, with the reason" },
    { line: "svc models eligible --json | jq .auto", about: "what auto stands for here" },
  ],
  effect: "reads",
  givenBy: { who: "anyone", because: "it only reads" },
  modes: ["json", "plain"],
  flags: {},
  result: (z) =>
    z.strictObject({
      machine: z.strictObject({
        memory_bytes: z.int(),
        memory_free_bytes: z.int(),
        disk_free_bytes: z.int(),
        cores: z.int(),
        gpus: z.array(z.strictObject({ name: z.string(), memory_bytes: z.int().nullable() })),
      }),
      bundles: z.array(z.strictObject({
        bundle: z.enum(LOCAL_BUNDLES),
        model: z.string(),
        eligible: z.boolean(),
        /** Why the bundle cannot run here; or, if it can, what it runs on. */
        reasons: z.array(z.string()),
        /** Tokens that it would have here. */
        context_window: z.int(),
        on: z.enum(["gpu", "gpu and processor", "processor"]),
        gpu_layers: z.int(),
        layers: z.int(),
        needs_memory_bytes: z.int(),
        needs_gpu_bytes: z.int(),
        /** Still to be downloaded; 0 where the file is here. */
        missing_bytes: z.int(),
      })),
      /** What --local-bundle auto takes; null where none can run. */
      auto: z.enum(LOCAL_BUNDLES).nullable(),
    }),

  async run(app: App) {
    const { home, files } = app;
    const { models: { folders }, performance_profile: profile } = await app.settings();
    const machine = await lookAtMachine({ ...app, roomAt }, home.models);
    const places = { models: home.models, bin: home.bin, folders };
    const all = await eligibilities(files, registry().bundles, machine, places);
    return {
      machine: {
        memory_bytes: machine.memoryBytes,
        memory_free_bytes: machine.memoryFreeBytes,
        disk_free_bytes: machine.diskFreeBytes,
        cores: machine.cores,
        gpus: machine.gpus.map(({ name, memoryBytes }) => ({ name, memory_bytes: memoryBytes })),
      },
      bundles: all.map(({ bundle, eligible, fit, on, reasons, missingBytes }) => ({
        bundle: bundle.id,
        model: bundle.model,
        eligible,
        reasons,
        context_window: fit.contextWindow,
        on,
        gpu_layers: fit.gpuLayers,
        layers: bundle.layers,
        needs_memory_bytes: fit.memoryBytes,
        needs_gpu_bytes: fit.gpuBytes,
        missing_bytes: missingBytes,
      })),
      auto: autoBundle(all, profile)?.bundle.id ?? null,
    };
  },

  show({ bundles, auto }, page) {
    for (const [at, each] of bundles.entries()) {
      if (at > 0) page.line();
      const verdict = each.eligible ? page.tone("good", "yes") : page.tone("bad", "no");
      const chosen = each.bundle === auto ? ", what auto takes" : "";
      page.heading(`${each.bundle}: ${each.model}`);
      page.line(`${verdict}${chosen}`);
      for (const reason of each.reasons) page.line(`  ${reason}`);
      const download = each.missing_bytes === 0
        ? "its file is here"
        : `${bytesText(each.missing_bytes)} to download`;
      if (each.eligible) page.line(`  ${each.context_window} tokens, ${download}`);
    }
    page.line();
    page.next(
      auto === null
        ? "svc setup --inference cloud"
        : `svc setup --inference local --local-bundle ${auto} --download`,
    );
  },
});
