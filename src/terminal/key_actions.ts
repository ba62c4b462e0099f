/** Carries out what the keys ask of a service, and holds the line about the outcome. */
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import type { Service, ServiceStatus } from "svc/runtime/service/plan.ts";
import type { KeyAction } from "./keys.ts";

const SCREEN_NOTICE_MS = 60_000;

interface KeyActionPorts {
  readonly clock: Pick<Clock, "monotonic">;
  readonly log: Pick<Log, "write">;
}

export class KeyActions {
  readonly #ports: KeyActionPorts;
  readonly #service: Service;
  readonly #show: () => void;
  #help = false;
  #said: { readonly text: string; readonly at: number } | undefined;
  #doing: string | undefined;
  #stopping = false;

  constructor(ports: KeyActionPorts, service: Service, show: () => void) {
    this.#ports = ports;
    this.#service = service;
    this.#show = show;
  }

  get help(): boolean {
    return this.#help;
  }

  get notice(): string | undefined {
    if (this.#said === undefined) return undefined;
    const age = this.#ports.clock.monotonic() - this.#said.at;
    return this.#doing !== undefined || age < SCREEN_NOTICE_MS ? this.#said.text : undefined;
  }

  press(action: KeyAction): void {
    const service = this.#service;
    const doing: Record<KeyAction, () => void> = {
      help: () => this.#turnHelp(),
      stop: () => this.#stop(),
      pause: () => void this.#do("Pausing or resuming", () => pauseOrResume(service)),
      restart: () =>
        void this.#do("Restarting: jobs are stopped gracefully", () => restart(service)),
      scan: () => void this.#do("Scanning", () => scanAll(service, (text) => this.#say(text))),
    };
    doing[action]();
  }

  #say(text: string | undefined): void {
    const at = this.#ports.clock.monotonic();
    this.#said = text === undefined ? undefined : { text, at };
    this.#show();
  }

  #turnHelp(): void {
    this.#help = !this.#help;
    this.#show();
  }

  /** A second one stops at once, as Ctrl-C does. The screen says what it waits for. */
  #stop(): void {
    if (this.#stopping) this.#say("Stopping at once");
    this.#stopping = true;
    void this.#service.stop();
    this.#show();
  }

  async #do(doing: string, work: () => Promise<string>): Promise<void> {
    if (this.#doing !== undefined) return this.#say(`Wait for this to end: ${this.#doing}`);
    this.#doing = doing;
    this.#say(`${doing} …`);
    try {
      this.#say(await work());
    } catch (thrown) {
      const failure = Failure.from(thrown);
      const { code, message, remedy } = failure;
      if (code === "internal") this.#ports.log.write("error", message, { cause: failure.cause });
      this.#say(`${message}; try: ${remedy}`);
    } finally {
      this.#doing = undefined;
    }
  }
}

async function pauseOrResume(service: Service): Promise<string> {
  const before = await service.status();
  mustRun(before, before.claims === "paused" ? "resume" : "pause");
  if (before.claims !== "paused") {
    await service.pause(`p was pressed in the terminal of svc ${before.shape}`);
    return "Paused: no new job starts; p resumes";
  }
  await service.resume();
  const { claims, reason } = await service.status();
  if (claims === "claiming") return "Resumed: jobs start again";
  return `Resumed, but no job starts yet: ${reason ?? "svc looks again soon"}`;
}

async function restart(service: Service): Promise<string> {
  await service.restart();
  return "Restarted: manifests and triggers were read again";
}

async function scanAll(service: Service, say: (text: string) => void): Promise<string> {
  const status = await service.status();
  mustRun(status, "scan");
  const sum = { findings: 0, created: 0, deduplicated: 0 };
  const failed: string[] = [];
  for (const [at, { id, basename }] of status.repos.entries()) {
    say(`Scanning ${basename} (${at + 1} of ${status.repos.length}) …`);
    try {
      const scanned = await service.scan(id);
      sum.findings += scanned.findings;
      sum.created += scanned.created;
      sum.deduplicated += scanned.deduplicated;
    } catch (thrown) {
      const { message, remedy } = Failure.from(thrown);
      failed.push(`${basename}: ${message}; try: ${remedy}`);
    }
  }
  const scanned = status.repos.length - failed.length;
  const said = `Scanned ${counted(scanned, "repo")}: ${counted(sum.findings, "finding")}, ` +
    `${counted(sum.created, "ticket")} written, ${sum.deduplicated} known already`;
  return failed.length === 0 ? said : `${said}; ${failed.join("; ")}`;
}

function mustRun({ condition, shape }: ServiceStatus, doing: string): void {
  if (condition !== "stopping" && condition !== "stopped") return;
  throw new Failure("conflict", `Cannot ${doing}: svc ${shape} is stopping`, {
    remedy: `svc ${shape}, once it has stopped`,
  });
}
