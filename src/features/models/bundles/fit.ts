/** How a bundle fits into a machine: the window that it can have, and the layers that a GPU takes. */
import type { Bundle } from "svc/features/models/choose/registry.ts";

/** What a machine has, as far as a model asks for it. */
export interface MachineFacts {
  /** All of the machine, or the limit of its container. */
  readonly memoryBytes: number;
  readonly memoryFreeBytes: number;
  /** Room where models are kept. */
  readonly diskFreeBytes: number;
  readonly cores: number;
  /** `memoryBytes` is null where a GPU has none of its own, or nothing tells. */
  readonly gpus: readonly { readonly name: string; readonly memoryBytes: number | null }[];
}

export interface BundleFit {
  /** Tokens. */
  readonly contextWindow: number;
  readonly gpuLayers: number;
  /** Bytes of the machine's memory, and of its GPUs'. */
  readonly memoryBytes: number;
  readonly gpuBytes: number;
}

/** For the server itself, the system and what else runs; the registry's `ram_gb` counts it too. */
const REST_BYTES = 2e9;

/** What drivers and the buffers of a computation take of each GPU; llama.cpp leaves as much by itself (`-fitt`). */
const GPU_REST_BYTES = 1024 ** 3;

/** An agent's instructions and tools alone take 4,000 tokens; below this it forgets what it read. */
export const LEAST_WINDOW = 16_384;

function fitted(bundle: Bundle, machine: MachineFacts, contextWindow: number): BundleFit {
  const { artifact: { bytes }, cache_bytes, layers } = bundle;
  const all = bytes + contextWindow * cache_bytes;
  const layer = all / layers;
  const onGpus = machine.gpus
    .map(({ memoryBytes }) => Math.floor(((memoryBytes ?? 0) - GPU_REST_BYTES) / layer))
    .reduce((sum, count) => sum + Math.max(0, count), 0);
  const gpuLayers = Math.min(layers, onGpus);
  const gpuBytes = Math.round(gpuLayers * layer);
  return {
    contextWindow,
    gpuLayers,
    gpuBytes,
    memoryBytes: Math.round(all - gpuBytes + REST_BYTES),
  };
}

/** With the largest window that the memory takes; with the least one where none fits. */
export function fitOf(bundle: Bundle, machine: MachineFacts): BundleFit {
  for (let window = bundle.context_window; window >= LEAST_WINDOW; window /= 2) {
    const fit = fitted(bundle, machine, window);
    if (fit.memoryBytes <= machine.memoryBytes) return fit;
  }
  return fitted(bundle, machine, LEAST_WINDOW);
}
