/** Keeps one model server running: starts it or adopts the one that runs, and starts it again when it ends. */
import { Failure } from "svc/core/failure.ts";
import type { Redact } from "svc/core/redact.ts";
import { duration } from "svc/core/time.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import { gpuEnv } from "svc/platform/process/lasting.ts";
import { howItEnded, type Processes } from "svc/platform/process/process.ts";
import { type ServerState, serverState } from "./server_health.ts";
import { keyForServer, keyOfServer } from "./server_key.ts";
import { serverLog } from "./server_log.ts";
import { serverArgs, serverEndpoint, serverEnv, type ServerPlan } from "./server_plan.ts";

export interface ServerLimits {
  /** Ms between looks while it loads, and while it runs under another svc. */
  readonly loadingLookMs: number;
  readonly adoptedLookMs: number;
  /** How long loading may take: 32 GB from a slow disk. */
  readonly loadMs: number;
  /** Doubles with each end in a row, up to `againMostMs`; a server that ran `steadyMs` begins anew. */
  readonly againMs: number;
  readonly againMostMs: number;
  readonly steadyMs: number;
  /** Starts in a row that never came to an answer, before it is given up. */
  readonly tries: number;
}

const LIMITS: ServerLimits = {
  loadingLookMs: 250,
  adoptedLookMs: 3_000,
  loadMs: 900_000,
  againMs: 1_000,
  againMostMs: 60_000,
  steadyMs: 300_000,
  tries: 3,
};

export interface ServerPorts {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** For programs that live as long as svc (`lastingProcesses`). */
  readonly lasting: Pick<Processes, "run">;
  readonly files: Pick<Files, "makeFolder" | "openAppend" | "readText" | "stat" | "writeAtomic">;
  readonly env: Pick<Env, "all">;
  readonly redact: Redact;
  /** @returns who has the lock, where somebody does; any death frees it */
  readonly tryLock: (path: string) => Promise<Disposable | string>;
  readonly home: { readonly models: string; readonly logs: string };
  /** Programs are never taken from these folders: a repo must not plant one. */
  readonly refuseUnder: readonly string[];
  /** Ends the wait for it; a server that answers runs until it is disposed of. */
  readonly signal: AbortSignal;
  /** What goes on, for a line that is drawn again and again. */
  readonly progress: (text: string) => void;
  readonly note: (text: string) => void;
  readonly limits?: Partial<ServerLimits>;
}

export interface KeptServer extends AsyncDisposable {
  readonly endpoint: string;
  /** Somebody else runs it: it does not end with this svc. */
  readonly adopted: boolean;
}

interface ServerEnd {
  /** It answered before. */
  readonly ready: boolean;
  /** Follows "llama-server ". */
  readonly why: string;
}

function taken({ port }: ServerPlan, why: string): Failure {
  return new Failure("conflict", `Cannot run the model server on port ${port}: ${why}`, {
    remedy: "Stop what answers there, or let svc setup --inference local choose another port",
  });
}

class Keeper {
  readonly #stop = new AbortController();
  readonly #ready = Promise.withResolvers<{ readonly adopted: boolean }>();
  readonly #limits: ServerLimits;
  #answered = false;
  /** Since when another svc has the lock and no server answers. */
  #silentSince: number | undefined;

  constructor(readonly ports: ServerPorts, readonly plan: ServerPlan) {
    this.#limits = { ...LIMITS, ...ports.limits };
  }

  /** @throws Failure when it cannot be brought up */
  async begin(): Promise<KeptServer> {
    const { ports, plan } = this;
    const stop = () => this.#stop.abort(ports.signal.reason);
    if (ports.signal.aborted) stop();
    ports.signal.addEventListener("abort", stop);
    const kept = this.#keep().catch((thrown) => this.#ready.reject(thrown));
    const end = async () => {
      this.#stop.abort();
      await kept;
    };
    try {
      const { adopted } = await this.#ready.promise;
      return { endpoint: serverEndpoint(plan.port), adopted, [Symbol.asyncDispose]: end };
    } catch (thrown) {
      await end();
      throw thrown;
    } finally {
      // Jobs may run on after a first signal, and ask it until they end.
      ports.signal.removeEventListener("abort", stop);
    }
  }

  get #signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** With the key as it is now: another svc may have made it. */
  async #state(): Promise<ServerState> {
    const { ports, plan: { port, alias } } = this;
    const key = await keyOfServer(ports.files, { models: ports.home.models, port });
    return await serverState(ports, { port, alias, key });
  }

  #isReady(adopted: boolean): void {
    this.#answered = true;
    this.#ready.resolve({ adopted });
  }

  async #keep(): Promise<void> {
    const { ports } = this;
    let ends = 0;
    while (!this.#signal.aborted) {
      const since = ports.clock.monotonic();
      const end = await this.#turn().catch((thrown): ServerEnd => {
        if (!this.#answered) throw thrown;
        return { ready: false, why: `could not be kept: ${Failure.from(thrown).message}` };
      });
      if (this.#signal.aborted) break;
      if (end === undefined) continue;
      const { ready, why } = end;
      ends = ready && ports.clock.monotonic() - since > this.#limits.steadyMs ? 1 : ends + 1;
      if (!this.#answered && ends >= this.#limits.tries) throw this.#broken(why);
      const { againMs, againMostMs } = this.#limits;
      const pause = Math.min(againMostMs, againMs * 2 ** (ends - 1));
      ports.note(`llama-server ${why}; it is started again in ${duration(pause)}`);
      await ports.clock.sleep(pause, this.#signal);
    }
    this.#ready.reject(this.#signal.reason);
  }

  /** How the server of this svc ended; undefined where somebody else ran it. */
  async #turn(): Promise<ServerEnd | undefined> {
    const { ports, plan } = this;
    const lock = await ports.tryLock(`${ports.home.models}/llama-server-${plan.port}.lock`);
    if (typeof lock === "string") return await this.#adopt(`another svc runs it (${lock})`);
    using _lock = lock;
    this.#silentSince = undefined;
    const found = await this.#state();
    if (found.kind === "another") throw taken(plan, found.why);
    if (found.kind !== "nobody") return await this.#adopt("it runs already");
    return await this.#run();
  }

  #broken(why: string): Failure {
    const { program } = this.plan;
    return new Failure("environment", `Cannot run the model server: ${program} ${why}`, {
      remedy: "Look at its log; svc doctor says what this machine lacks, and " +
        "--model-endpoint <url> takes another server",
    });
  }

  /** Waits until nobody answers any more; where nobody does yet, until the lock is worth another try. */
  async #adopt(why: string): Promise<undefined> {
    const { ports, plan } = this;
    const { loadMs, loadingLookMs, adoptedLookMs } = this.#limits;
    let answered = false;
    for (;;) {
      const { kind } = await this.#state();
      if (this.#signal.aborted) return;
      if (kind === "ready") {
        if (!answered) ports.note(`llama-server on port ${plan.port}: ${why}`);
        answered = true;
        this.#silentSince = undefined;
        this.#isReady(true);
      } else if (answered) return;
      else if (kind === "another") throw taken(plan, `${why}, and something else answers`);
      else if (kind === "nobody" && why === "it runs already") return;
      else {
        this.#silentSince ??= ports.clock.monotonic();
        const silent = ports.clock.monotonic() - this.#silentSince;
        if (silent > loadMs) throw taken(plan, `${why}, and no answer`);
        ports.progress(`waits for llama-server: ${why}`);
      }
      await ports.clock.sleep(answered ? adoptedLookMs : loadingLookMs, this.#signal);
      if (kind === "nobody") return;
    }
  }

  /** From its start to its end. */
  async #run(): Promise<ServerEnd> {
    const { ports, plan } = this;
    const key = await keyForServer(ports.files, { models: ports.home.models, port: plan.port });
    using log = await serverLog(ports, ports.home.logs);
    const over = new AbortController();
    let why = "ended";
    const ended = ports.lasting.run({
      program: plan.program,
      args: serverArgs(plan),
      cwd: ports.home.models,
      env: { ...gpuEnv(ports.env), ...serverEnv(key) },
      refuseUnder: [...ports.refuseUnder],
      signal: AbortSignal.any([this.#signal, over.signal]),
      onOutput: (chunk) => log.take(chunk),
    });
    const life = ended.then((how) => void (why = howItEnded(how))).finally(() => over.abort());
    // What it throws is thrown by the await below.
    life.catch(() => {});
    ports.note(`llama-server starts on port ${plan.port}; its log: ${log.path}`);
    const ready = await this.#loaded(over);
    await life;
    const said = log.last().join(" | ").slice(-600);
    return { ready, why: `${why}${ready || said === "" ? "" : `: ${said}`}` };
  }

  /** False when it ended, or took too long, before it answered. */
  async #loaded(over: AbortController): Promise<boolean> {
    const { ports, plan } = this;
    const since = ports.clock.monotonic();
    for (;;) {
      const { kind } = await this.#state();
      if (over.signal.aborted || this.#signal.aborted) return false;
      if (kind === "ready") break;
      const waited = ports.clock.monotonic() - since;
      if (waited > this.#limits.loadMs) {
        over.abort();
        return false;
      }
      ports.progress(`llama-server loads ${plan.alias}: ${duration(waited)}`);
      await ports.clock.sleep(this.#limits.loadingLookMs, over.signal);
    }
    this.#isReady(false);
    return true;
  }
}

/**
 * Returns when the server answers; it runs until it is disposed of, and does not outlive svc.
 * @throws Failure `conflict` where something else has the port, `environment` where it does not come up
 */
export function keepServer(ports: ServerPorts, plan: ServerPlan): Promise<KeptServer> {
  return new Keeper(ports, plan).begin();
}
