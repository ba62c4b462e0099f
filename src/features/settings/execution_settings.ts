/** Settings of the sandbox for programs of jobs: `execution` in the user's config. */
import { z } from "zod";
import { CHILD_PROCESSES } from "svc/core/bounds.ts";
import { type ExecutionRules, NETWORKS, SANDBOXES } from "svc/core/execution.ts";

const FOLDERS = 64;

const folders = z.array(
  z.string().regex(/^\/[^\0\n]*[^\0\n/]$/, "must be an absolute path, and not the root"),
).max(FOLDERS).default([]);

const network = z.enum(NETWORKS);

/** Compilers and test runners of large projects need some GB; a machine of 16 GB outlives it. */
const MEMORY_MB = 8192;
const FILE_MB = 4096;
/** What a package manager unpacks; it is memory. */
const TEMPORARY_MB = 2048;

const megabytes = z.int().min(16).max(1024 * 1024);

export const ExecutionSettings = z.strictObject({
  sandbox: z.enum(SANDBOXES).default("off"),
  network: z.strictObject({
    // Packages come from the network; tests listen on 127.0.0.1.
    set_up: network.default("full"),
    checks: network.default("loopback"),
    commands: network.default("loopback"),
    servers: network.default("loopback"),
  }).prefault({}),
  caches: folders,
  toolchains: folders,
  hidden: folders,
  limits: z.strictObject({
    memory_mb: megabytes.default(MEMORY_MB),
    processes: z.int().min(8).max(100_000).default(CHILD_PROCESSES),
    file_mb: megabytes.default(FILE_MB),
    temporary_mb: megabytes.default(TEMPORARY_MB),
  }).prefault({}),
}) satisfies z.ZodType<ExecutionRules>;
