/** Nodes without machines: each has an id, a process that somebody says lives, and beats when the test says so. */
import { Config } from "svc/features/settings/config_file.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Life, ProcessIdentity } from "svc/platform/process/identity.ts";
import {
  beginNode,
  NODE_BEAT_MS,
  type NodeLife,
  type NodePlan,
} from "svc/runtime/service/node_life.ts";
import type { Db } from "svc/store/schema.ts";

export const idOf = (number: number) =>
  `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

/** Whoever sleeps wakes with `pass`, which resolves when all that woke sleep again. */
class BeatClock implements Clock {
  #ahead = 0;
  readonly #asleep = new Set<() => void>();
  #fellAsleep = () => {};

  now = () => 1_700_000_000_000 + this.#ahead;
  monotonic = () => this.#ahead;
  processor = () => this.#ahead;

  sleep(_ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => {
      this.#asleep.delete(wake);
      resolve();
    };
    this.#asleep.add(wake);
    signal?.addEventListener("abort", wake);
    this.#fellAsleep();
    return promise;
  }

  async pass(ms: number): Promise<void> {
    this.#ahead += ms;
    const woken = [...this.#asleep];
    let awake = woken.length;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#fellAsleep = () => --awake === 0 && resolve();
    for (const wake of woken) wake();
    await promise;
  }
}

export class Team {
  readonly clock = new BeatClock();
  /** By pid; one that is not here is of another machine. */
  readonly lives = new Map<number, Life>();
  /** What services were asked for by their nodes. */
  readonly told: string[] = [];

  constructor(readonly db: Db) {}

  ports(pid: number) {
    return {
      db: this.db,
      clock: this.clock,
      settings: () => Promise.resolve(Config.parse({ node: { tags: ["gpu"] } })),
      log: { write() {}, open() {}, path: () => undefined, close() {} },
      identities: {
        self: () => Promise.resolve({ host: `m${pid}:1`, boot: "b", pid, start: "1" }),
        life: (other: ProcessIdentity) => Promise.resolve(this.lives.get(other.pid) ?? "unknown"),
      },
    };
  }

  /** The node of home `home`, as process `pid`. */
  async begin(
    home: number,
    pid: number,
    { name = "build", named = false } = {},
    plan: Partial<NodePlan> = {},
  ): Promise<NodeLife> {
    const node = { id: idOf(home), name, ...(named && { named: true as const }) };
    const life = await beginNode(this.ports(pid), { node, concurrency: 2, ...plan });
    life.serve({
      changed: () => {},
      say: (text) => void this.told.push(text),
      stop: () => void this.told.push("stops"),
    });
    return life;
  }

  /** One beat of each node. */
  beat(): Promise<void> {
    return this.clock.pass(NODE_BEAT_MS);
  }
}
