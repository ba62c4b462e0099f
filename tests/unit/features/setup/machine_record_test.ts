import assert from "node:assert/strict";
import { keepMachineRecord, mustBeSameMachine } from "svc/features/setup/machine_record.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { gpuAt, PLAIN, portsOf } from "./system.ts";

const meminfo = (kb: number) => `MemTotal: ${kb} kB\nMemAvailable: 1 kB\n`;
const KB = 16_777_216;

verifies(
  ["7:cli:model-preflight-changed-profile", "7:cli:model-preflight-remedy"],
  "a model that was fitted to this machine is refused on another one, with the way out",
  async () => {
    await using folder = await tempFolder();
    const home = homeOf({ get: (name) => name === "HOME" ? folder.path : undefined });
    const real = denoFiles();
    await real.makeFolder(home.root);
    const on = (files: Readonly<Record<string, string>>) => {
      const machine = portsOf({ files }).files;
      const own = (path: string) => path.startsWith(folder.path);
      const readText: typeof real.readText = (path, options) =>
        own(path) ? real.readText(path, options) : machine.readText(path, options);
      return { home, clock: systemClock, files: { ...real, list: machine.list, readText } };
    };
    const refused = (files: Readonly<Record<string, string>>, why: RegExp) =>
      assert.rejects(mustBeSameMachine(on(files), "local-cpu-q3"), (thrown: Error) => {
        assert.match(thrown.message, /^Cannot run the local model "local-cpu-q3": /);
        assert.match(thrown.message, why);
        assert.equal((thrown as Error & { code?: string }).code, "environment");
        assert.match(
          (thrown as Error & { remedy: string }).remedy,
          /svc setup, or .*--model-endpoint/,
        );
        return true;
      });

    await refused(PLAIN, /does not say for which machine/);
    const gpu = gpuAt("0000:01:00.0", "10de", "2684");
    await keepMachineRecord(on({ ...PLAIN, ...gpu }));
    const kept = await real.readText(home.machine, { maxBytes: 1000 });
    await mustBeSameMachine(on({ ...PLAIN, ...gpu }), "local-cpu-q3");
    // A kernel that keeps a little more for itself makes no other machine.
    const less = { ...PLAIN, ...gpu, "/proc/meminfo": meminfo(Math.round(KB * 0.97)) };
    await mustBeSameMachine(on(less), "local-cpu-q3");
    await refused(
      { ...PLAIN, ...gpu, "/proc/meminfo": meminfo(KB / 2) },
      /had 17\.2 GB .* has 8\.6 GB/,
    );
    await refused(PLAIN, /it had 10de:2684 and has no GPU/);
    // Setup again: the same machine keeps its record, another one gets another.
    await keepMachineRecord(on({ ...PLAIN, ...gpu }));
    assert.equal(await real.readText(home.machine, { maxBytes: 1000 }), kept);
    await keepMachineRecord(on(PLAIN));
    await mustBeSameMachine(on(PLAIN), "local-cpu-q3");
    await real.writeAtomic(home.machine, "{broken");
    await refused(PLAIN, /does not say for which machine/);
  },
);
