/** Reports to the team that this node is alive until its service ends, and receives what people ask of it. */
import { abilitiesOf } from "svc/core/abilities.ts";
import { Failure } from "svc/core/failure.ts";
import { VERSION } from "svc/core/version.ts";
import { ownerText } from "svc/features/jobs/owner.ts";
import { holdOf } from "svc/features/nodes/node_condition.ts";
import {
  type Beaten,
  nodeBeat,
  nodeBegan,
  nodeEnded,
  type NodeProcess,
} from "svc/features/nodes/node_store.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import { within } from "svc/platform/clock.ts";
import type { OwnerPorts } from "svc/runtime/ports.ts";
import { MIGRATIONS } from "svc/store/migrations/all.ts";
import { nodePlace } from "./node_place.ts";

/** Between two beats; one is a single statement. */
export const NODE_BEAT_MS = 5_000;

/** A stalled server may never answer a beat; that must not keep the service from ending. */
const LAST_BEAT_MS = 2_000;

export interface NodePlan {
  readonly node: OwnNode;
  readonly concurrency: number;
  /** Migrations that this svc knows. */
  readonly schema?: number;
  readonly beatMs?: number;
}

/** What an engine tells of itself. */
interface EngineLook {
  /** Jobs that it runs. */
  readonly running: number;
  /** Why it claims no jobs although nobody paused it, such as a full disk. */
  readonly fault: string | undefined;
}

/** As its engine knows it. */
export interface HeldNode {
  /** As the team knows it. */
  readonly name: string;
  /** Why this node claims no job; undefined while it may. */
  hold(): string | undefined;
  watch(look: () => EngineLook): void;
}

/** The service that a node runs. */
export interface NodeService {
  /** Why it claims nothing has changed. */
  changed(): void;
  say(text: string): void;
  /** Gracefully. */
  stop(): void;
}

export interface NodeLife extends HeldNode, AsyncDisposable {
  /** From now on it does what it is asked. */
  serve(service: NodeService): void;
}

type NodePorts = Pick<OwnerPorts, "clock" | "db" | "identities" | "log" | "settings">;

const newer = (found: number, known: number) =>
  `the database was migrated by svc of a newer schema (${found}, this one knows ${known}); ` +
  "update this node";

/** @throws Failure `conflict` as `nodePlace`; what the database says */
export async function beginNode(ports: NodePorts, plan: NodePlan): Promise<NodeLife> {
  const owner = ownerText(await ports.identities.self(), "node");
  const life = new LivingNode(ports, plan, { id: plan.node.id, owner });
  await life.begin();
  return life;
}

class LivingNode implements NodeLife {
  readonly #ports: NodePorts;
  readonly #plan: NodePlan;
  readonly #process: NodeProcess;
  readonly #over = new AbortController();
  #beats: Promise<void> = Promise.resolve();
  #service: NodeService | undefined;
  #look: () => EngineLook = () => ({ running: 0, fault: undefined });
  #name: string;
  #heard: Beaten | undefined;
  #told: string | undefined;
  #stops = false;

  constructor(ports: NodePorts, plan: NodePlan, process: NodeProcess) {
    this.#ports = ports;
    this.#plan = plan;
    this.#process = process;
    this.#name = plan.node.name;
  }

  get name(): string {
    return this.#name;
  }

  /** Takes its place, and hears what it was asked before it claims anything. */
  async begin(): Promise<void> {
    await this.#takePlace();
    this.#heard = await this.#beat();
    this.#beats = this.#beatOn();
  }

  hold(): string | undefined {
    if (this.#heard === undefined) return `another process is node ${this.#name} by now`;
    return this.#tooNew() ?? holdOf(this.#name, this.#heard, this.#look().running);
  }

  watch(look: () => EngineLook): void {
    this.#look = look;
  }

  serve(service: NodeService): void {
    this.#service = service;
    this.#obey();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { clock, db, log } = this.#ports;
    this.#over.abort();
    await within(clock, LAST_BEAT_MS, this.#beats);
    await nodeEnded(db, this.#process, clock.now()).catch((cause) => {
      log.write("warn", "the end of this node could not be stored", { cause });
    });
  }

  get #knows(): number {
    return this.#plan.schema ?? MIGRATIONS.length;
  }

  #tooNew(): string | undefined {
    const { schema = 0 } = this.#heard ?? {};
    return schema > this.#knows ? newer(schema, this.#knows) : undefined;
  }

  async #takePlace(): Promise<void> {
    const { clock, db, settings } = this.#ports;
    const { node, concurrency } = this.#plan;
    const abilities = JSON.stringify(abilitiesOf(await settings()));
    for (;;) {
      const { name, before } = await nodePlace(this.#ports, node);
      const facts = { version: VERSION, concurrency, abilities, schema: this.#knows, name };
      this.#name = name;
      const began = await db.transaction().execute((tx) =>
        nodeBegan(tx, { ...facts, ...this.#process }, before, clock.now())
      );
      if (began) return; // else another was first, and the next look says what it took
    }
  }

  #beat(): Promise<Beaten | undefined> {
    const { clock, db } = this.#ports;
    const waits = this.#tooNew() ?? this.#look().fault ?? null;
    return nodeBeat(db, this.#process, { waits }, clock.now());
  }

  async #beatOn(): Promise<void> {
    const { clock, log } = this.#ports;
    for (;;) {
      await clock.sleep(this.#plan.beatMs ?? NODE_BEAT_MS, this.#over.signal);
      if (this.#over.signal.aborted) return;
      try {
        const heard = await this.#beat();
        if (this.#over.signal.aborted) return; // it has ended, so that no row is its own
        this.#heard = heard ?? await this.#again();
        this.#obey();
      } catch (cause) {
        log.write("warn", "a beat of this node could not be stored", { cause });
      }
    }
  }

  /**
   * A node that was silent for a long time may have been forgotten, or another process may have taken its
   * place.
   */
  async #again(): Promise<Beaten | undefined> {
    try {
      await this.#takePlace();
      return await this.#beat();
    } catch (thrown) {
      if (Failure.from(thrown).code === "conflict") return undefined;
      throw thrown;
    }
  }

  #obey(): void {
    const service = this.#service;
    if (service === undefined) return;
    const hold = this.hold();
    if (hold !== this.#told) service.changed();
    this.#told = hold;
    const { wanted } = this.#heard ?? { wanted: "stop" };
    if (wanted !== "stop" || this.#stops) return;
    this.#stops = true;
    service.say(hold!);
    service.stop();
  }
}
