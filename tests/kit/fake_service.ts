/** A service without work: it keeps what it was asked, and its status shows it. */
import { Failure } from "svc/core/failure.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";
import type { Condition, Scanned, Service, ServiceStatus } from "svc/runtime/service/plan.ts";
import { busy } from "./service_statuses.ts";

export class FakeService implements Service {
  readonly asked: string[] = [];
  readonly #listeners = new Set<(event: Event) => void>();
  readonly #done = Promise.withResolvers<void>();
  #condition: Condition = "running";
  #paused: string | undefined;

  /** @param lingers it waits to be asked twice before it stops */
  constructor(readonly shown: ServiceStatus = busy(), readonly lingers = false) {}

  get feed(): Service["feed"] {
    return {
      last: 0,
      subscribe: (listener) => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      after: () => Promise.resolve([]),
    };
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  happen(): void {
    const event: Event = {
      ...{ id: 1, at: 0, type: "status_change", repo_id: null, job_id: null, data: "{}" },
    };
    for (const listener of this.#listeners) listener(event);
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  status(): Promise<ServiceStatus> {
    const paused = this.#paused !== undefined;
    return Promise.resolve({
      ...this.shown,
      condition: this.#condition,
      ...(paused && { claims: "paused", reason: this.#paused }),
    });
  }

  glance(): Promise<ServiceStatus> {
    return this.status();
  }

  vitals(): Pick<ServiceStatus, "running" | "watchedAt"> {
    return this.shown;
  }

  pause(reason: string): Promise<void> {
    this.asked.push(`pause: ${reason}`);
    this.#paused = reason;
    return Promise.resolve();
  }

  resume(): Promise<void> {
    this.asked.push("resume");
    this.#paused = undefined;
    return Promise.resolve();
  }

  restart(): Promise<void> {
    this.asked.push("restart");
    return Promise.resolve();
  }

  scan(repoId: string): Promise<Scanned> {
    this.asked.push(`scan ${repoId}`);
    if (repoId.endsWith("gone")) {
      const remedy = "svc register --repo <its new place>";
      return Promise.reject(
        new Failure("not_found", "Cannot scan: the folder is gone", { remedy }),
      );
    }
    const scanned = { findings: 3, created: 1, deduplicated: 2, stale: 0 };
    return Promise.resolve({ repo_id: repoId, ...scanned });
  }

  runRole(): never {
    throw new Error("nobody at a terminal asks for it");
  }

  askNode(): never {
    throw new Error("no node is asked for anything here");
  }

  cancelJob(): never {
    throw new Error("nobody at a terminal asks for it");
  }

  retryJob(): never {
    throw new Error("nobody at a terminal asks for it");
  }

  answerTicket(): never {
    throw new Error("nobody at a terminal asks for it");
  }

  tellJob(): never {
    throw new Error("nobody at a terminal asks for it");
  }

  get tickets(): never {
    throw new Error("nobody at a terminal asks for it");
  }

  decide(): never {
    throw new Error("nobody at a terminal asks for it");
  }

  emergencyStop(): never {
    throw new Error("nobody at a terminal asks for it");
  }

  wake(): void {}

  stop(): Promise<void> {
    this.asked.push("stop");
    if (this.lingers && this.#condition !== "stopping") {
      this.#condition = "stopping";
      this.happen();
      return this.done;
    }
    this.#condition = "stopped";
    this.#done.resolve();
    return this.done;
  }
}
