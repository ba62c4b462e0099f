/** Which bundles this machine can run, and why or why not. */
import type { Bundle } from "svc/features/models/choose/registry.ts";
import type { PerformanceProfile } from "svc/features/settings/config_file.ts";
import type { Files } from "svc/platform/files/files.ts";
import { DOWNLOAD_LIMITS } from "./download.ts";
import { type BundleFit, fitOf, type MachineFacts } from "./fit.ts";
import { downloadPlan, type PlanPlaces } from "./plan.ts";
import { bytesText } from "./progress.ts";

export interface Eligibility {
  readonly bundle: Bundle;
  readonly eligible: boolean;
  readonly fit: BundleFit;
  /** Bytes that are still to be downloaded; 0 where the file is here. */
  readonly missingBytes: number;
  /** Where it would compute. */
  readonly on: "gpu" | "gpu and processor" | "processor";
  /** What stands against it, or what it runs on. */
  readonly reasons: readonly string[];
}

function placeOf({ layers }: Bundle, { gpuLayers }: BundleFit): Eligibility["on"] {
  if (gpuLayers === 0) return "processor";
  return gpuLayers === layers ? "gpu" : "gpu and processor";
}

function gpuReason(bundle: Bundle, fit: BundleFit, { gpus }: MachineFacts): string {
  const names = gpus.map(({ name, memoryBytes }) =>
    `${name} (${memoryBytes === null ? "no memory of its own" : bytesText(memoryBytes)})`
  ).join(", ");
  if (gpus.length === 0) return "no GPU: the processor computes";
  if (fit.gpuLayers === 0) return `${names}: too little for a layer, so the processor computes`;
  return `${names}: takes ${fit.gpuLayers} of ${bundle.layers} layers`;
}

export function eligibility(
  bundle: Bundle,
  machine: MachineFacts,
  missingBytes: number,
): Eligibility {
  const fit = fitOf(bundle, machine);
  const against: string[] = [];
  if (fit.memoryBytes > machine.memoryBytes) {
    against.push(
      `memory: it needs ${bytesText(fit.memoryBytes)}, this machine has ` +
        bytesText(machine.memoryBytes),
    );
  }
  const room = missingBytes === 0 ? 0 : missingBytes + DOWNLOAD_LIMITS.spareBytes;
  if (room > machine.diskFreeBytes) {
    against.push(
      `disk: it needs ${bytesText(room)}, ${bytesText(machine.diskFreeBytes)} are free`,
    );
  }
  const eligible = against.length === 0;
  const notes = [
    `memory: ${bytesText(fit.memoryBytes)} of ${bytesText(machine.memoryBytes)}`,
    gpuReason(bundle, fit, machine),
  ];
  if (fit.contextWindow < bundle.context_window) {
    notes.push(`its window is cut to ${fit.contextWindow} tokens to fit`);
  }
  if (fit.memoryBytes > machine.memoryFreeBytes) {
    notes.push(`only ${bytesText(machine.memoryFreeBytes)} of memory are free now`);
  }
  return {
    bundle,
    eligible,
    fit,
    missingBytes,
    on: placeOf(bundle, fit),
    reasons: eligible ? notes : against,
  };
}

/**
 * What `auto` stands for under a profile of the config: `light` the least that runs, `full` the best that
 * runs at all, `balanced` and `auto` the best that runs with its whole window. Eight bits a weight are not
 * balanced, and `auto` takes them only where a GPU holds all: a processor reads each weight for each token.
 */
export function autoBundle(
  all: readonly Eligibility[],
  profile: PerformanceProfile,
): Eligibility | undefined {
  const running = all.filter(({ eligible }) => eligible);
  if (profile === "light") return running[0];
  if (profile === "full") return running.at(-1);
  const able = running.filter(({ bundle, on }) =>
    bundle.quantisation !== "Q8_0" || (on === "gpu" && profile === "auto")
  );
  const whole = able.filter(({ fit, bundle }) => fit.contextWindow === bundle.context_window);
  return whole.at(-1) ?? able.at(-1);
}

/** Each bundle of the registry against this machine; what is here already needs no room. */
export async function eligibilities(
  files: Pick<Files, "stat">,
  bundles: readonly Bundle[],
  machine: MachineFacts,
  places: PlanPlaces,
): Promise<Eligibility[]> {
  return await Promise.all(bundles.map(async (bundle) => {
    const { artifacts: [artifact] } = await downloadPlan(files, places, { bundles: [bundle] });
    const missing = artifact === undefined ? 0 : artifact.bytes - artifact.have;
    return eligibility(bundle, machine, missing);
  }));
}
