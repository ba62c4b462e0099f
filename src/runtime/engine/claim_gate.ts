/** Keeps jobs from being claimed while the disk is nearly full, the database fails, a limit of the day or its node holds. */
import { Failure } from "svc/core/failure.ts";
import type { ClaimHold } from "svc/features/jobs/claim_limits.ts";
import { roleLane } from "svc/features/jobs/lane_store.ts";
import { CLAIM_RETRY, type ClaimRetry, type EnginePorts } from "./engine_plan.ts";

/** Free disk that a claim needs: builds and work trees take some 100 MB. */
export const CLAIM_FREE_BYTES = 1024 * 1024 * 1024;

export const DISK_LOOK_MS = 5_000;

const MIB = 1024 * 1024;

type GatePorts = Pick<EnginePorts, "clock" | "diskFree" | "log">;

interface GateEvents {
  /** Undefined when nothing keeps jobs from being claimed. */
  readonly changed: (reason: string | undefined) => void;
  readonly held: (holds: readonly ClaimHold[]) => void;
}

/** Two holds with the same end count as the same one, however much is spent meanwhile. */
const holdsKey = (holds: readonly ClaimHold[]) =>
  holds.map(({ setBy, repo_id, role, until, amount }) =>
    [setBy, repo_id, role, until, amount].join()
  ).join("\n");

export class ClaimGate {
  readonly #ports: GatePorts;
  readonly #events: GateEvents;
  readonly #look: (() => Promise<readonly ClaimHold[]>) | undefined;
  readonly #node: () => string | undefined;
  #told: string | undefined;
  #fault: { readonly why: string; readonly delayMs: number; readonly until: number } | undefined;
  #disk: { readonly why: string | undefined; readonly at: number } | undefined;

  #holds: readonly ClaimHold[] = [];
  #limitsFailed = false;

  readonly #wait: ClaimRetry;

  /**
   * @param look tells what the limits of the day hold; without it there are none
   * @param node tells why this node claims nothing
   */
  constructor(
    ports: GatePorts,
    events: GateEvents,
    look?: () => Promise<readonly ClaimHold[]>,
    wait: ClaimRetry = CLAIM_RETRY,
    node: () => string | undefined = () => undefined,
  ) {
    this.#ports = ports;
    this.#events = events;
    this.#look = look;
    this.#wait = wait;
    this.#node = node;
  }

  get holds(): readonly ClaimHold[] {
    return this.#holds;
  }

  get heldRoles(): readonly string[] {
    return this.#holds.flatMap(({ repo_id, role }) =>
      repo_id === null || role === null ? [] : [roleLane(repo_id, role)]
    );
  }

  get reason(): string | undefined {
    return this.#node() ?? this.fault;
  }

  /** What keeps this process from claiming, although nobody paused it. */
  get fault(): string | undefined {
    return this.#fault?.why ?? this.#disk?.why;
  }

  async open(): Promise<boolean> {
    if (this.#node() !== undefined) {
      this.#tell();
      return false;
    }
    const now = this.#ports.clock.monotonic();
    if (this.#fault !== undefined && now < this.#fault.until) return false;
    if (this.#disk === undefined || now - this.#disk.at >= DISK_LOOK_MS) {
      this.#disk = { why: await this.#diskFault(), at: now };
    }
    this.#tell();
    if (this.#disk.why !== undefined) return false;
    return await this.#lookAtLimits() && this.#holds.every(({ scope }) => scope !== "day");
  }

  /** At each claim, since a job of another process may have used up what was left. */
  async #lookAtLimits(): Promise<boolean> {
    let holds: readonly ClaimHold[];
    try {
      holds = await this.#look?.() ?? [];
    } catch (thrown) {
      this.#limitsFailed = true;
      this.failed(thrown); // a limit that cannot be read is not passed over
      return false;
    }
    if (this.#limitsFailed) this.passed();
    this.#limitsFailed = false;
    const changed = holdsKey(holds) !== holdsKey(this.#holds);
    this.#holds = holds;
    if (changed) this.#events.held(holds);
    return true;
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
    const { firstMs, mostMs } = this.#wait;
    const delayMs = before === undefined ? firstMs : Math.min(before * 2, mostMs);
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
    this.#events.changed(this.#told);
  }
}
