/** Shape of the `--json` object of `svc setup`. */
import type { z } from "zod";
import { LOCAL_BUNDLES } from "svc/core/local_bundles.ts";
import { PROTOCOLS } from "svc/core/model_protocol.ts";
import { INFERENCES } from "svc/features/setup/choice.ts";
import { SERVER_PROGRAMS } from "svc/features/setup/server_programs.ts";
import { planShape } from "./plan_lines.ts";

export const setupShape = (zod: typeof z) =>
  zod.strictObject({
    home: zod.strictObject({
      path: zod.string(),
      change: zod.enum(["created", "unchanged"]),
      /** Other users may read it. */
      open: zod.boolean(),
    }),
    config: zod.strictObject({
      path: zod.string(),
      change: zod.enum(["created", "changed", "unchanged"]),
      diff: zod.string(),
    }),
    dry_run: zod.boolean(),
    inference: zod.enum(INFERENCES),
    /** The default of every role; absent where none was chosen. */
    model: zod.strictObject({
      provider: zod.string(),
      model: zod.string().optional(),
      endpoint: zod.string(),
      api_key_env: zod.string().optional(),
      context_window: zod.int().optional(),
      protocol: zod.enum(PROTOCOLS).optional(),
      bundle: zod.enum(LOCAL_BUNDLES).optional(),
      /** As it called one when it was asked to. */
      tools: zod.enum(["native", "text"]).exactOptional(),
      /** Tokens that svc counts on. */
      window: zod.int().exactOptional(),
    }).exactOptional(),
    machine: zod.strictObject({
      arch: zod.string(),
      cores: zod.int(),
      memory_bytes: zod.int(),
      memory_free_bytes: zod.int(),
      disk_free_bytes: zod.int(),
      gpus: zod.array(zod.strictObject({
        vendor: zod.enum(["nvidia", "amd", "intel"]),
        name: zod.string(),
        memory_bytes: zod.int().nullable(),
        from: zod.enum(["nvidia-smi", "rocm-smi", "sysfs"]),
      })),
    }),
    found: zod.strictObject({
      servers: zod.array(zod.strictObject({
        provider: zod.string(),
        endpoint: zod.string(),
        models: zod.array(zod.strictObject({
          id: zod.string(),
          context_window: zod.int().exactOptional(),
          tools: zod.boolean().exactOptional(),
        })),
      })),
      /** What answers at a usual port and is no model server. */
      others: zod.array(zod.strictObject({ endpoint: zod.string(), why: zod.string() })),
      /** Names of the variables that hold a provider's key. */
      keys: zod.array(zod.string()),
    }),
    /** Where a bundle of local models was asked for. */
    download: zod.strictObject({
      bundle: zod.enum(LOCAL_BUNDLES),
      plan: planShape(zod),
      /** Whether the plan was acknowledged, and all of it came. */
      done: zod.boolean(),
    }).exactOptional(),
    /** Programs that serve models, and how to get each on this system. */
    programs: zod.array(zod.strictObject({
      program: zod.enum(SERVER_PROGRAMS),
      found: zod.boolean(),
      get: zod.string(),
    })),
    /** With `--github`: whether releases can be read, and how. */
    release: zod.strictObject({
      access: zod.enum(["anonymous", "authenticated", "unavailable"]),
      endpoint: zod.string(),
      latest: zod.string().nullable(),
      reason: zod.string().nullable(),
    }).exactOptional(),
    notes: zod.array(zod.string()),
    next: zod.array(zod.string()),
  });
export type SetupResult = z.infer<ReturnType<typeof setupShape>>;
