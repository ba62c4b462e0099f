/** Finds the GPUs of this machine: by their makers' programs, and in /sys where those are missing. */
import { Failure } from "svc/core/failure.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { childEnv, reposOn } from "svc/platform/process/program.ts";
import { factAt } from "./system_files.ts";

export interface Gpu {
  readonly vendor: "nvidia" | "amd" | "intel";
  readonly name: string;
  /** Bytes of its own; null where it shares the machine's memory, or nothing here says. */
  readonly memoryBytes: number | null;
  /** Who said so; `sysfs` alone tells that the maker's driver or program is not installed. */
  readonly from: "nvidia-smi" | "rocm-smi" | "sysfs";
}

export interface GpuPorts {
  readonly files: Pick<Files, "readText" | "list">;
  readonly processes: Pick<Processes, "run">;
  readonly env: Pick<Env, "all">;
  readonly signal: AbortSignal;
}

/** A driver in trouble lets its program hang. */
const ASK_MS = 10_000;

/** Undefined where there is no such program, or it fails. */
async function said(
  { processes, env, signal }: GpuPorts,
  program: string,
  args: readonly string[],
): Promise<string | undefined> {
  try {
    const child = childEnv(env.all());
    const run = { program, args, cwd: "/", env: child, refuseUnder: reposOn(child["PATH"] ?? "") };
    const ended = await processes.run({ ...run, timeoutMs: ASK_MS, signal });
    return ended.code === 0 ? new TextDecoder().decode(ended.stdout.head) : undefined;
  } catch (thrown) {
    if (Failure.from(thrown).code === "environment") return undefined;
    throw thrown;
  }
}

const QUERY = ["--query-gpu=name,memory.total", "--format=csv,noheader,nounits"];

/** Memory in MiB (nvidia-smi --help-query-gpu); "[N/A]" where it is the machine's own, as on a Jetson. */
async function nvidia(ports: GpuPorts): Promise<Gpu[]> {
  const text = await said(ports, "nvidia-smi", QUERY) ?? "";
  return text.split("\n").flatMap((line) => {
    const at = line.lastIndexOf(",");
    if (at === -1) return [];
    const bytes = Number(line.slice(at + 1)) * 1024 ** 2;
    const memoryBytes = bytes > 0 ? bytes : null;
    return [{ vendor: "nvidia", name: line.slice(0, at).trim(), memoryBytes, from: "nvidia-smi" }];
  });
}

/** `{"card0": {"Card Series": …, "VRAM Total Memory (B)": "…"}}`; the keys' case differs by version. */
async function amd(ports: GpuPorts): Promise<Gpu[]> {
  const args = ["--showproductname", "--showmeminfo", "vram", "--json"];
  const text = await said(ports, "rocm-smi", args) ?? "{}";
  let cards: unknown;
  try {
    cards = JSON.parse(text.slice(text.indexOf("{")));
  } catch {
    return []; // it prints warnings alone where the driver is missing
  }
  return Object.values(cards as Readonly<Record<string, unknown>>).flatMap((card) => {
    if (typeof card !== "object" || card === null) return [];
    const fact = (name: string) =>
      Object.entries(card).find(([key]) => key.toLowerCase() === name)?.[1];
    const bytes = Number(fact("vram total memory (b)"));
    if (!(bytes > 0)) return [];
    const name = String(fact("card series") ?? fact("card model") ?? "AMD GPU");
    return [{ vendor: "amd", name, memoryBytes: bytes, from: "rocm-smi" }];
  });
}

interface PciGpu {
  readonly path: string;
  /** Four hex digits each. */
  readonly vendor: string;
  readonly device: string;
}

const VENDORS: Readonly<Record<string, Gpu["vendor"]>> = {
  "10de": "nvidia",
  "1002": "amd",
  "8086": "intel",
};

/** Display controllers (class 0x03) of makers whose GPUs run models: a virtual machine's screen is none. */
export async function pciGpus(files: GpuPorts["files"]): Promise<PciGpu[]> {
  const folder = "/sys/bus/pci/devices";
  const found = await files.list(folder).catch((thrown) => {
    if (Failure.from(thrown).code === "internal") throw thrown;
    return { entries: [] };
  });
  const looked = await Promise.all(found.entries.map(async ({ name }) => {
    const path = `${folder}/${name}`;
    const word = async (file: string) =>
      (await factAt(files, `${path}/${file}`))?.trim().replace(/^0x/, "");
    if (!(await word("class"))?.startsWith("03")) return [];
    const [vendor = "", device = ""] = await Promise.all([word("vendor"), word("device")]);
    return VENDORS[vendor] === undefined ? [] : [{ path, vendor, device }];
  }));
  return looked.flat();
}

/** `mem_info_vram_total` is amdgpu's (docs.kernel.org/gpu/amdgpu/driver-misc.html). */
async function fromSys(files: GpuPorts["files"], { path, vendor, device }: PciGpu): Promise<Gpu> {
  const bytes = Number((await factAt(files, `${path}/mem_info_vram_total`))?.trim());
  const maker = VENDORS[vendor]!;
  const name = `${maker === "intel" ? "Intel" : maker.toUpperCase()} GPU ${vendor}:${device}`;
  return { vendor: maker, name, memoryBytes: bytes > 0 ? bytes : null, from: "sysfs" };
}

/** Whatever a maker's own program tells of counts before /sys, which knows of all but tells little. */
export async function gpusOf(ports: GpuPorts): Promise<Gpu[]> {
  const [told, listed] = await Promise.all([
    Promise.all([nvidia(ports), amd(ports)]).then((lists) => lists.flat()),
    pciGpus(ports.files),
  ]);
  const untold = listed.filter(({ vendor }) => !told.some((gpu) => gpu.vendor === VENDORS[vendor]));
  return [...told, ...await Promise.all(untold.map((gpu) => fromSys(ports.files, gpu)))];
}
