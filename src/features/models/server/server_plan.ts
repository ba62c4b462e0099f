/** How svc runs llama.cpp's server with a bundle: its command line, and what it is known by. */
import type { Bundle } from "svc/features/models/choose/registry.ts";
import type { BundleFit } from "svc/features/models/bundles/fit.ts";

export interface ServerPlan {
  /** A bare name, which PATH finds, or an absolute path. */
  readonly program: string;
  /** Absolute path of the GGUF file. */
  readonly model: string;
  /** What it calls its model; no other server has that name by chance. */
  readonly alias: string;
  readonly port: number;
  readonly contextWindow: number;
  readonly gpuLayers: number;
  readonly threads: number;
}

export const aliasOf = ({ id }: { readonly id: string }) => `svc-${id}`;

export const serverEndpoint = (port: number) => `http://127.0.0.1:${port}/v1`;

export function serverPlan(
  bundle: Bundle,
  fit: BundleFit,
  { program, model, port, cores }: {
    readonly program: string;
    readonly model: string;
    readonly port: number;
    readonly cores: number;
  },
): ServerPlan {
  return {
    program,
    model,
    alias: aliasOf(bundle),
    port,
    contextWindow: fit.contextWindow,
    gpuLayers: fit.gpuLayers,
    threads: Math.max(1, cores),
  };
}

/**
 * It lets any page of a browser read its answers, so it answers only who has the key, but for /health;
 * `ps` shows a flag to every user of the machine, a variable only to this one (`--api-key` in tools/server/README.md).
 * Its /slots shows what it works on, a prompt with the repo's code: not the flag, which some versions lack and would
 * not start with.
 */
export const serverEnv = (key: string) => ({
  LLAMA_API_KEY: key,
  LLAMA_ARG_NO_ENDPOINT_SLOTS: "1",
});

/**
 * Flags of llama.cpp's tools/server/README.md. One slot has the whole window: several would share it. The chat
 * template comes from the file (--jinja), since tools are called in the model's own form.
 */
export function serverArgs(plan: ServerPlan): string[] {
  return [
    ...["--model", plan.model, "--alias", plan.alias],
    ...["--host", "127.0.0.1", "--port", String(plan.port)],
    ...["--ctx-size", String(plan.contextWindow), "--parallel", "1"],
    ...["--n-gpu-layers", String(plan.gpuLayers), "--threads", String(plan.threads)],
    ...["--jinja", "--no-webui"],
  ];
}
