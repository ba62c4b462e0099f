/** Turns events of a service into lines, for logs, pipes and terminals without the live screen. */
import { counted } from "svc/core/counted.ts";
import { rfc3339, timeOfDay } from "svc/core/time.ts";
import type { ClaimHold } from "svc/features/jobs/claim_limits.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { HeldBack } from "svc/runtime/job/conclude.ts";
import type { JobReport } from "svc/runtime/job/job_plan.ts";
import type { ServiceEvent } from "svc/runtime/service/plan.ts";
import type { Tone } from "svc/cli/page/page.ts";

interface ServiceLine {
  readonly text: string;
  readonly tone?: Tone;
}

/** Names a repo where there are several; "" where there is one. */
type RepoName = (idOrRoot: string) => string;

const line = (text: string, tone?: Tone): ServiceLine =>
  tone === undefined ? { text } : { text, tone };

function who(job: Job, name: RepoName): string {
  const repo = name(job.repo_id);
  const ticket = job.ticket_id === null ? "" : ` ${job.ticket_id}`;
  return `${repo === "" ? "" : `${repo}: `}${job.role}${ticket}`;
}

const basename = (root: string) => root.slice(root.lastIndexOf("/") + 1);

const short = (id: string) => id.slice(-8);

const at = (root: string, name: RepoName) => name(root) === "" ? "" : `${name(root)}: `;

/** Only the first job that meets a held back model tells of the remedy; later ones just wait. */
function heldBack({ lane, first }: HeldBack): string {
  return `model ${lane} is held back${first ? "; mend that; svc doctor says what lifts it" : ""}`;
}

const firstLine = (text: string) => text.split("\n", 1)[0]!;

function ended(job: Job, { concluded, evidence }: JobReport, name: RepoName): ServiceLine {
  if (concluded.kind === "lost") return line(`${who(job, name)}: another process has it`, "warn");
  const held = concluded.heldBack && heldBack(concluded.heldBack);
  if (concluded.kind === "again") {
    const { at, reason } = concluded;
    const what = held === undefined
      ? `again at ${timeOfDay(rfc3339(at))}: ${reason}`
      : `waits: ${firstLine(reason)}; ${held}`;
    return line(`${who(job, name)}: ${what}`, held === undefined ? "warn" : "bad");
  }
  const { disposition, move, next, stop } = concluded.decision;
  const bad = disposition === "blocked" || disposition.endsWith("error") || disposition === "stuck";
  const rehearsed = job.profile === "observer" ? " (rehearsed)" : "";
  const moved = move === undefined ? "" : `; ${move.ticket}: ${move.from} → ${move.to}${rehearsed}`;
  const then = next !== undefined
    ? `; then ${next.role}`
    : stop === undefined
    ? ""
    : `; stop: ${stop.replace(`${disposition}: `, "")}`;
  const said = evidence === "" || then.includes(firstLine(evidence));
  const why = bad && !said ? ` (${firstLine(evidence)})` : "";
  const also = held === undefined ? "" : `; ${held}`;
  return line(
    `${who(job, name)}: ${disposition}${why}${moved}${then}${also}`,
    bad ? "warn" : "good",
  );
}

function held(holds: readonly ClaimHold[], name: RepoName): ServiceLine {
  if (holds.length === 0) return line("the limits of the day let jobs begin again", "good");
  const said = holds.map(({ repo_id, says, raise }) =>
    `${repo_id === null ? "" : at(repo_id, name)}${says}. ${raise}`
  );
  return line(`begins no new job: ${said.join("; ")}`, "warn");
}

/** Undefined for events that only `--debug` shows, and for those that need no line. */
export function lineOf(event: ServiceEvent, name: RepoName): ServiceLine | undefined {
  switch (event.kind) {
    case "claimed":
      return line(`${who(event.job, name)} begins, job ${short(event.job.id)}`);
    case "ended":
      return ended(event.job, event.report, name);
    case "given_back":
      return line(`${who(event.job, name)}: given back: ${event.reason}`, "warn");
    case "rescued":
      return line(`${who(event.job, name)}: its worker was lost; now ${event.status}`, "warn");
    case "settled": {
      const [first] = event.settled.waiting;
      return first && line(`${at(event.repo, name)}waits for ${first.why}`, "warn");
    }
    case "merge_check":
      return line(`${at(event.repo, name)}${event.text}`);
    case "audited": {
      const found = event.audited.map(({ ticket, verdict }) => `${ticket} ${verdict}`).join(", ");
      return found === "" ? undefined : line(`${at(event.repo, name)}audit: ${found}`, "warn");
    }
    case "claiming":
      return event.reason === undefined
        ? line("claims jobs again", "good")
        : line(`claims no jobs: ${event.reason}`, "warn");
    case "held":
      return held(event.holds, name);
    case "repo":
      return event.problem === undefined
        ? line(`${basename(event.repo)} can be worked on again`, "good")
        : line(`${basename(event.repo)} cannot be worked on: ${event.problem}`, "bad");
    case "tick": {
      const { role, schedule, job, passedOver } = event.tick;
      const came = job === undefined ? passedOver ?? "passed over" : `queued job ${short(job)}`;
      return line(`${at(event.repo, name)}schedule "${schedule}" of ${role}: ${came}`);
    }
    case "problems":
      return event.problems.length === 0
        ? undefined
        : line(`${at(event.repo, name)}${event.problems.join("; ")}`, "bad");
    case "surveyed": {
      const queued = event.surveyed.flatMap(({ repo, queued }) =>
        queued === undefined ? [] : [`${at(repo, name)}${queued.role} looks for work`]
      );
      return queued.length === 0 ? undefined : line(queued.join("; "));
    }
    case "scanned": {
      const { findings, created, stale } = event.scanned;
      const said = `${counted(findings, "finding")}, ${counted(created, "ticket")} written, ${
        counted(stale, "stale ticket")
      }`;
      return line(`${at(event.repo, name)}scanned: ${said}`);
    }
    case "reported": {
      const { sent, pending, warning } = event.sent;
      const said = `telemetry: reports sent ${sent}, waiting ${pending}`;
      return warning === undefined ? line(said) : line(`${said}: ${warning}`, "warn");
    }
    case "restarting":
      return line("restarts its workers");
    case "emergency":
      return line("emergency stop: all that runs is ended, no job is claimed", "bad");
    case "stopping":
      return line("stops: jobs may end within 30 s; Ctrl-C again ends them at once");
    case "stopped":
      return line("stopped");
    default:
      return undefined;
  }
}

/** The additional lines of `--debug`: whole lines of models' texts, turns, steps. */
export class DebugLines {
  readonly #open = new Map<string, string>();

  constructor(readonly name: RepoName) {}

  of(event: ServiceEvent): readonly string[] {
    if (event.kind === "step") return [`${who(event.job, this.name)} | ${event.text}`];
    if (event.kind === "turn") {
      const { turn, calls, outcomes, tokensIn, tokensOut } = event.turn;
      const did = outcomes.map(({ status }, index) => `${calls[index]?.name ?? "?"} ${status}`);
      const what = did.length === 0 ? "answered in words" : did.join(", ");
      return [
        ...this.#rest(event.job),
        `${who(event.job, this.name)} | turn ${turn}: ${what} (${tokensIn + tokensOut} tokens)`,
      ];
    }
    if (event.kind !== "text") return [];
    const lines = `${this.#open.get(event.job.id) ?? ""}${event.delta}`.split("\n");
    this.#open.set(event.job.id, lines.pop() ?? "");
    return lines.map((text) => `${who(event.job, this.name)} > ${text}`);
  }

  #rest(job: Job): string[] {
    const open = this.#open.get(job.id) ?? "";
    this.#open.delete(job.id);
    return open === "" ? [] : [`${who(job, this.name)} > ${open}`];
  }
}
