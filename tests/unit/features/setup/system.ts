/** A machine as its kernel tells of it: files of /proc and /sys by path, programs by what they print. */
import { Failure } from "svc/core/failure.ts";
import { HeadTail } from "svc/core/head_tail.ts";
import type { GpuPorts } from "svc/features/setup/gpus.ts";
import type { Ended } from "svc/platform/process/process.ts";

export interface System {
  readonly files: Readonly<Record<string, string>>;
  /** By program; absent ones are not installed. */
  readonly programs?: Readonly<Record<string, { readonly code?: number; readonly out: string }>>;
}

const missing = (path: string) => new Failure("not_found", `Cannot read "${path}": no such file`);

function ended(code: number, out: string): Ended {
  const stdout = new HeadTail(64 * 1024);
  stdout.push(new TextEncoder().encode(out));
  return {
    code,
    signal: undefined,
    stdout: stdout.capture(),
    stderr: new HeadTail(1).capture(),
    durationMs: 1,
    timedOut: false,
    cancelled: false,
    crowded: false,
    survivorsKilled: 0,
  };
}

/** Anything else that is asked for fails the test. */
export function portsOf({ files, programs = {} }: System): GpuPorts {
  return {
    env: { all: () => ({ PATH: "/usr/bin" }) },
    signal: new AbortController().signal,
    files: {
      readText: (path) =>
        files[path] === undefined ? Promise.reject(missing(path)) : Promise.resolve(files[path]),
      list(path) {
        const below = Object.keys(files).filter((file) => file.startsWith(`${path}/`));
        if (below.length === 0) return Promise.reject(missing(path));
        const names = new Set(below.map((file) => file.slice(path.length + 1).split("/", 1)[0]!));
        const entries = [...names].map((name) => ({ name, kind: "folder" as const }));
        return Promise.resolve({ entries, more: 0, skipped: 0 });
      },
    },
    processes: {
      run({ program }) {
        const said = programs[program];
        if (said !== undefined) return Promise.resolve(ended(said.code ?? 0, said.out));
        return Promise.reject(new Failure("environment", `Cannot run "${program}": not on PATH`));
      },
    },
  };
}

/** Two cores and 16 GiB. */
export const PLAIN: Readonly<Record<string, string>> = {
  "/proc/meminfo": "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:   8388608 kB\n",
  "/proc/self/status": "Name:\tdeno\nCpus_allowed_list:\t0-1\n",
};

export const gpuAt = (slot: string, vendor: string, device: string, klass = "0x030000") => ({
  [`/sys/bus/pci/devices/${slot}/class`]: `${klass}\n`,
  [`/sys/bus/pci/devices/${slot}/vendor`]: `0x${vendor}\n`,
  [`/sys/bus/pci/devices/${slot}/device`]: `0x${device}\n`,
});
