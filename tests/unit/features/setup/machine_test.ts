import assert from "node:assert/strict";
import { lookAtMachine, machineMark } from "svc/features/setup/machine.ts";
import { gpuAt, PLAIN, portsOf, type System } from "./system.ts";

const GIB = 1024 ** 3;

const look = (system: System) =>
  lookAtMachine({
    ...portsOf(system),
    runtime: { target: "aarch64-unknown-linux-gnu" },
    roomAt: (path) => Promise.resolve(path === "/home/ada/.svc/models" ? 5e9 : 0),
  }, "/home/ada/.svc/models");

Deno.test("a machine has what the kernel says", async () => {
  assert.deepEqual(await look({ files: PLAIN }), {
    arch: "aarch64",
    cores: 2,
    memoryBytes: 16 * GIB,
    memoryFreeBytes: 8 * GIB,
    diskFreeBytes: 5e9,
    gpus: [],
  });
});

Deno.test("a container has what its limits say", async () => {
  const v2 = await look({
    files: {
      ...PLAIN,
      "/proc/self/status": "Cpus_allowed_list:\t0-3,8,10-11\n",
      "/sys/fs/cgroup/cpu.max": "250000 100000\n",
      "/sys/fs/cgroup/memory.max": `${4 * GIB}\n`,
    },
  });
  assert.deepEqual([v2.cores, v2.memoryBytes, v2.memoryFreeBytes], [3, 4 * GIB, 4 * GIB]);
  const none = await look({
    files: {
      ...PLAIN,
      "/sys/fs/cgroup/cpu.max": "max 100000\n",
      "/sys/fs/cgroup/memory.max": "max\n",
      "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    },
  });
  assert.deepEqual([none.cores, none.memoryBytes], [2, 16 * GIB]);
});

Deno.test("GPUs are asked of their makers' programs", async () => {
  const { gpus } = await look({
    files: {
      ...PLAIN,
      ...gpuAt("0000:01:00.0", "10de", "2684"),
      ...gpuAt("0000:02:00.0", "1002", "744c"),
    },
    programs: {
      "nvidia-smi": { out: "NVIDIA GeForce RTX 4090, 24564\nOrin (nvgpu), [N/A]\n" },
      "rocm-smi": {
        out: 'WARNING: low power\n{"card0": {"Card Series": "Radeon RX 7900 XTX", ' +
          '"VRAM Total Memory (B)": "25753026560"}, "system": {"Driver version": "6.8"}}\n',
      },
    },
  });
  assert.deepEqual(gpus, [
    {
      vendor: "nvidia",
      name: "NVIDIA GeForce RTX 4090",
      memoryBytes: 24564 * 1024 ** 2,
      from: "nvidia-smi",
    },
    { vendor: "nvidia", name: "Orin (nvgpu)", memoryBytes: null, from: "nvidia-smi" },
    { vendor: "amd", name: "Radeon RX 7900 XTX", memoryBytes: 25753026560, from: "rocm-smi" },
  ]);
});

Deno.test("without the makers' programs /sys tells of GPUs, and of no screen of a virtual machine", async () => {
  const amd = gpuAt("0000:03:00.0", "1002", "744c");
  const { gpus } = await look({
    files: {
      ...PLAIN,
      ...amd,
      "/sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total": "25753026560\n",
      ...gpuAt("0000:00:02.0", "8086", "a780"),
      ...gpuAt("0000:01:00.0", "10de", "2684", "0x030200"),
      ...gpuAt("0000:00:01.0", "1234", "1111"), // QEMU
      ...gpuAt("0000:04:00.0", "10de", "22ba", "0x040300"), // the GPU's own sound
    },
    programs: {
      "nvidia-smi": { code: 9, out: "NVIDIA-SMI has failed\n" },
      "rocm-smi": { out: "ERROR\n" },
    },
  });
  assert.deepEqual(
    gpus.map(({ vendor, memoryBytes, from }) => [vendor, memoryBytes, from]),
    [["amd", 25753026560, "sysfs"], ["intel", null, "sysfs"], ["nvidia", null, "sysfs"]],
  );
});

Deno.test("a machine's mark starts no program", async () => {
  const { processes: _, ...ports } = portsOf({
    files: {
      ...PLAIN,
      ...gpuAt("0000:02:00.0", "10de", "2684"),
      ...gpuAt("0000:01:00.0", "1002", "744c"),
    },
  });
  assert.deepEqual(await machineMark(ports), {
    memory_bytes: 16 * GIB,
    gpus: ["1002:744c", "10de:2684"],
  });
});
