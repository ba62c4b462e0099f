/** Keeps jobs from being claimed while the disk is nearly full or the database fails, and says why. */
import { CLAIM_RETRY_MAX_MS, CLAIM_RETRY_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { EnginePorts } from "./engine_plan.ts";

/** Free disk that a claim needs: builds and work trees take some 100 MB. */
export const CLAIM_FREE_BYTES = 1024 * 1024 * 1024;

export const DISK_LOOK_MS = 5_000;

const MIB = 1024 * 1024;

type GatePorts = Pick<EnginePorts, "clock" | "diskFree" | "log">;

export class ClaimGate {
  readonly #ports: GatePorts;
  readonly #changed: (reason: string | undefined) => void;
  #told: string | undefined;
  #fault: { readonly why: string; readonly delayMs: number; readonly until: number } | undefined;
  #disk: { readonly why: string | undefined; readonly at: number } | undefined;

  constructor(
    ports: GatePorts,
    changed: (reason: string | undefined) => void,
  ) {
    this.#ports = ports;
    this.#changed = changed;
  }

  get reason(): string | undefined {
    return this.#fault?.why ?? this.#disk?.why;
  }

  async open(): Promise<boolean> {
    const now = this.#ports.clock.monotonic();
    if (this.#fault !== undefined && now < this.#fault.until) return false;
    if (this.#disk === undefined || now - this.#disk.at >= DISK_LOOK_MS) {
      this.#disk = { why: await this.#diskFault(), at: now };
      this.#tell();
    }
    return this.#disk.why === undefined;
  }

  async #diskFault(): Promise<string | undefined> {
    const { diskFree, log } = this.#ports;
    if (diskFree === undefined) return undefined;
    try {
      const free = await diskFree();
      if (free >= CLAIM_FREE_BYTES) return undefined;
      const has = `${Math.floor(free / MIB)} MiB`;
      return `the disk of svc's work trees has ${has} left, and ${
        CLAIM_FREE_BYTES / MIB
      } are wanted`;
    } catch (thrown) {
      log.write("warn", "the room on the disk cannot be told", { cause: thrown });
      return undefined;
    }
  }

  /** Each failure in a row doubles the wait before the next claim. */
  failed(thrown: unknown): void {
    const { clock, log } = this.#ports;
    const failure = Failure.from(thrown);
    const why = failure.message;
    const before = this.#fault?.delayMs;
    const delayMs = before === undefined
      ? CLAIM_RETRY_MS
      : Math.min(before * 2, CLAIM_RETRY_MAX_MS);
    this.#fault = { why, delayMs, until: clock.monotonic() + delayMs };
    log.write("error", `no job can be claimed: ${why}`, { cause: failure.cause ?? thrown });
    this.#tell();
  }

  passed(): void {
    this.#fault = undefined;
    this.#tell();
  }

  #tell(): void {
    if (this.reason === this.#told) return;
    this.#told = this.reason;
    this.#changed(this.#told);
  }
}
