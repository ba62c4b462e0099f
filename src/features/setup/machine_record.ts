/** What `svc setup` saw of the machine, kept beside the config, and whether this is still that machine. */
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { rfc3339 } from "svc/core/time.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Home } from "svc/platform/home.ts";
import { type MachineMark, machineMark } from "./machine.ts";

const RECORD_BYTES = 64 * 1024;

const MachineRecord = z.object({
  version: z.literal(1),
  /** RFC 3339; when a setup first saw it like this. */
  seen_at: z.string(),
  memory_bytes: z.int().nonnegative(),
  gpus: z.array(z.string()),
});
type MachineRecord = z.infer<typeof MachineRecord>;

interface RecordPorts {
  readonly files: Pick<Files, "list" | "readText" | "stat">;
  readonly home: Pick<Home, "machine">;
}

export async function keepMachineRecord(
  ports: RecordPorts & { readonly files: Pick<Files, "writeAtomic">; readonly clock: Clock },
): Promise<void> {
  const { files, home, clock } = ports;
  const mark = await machineMark(ports);
  const old = await recordAt(ports);
  if (old?.memory_bytes === mark.memory_bytes && old.gpus.join() === mark.gpus.join()) return;
  const record = { version: 1, seen_at: rfc3339(clock.now()), ...mark };
  await files.writeAtomic(home.machine, `${JSON.stringify(record, null, 2)}\n`);
}

/** Undefined for one that is missing or that nobody can read: setup writes another. */
async function recordAt({ files, home }: RecordPorts): Promise<MachineRecord | undefined> {
  if (await files.stat(home.machine) === undefined) return undefined;
  const text = await files.readText(home.machine, { maxBytes: RECORD_BYTES, lossy: true });
  try {
    return MachineRecord.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Kernels and firmware keep some for themselves, not always as much. */
const SAME_MEMORY = 0.1;

const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;

function changeBetween(then: MachineMark, now: MachineMark): string | undefined {
  const apart = Math.abs(now.memory_bytes - then.memory_bytes);
  if (apart > SAME_MEMORY * then.memory_bytes) {
    return `it had ${gb(then.memory_bytes)} of memory and has ${gb(now.memory_bytes)}`;
  }
  if (then.gpus.join() === now.gpus.join()) return undefined;
  const list = (gpus: readonly string[]) => gpus.join(", ") || "no GPU";
  return `it had ${list(then.gpus)} and has ${list(now.gpus)}`;
}

/** For a model that was fitted to the machine: its window, and the layers on a GPU.
 * @throws Failure `environment` with the way out (spec section 7, CLI condition 7) */
export async function mustBeSameMachine(ports: RecordPorts, bundle: string): Promise<void> {
  const then = await recordAt(ports);
  const change = then === undefined
    ? `${ports.home.machine} does not say for which machine it was set up`
    : changeBetween(then, await machineMark(ports));
  if (change === undefined) return;
  const why = then === undefined ? change : `this machine changed since svc setup: ${change}`;
  throw new Failure("environment", `Cannot run the local model "${bundle}": ${why}`, {
    remedy: "Run svc setup, or give a real --model-endpoint",
  });
}
