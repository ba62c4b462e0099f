/** What this machine has: processors, memory, disk space and GPUs, as far as programs here may use them. */
import type { Files } from "svc/platform/files/files.ts";
import { type Gpu, type GpuPorts, gpusOf, pciGpus } from "./gpus.ts";
import { factAt } from "./system_files.ts";

export interface Machine {
  /** As uname has it: "x86_64", "aarch64". */
  readonly arch: string;
  /** Processors that this process may use, with a container's quota rounded up. */
  readonly cores: number;
  /** Those of the machine, or the limit of its container. */
  readonly memoryBytes: number;
  readonly memoryFreeBytes: number;
  /** Room where models are kept. */
  readonly diskFreeBytes: number;
  readonly gpus: readonly Gpu[];
}

/** Cheap to read, and changed only by another machine or container: what a model was fitted to. */
export interface MachineMark {
  readonly memory_bytes: number;
  /** PCI ids of its GPUs, as "10de:2684", sorted. */
  readonly gpus: readonly string[];
}

export interface MachinePorts extends GpuPorts {
  readonly runtime: { readonly target: string };
  /** Bytes free at a path that need not exist yet. */
  roomAt(path: string): Promise<number>;
}

type Read = Pick<Files, "readText">;

/** "0-3,8" is five (proc(5), Cpus_allowed_list). */
function listed(ranges: string): number {
  return ranges.split(",").reduce((sum, range) => {
    const [from = 0, to = from] = range.split("-").map(Number);
    return sum + (to - from + 1);
  }, 0);
}

/** `quota period` of cgroup v2's cpu.max, both in microseconds; "max" is none. */
function quotaOf(text: string | undefined): number {
  const [quota, period] = (text ?? "max").trim().split(/\s+/).map(Number);
  return quota! > 0 && period! > 0 ? Math.max(1, Math.ceil(quota! / period!)) : Infinity;
}

async function coresOf(files: Read): Promise<number> {
  const status = await factAt(files, "/proc/self/status");
  const allowed = /^Cpus_allowed_list:\s*(\S+)/m.exec(status ?? "")?.[1];
  const quota = quotaOf(await factAt(files, "/sys/fs/cgroup/cpu.max"));
  return Math.min(allowed === undefined ? 1 : listed(allowed), quota);
}

/** A container's limit, of cgroup v2, then of v1, which writes a number near 2^63 for none. */
async function memoryLimit(files: Read): Promise<number> {
  for (const name of ["memory.max", "memory/memory.limit_in_bytes"]) {
    const limit = Number((await factAt(files, `/sys/fs/cgroup/${name}`))?.trim());
    if (limit > 0) return limit;
  }
  return Infinity;
}

/** Bytes; /proc/meminfo counts in units of 1024 (proc(5)). */
async function memoryOf(files: Read): Promise<{ readonly all: number; readonly free: number }> {
  const text = await factAt(files, "/proc/meminfo") ?? "";
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(text)?.[1] ?? 0) * 1024;
  const all = Math.min(bytes("MemTotal"), await memoryLimit(files));
  return { all, free: Math.min(bytes("MemAvailable"), all) };
}

const archOf = ({ runtime }: Pick<MachinePorts, "runtime">): string =>
  runtime.target.split("-", 1)[0]!;

/** Reads, and asks the GPU's own program where there is one; changes nothing. */
export async function lookAtMachine(ports: MachinePorts, models: string): Promise<Machine> {
  const { files } = ports;
  const [cores, memory, gpus, diskFreeBytes] = await Promise.all([
    coresOf(files),
    memoryOf(files),
    gpusOf(ports),
    ports.roomAt(models),
  ]);
  return {
    arch: archOf(ports),
    cores,
    memoryBytes: memory.all,
    memoryFreeBytes: memory.free,
    diskFreeBytes,
    gpus,
  };
}

/** Starts no program, so that each start of svc can afford it. */
export async function machineMark(
  { files }: Pick<MachinePorts, "files">,
): Promise<MachineMark> {
  const [memory, gpus] = await Promise.all([memoryOf(files), pciGpus(files)]);
  return {
    memory_bytes: memory.all,
    gpus: gpus.map(({ vendor, device }) => `${vendor}:${device}`).sort(),
  };
}
