/** Runs a command in a repo as a check, without a shell; shows and logs its output, and judges its end. */
import { CHILD_TIMEOUT_MAX_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import type { Redact } from "svc/core/redact.ts";
import { redactedStream } from "svc/core/redact_stream.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import { type Ended, howItEnded, type Processes } from "svc/platform/process/process.ts";
import { childEnv } from "svc/platform/process/program.ts";
import type { Check } from "./check_table.ts";

/** The rest is only shown. */
const CHECK_LOG_BYTES = 64 * 1024 * 1024;

interface CheckPlan {
  /** UUIDv7; also the tag that marks all processes of the check. */
  readonly id: string;
  readonly repo: { readonly id: string; readonly root: string; readonly commonDir: string };
  readonly step: "checks" | "set_up";
  readonly name: string;
  readonly role: string;
  /** The program and its arguments; a program with a `/` is a path from the repo's root. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface CheckPorts {
  readonly processes: Pick<Processes, "run">;
  readonly clock: Clock;
  readonly log: Log;
  readonly redact: Redact;
  readonly signal: AbortSignal;
  /** Gets the output as it comes, redacted. */
  show(text: string, stream: "stdout" | "stderr"): void;
}

function programIn(root: string, program: string): string {
  if (!program.includes("/") || program.startsWith("/")) return program;
  return `${root}/${program.replace(/^(?:\.\/+)+/, "")}`;
}

const LINE_CHARS = 48;

function outputLog(log: Log): (text: string, stream: "stdout" | "stderr") => void {
  let room = CHECK_LOG_BYTES;
  return (text, stream) => {
    for (const line of text.replace(/\n$/, "").split("\n")) {
      if (room <= 0) return;
      log.write("info", `${stream}: ${line}`);
      room -= line.length + LINE_CHARS;
      if (room <= 0) log.write("warn", "the rest of the output is left out");
    }
  };
}

interface CheckOutput {
  readonly take: (chunk: Uint8Array, stream: "stdout" | "stderr") => void;
  end(): void;
  /** An error from showing or logging the output: this is a fault of svc, not of the command. */
  fault(): unknown;
}

function outputOf({ log, redact, show }: CheckPorts): CheckOutput {
  const keep = outputLog(log);
  let fault: unknown;
  const streamOf = (stream: "stdout" | "stderr") => {
    const decoder = new TextDecoder();
    const redacted = redactedStream(redact, (text) => {
      show(text, stream);
      keep(text, stream);
    });
    return { decoder, redacted };
  };
  const streams = { stdout: streamOf("stdout"), stderr: streamOf("stderr") };
  return {
    take(chunk, stream) {
      const { decoder, redacted } = streams[stream];
      try {
        redacted.push(decoder.decode(chunk, { stream: true }));
      } catch (thrown) {
        fault = thrown;
        throw thrown;
      }
    },
    end() {
      for (const { decoder, redacted } of Object.values(streams)) {
        redacted.push(decoder.decode());
        redacted.end();
      }
    },
    fault: () => fault,
  };
}

type CheckVerdict = Pick<Check, "outcome" | "ending" | "exit_code" | "signal" | "reason">;

function judge(ended: Ended): CheckVerdict {
  const nothing = { exit_code: null, signal: null };
  if (ended.code === 0 && !ended.timedOut && !ended.crowded) {
    return { outcome: "passed", ending: "exited", ...nothing, exit_code: 0, reason: null };
  }
  const failed = { outcome: "checks_failed", ...nothing, reason: howItEnded(ended) } as const;
  if (ended.timedOut) return { ...failed, ending: "timed_out" };
  if (ended.crowded) return { ...failed, ending: "crowded" };
  if (ended.signal !== undefined) return { ...failed, ending: "signalled", signal: ended.signal };
  return { ...failed, ending: "exited", exit_code: ended.code ?? null };
}

/** Other faults than one of the start are svc's own and are thrown; what keeps any program from starting says nothing of this one. */
function notStarted(thrown: unknown, redact: Redact): CheckVerdict {
  const start = thrown instanceof Failure && ["environment", "usage"].includes(thrown.code) &&
    !thrown.detail.waits;
  if (!start) throw thrown;
  return {
    outcome: "checks_failed",
    ending: "not_started",
    exit_code: null,
    signal: null,
    reason: redact(`${thrown.message}. ${thrown.remedy}`),
  };
}

function tellPutBack({ show, log }: CheckPorts, { putBack }: Ended): void {
  if (putBack === undefined) return;
  const said = `svc put back the repo's git hooks, which the set-up changed: ${putBack.join(", ")}`;
  show(`${said}\n`, "stderr");
  log.write("info", said);
}

/** The caller stores the record. @throws the reason of `signal`: the check then has no outcome */
export async function runCheck(ports: CheckPorts, plan: CheckPlan): Promise<Check> {
  const { processes, clock, log, redact, signal } = ports;
  const [program = "", ...args] = plan.words;
  const command = JSON.stringify(plan.words.map(redact));
  log.open();
  log.write("info", `check "${plan.name}" of role "${plan.role}": ${command}`, {
    repo: plan.repo.root,
  });
  const started_at = clock.now();
  const started = clock.monotonic();
  const output = outputOf(ports);
  const run = processes.run({
    program: programIn(plan.repo.root, program),
    args,
    cwd: plan.repo.root,
    env: childEnv(plan.env),
    // The user names the program and may mean one of the repo's own on PATH, as in a virtualenv.
    refuseUnder: [],
    timeoutMs: plan.timeoutMs ?? CHILD_TIMEOUT_MAX_MS,
    tag: plan.id,
    contain: { step: plan.step, tree: plan.repo.root, commonDir: plan.repo.commonDir },
    signal,
    onOutput: output.take,
  });
  const judged = await run.then((ended) => {
    output.end();
    tellPutBack(ports, ended);
    if (ended.cancelled) throw signal.reason;
    return judge(ended);
  }, (thrown) => {
    if (output.fault() !== undefined) throw thrown;
    return notStarted(thrown, redact);
  });
  const duration_ms = Math.round(clock.monotonic() - started);
  log.write("info", judged.reason ?? "passed", { outcome: judged.outcome, duration_ms });
  const { id, repo, name, role } = plan;
  const log_path = log.path()!;
  return {
    id,
    repo_id: repo.id,
    name,
    role,
    command,
    ...judged,
    started_at,
    duration_ms,
    log_path,
  };
}
