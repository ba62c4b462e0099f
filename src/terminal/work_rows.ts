/** Sections for nodes, running jobs, pending merges and moves, decisions, and what comes next. */
import type { RunningJob } from "svc/runtime/engine/engine_plan.ts";
import type { ServiceStatus } from "svc/runtime/service/plan.ts";
import type { NodeItem } from "svc/runtime/views/node_item.ts";
import { oneLine, roughly, type StyledLine, type StyledText } from "./line.ts";
import { repoNames } from "./repo_rows.ts";
import type { ScreenView } from "./screen_view.ts";
import type { Section } from "./section.ts";

/** Width of a time such as `23 h 59 min ago `, in cells. */
const WHEN = 16;

type StatusDecision = ServiceStatus["decisions"][number];

export function runningOf(status: ServiceStatus, { now, redact }: ScreenView): Section {
  const { running, concurrency, jobs, putOff = [] } = status;
  const names = repoNames(status, redact);
  const many = status.repos.length > 1;
  const waiting = jobs.pending === 0 ? "none waits" : `${jobs.pending} wait`;
  const sum: StyledLine = [`${running.length} of ${concurrency} workers busy`, [
    "dim",
    ` · ${waiting}`,
  ]];
  const row = ({ repo, role, ticket, attempt, turn, step, ageMs }: RunningJob): StyledLine => [
    ["good", "▸ "],
    ["strong", oneLine(role, redact)],
    ...(many ? [` ${names(repo)}`] : []),
    ...(ticket === null ? [] : [` ${oneLine(ticket, redact)}`]),
    ["dim", ` · turn ${turn} · ${roughly(ageMs)}`],
    ...(attempt > 1 ? [["warn", ` · try ${attempt}`] satisfies StyledText] : []),
    ...(step === "" ? [] : [` · ${oneLine(step, redact)}`]),
  ];
  const merges = status.checking.map(({ repo, step, ageMs }): StyledLine => [
    ["good", "▸ "],
    ["strong", "svc"],
    ...(many ? [` ${names(repo)}`] : []),
    ["dim", ` · ${roughly(ageMs)}`],
    ` · ${oneLine(step, redact)}`,
  ]);
  const later = putOff.map(({ repo_id, role, ticket_id, reason, run_after }): StyledLine => [
    ["warn", "! "],
    ["strong", oneLine(role, redact)],
    ...(many ? [` ${names(repo_id)}`] : []),
    ...(ticket_id === null ? [] : [` ${oneLine(ticket_id, redact)}`]),
    ["dim", ` · waits ${roughly(Math.max(0, run_after - now))}`],
    ` · ${oneLine(reason ?? "", redact)}`,
  ]);
  const rows = [sum, ...running.map(row), ...merges, ...later];
  return { label: "jobs", rows, least: 3, rank: 1 };
}

/** With a sign, since colour alone may not be seen. */
function signOf(condition: NodeItem["condition"]): StyledText {
  switch (condition) {
    case "working":
      return ["good", "▸ "];
    case "gone":
      return ["bad", "✗ "];
    case "ended":
      return ["dim", "· "];
    default:
      return ["warn", "! "];
  }
}

/** The machines of a team; no rows where the database is a file. */
export function nodesOf({ nodes = [] }: ServiceStatus, { redact }: ScreenView): Section {
  const rows = nodes.map((node): StyledLine => [
    signOf(node.condition),
    ["strong", oneLine(node.name, redact)],
    ` ${node.condition}`,
    ["dim", ` · ${node.running} of ${node.concurrency} at work`],
    ...(node.why === null ? [] : [["dim", ` · ${oneLine(node.why, redact)}`] satisfies StyledText]),
  ]);
  return { label: "nodes", rows, least: 2, rank: 3 };
}

export function waitsOf(status: ServiceStatus, { redact }: ScreenView): Section {
  const names = repoNames(status, redact);
  const rows = status.waits.map(({ repo, why }): StyledLine => [
    ["warn", `! waits: ${names(repo)}: ${oneLine(why, redact)}`],
  ]);
  return { label: "git", rows, least: 1, rank: 1 };
}

export function decisionsOf(status: ServiceStatus, { now, redact }: ScreenView): Section {
  const names = repoNames(status, redact);
  const many = status.repos.length > 1;
  const rows = status.decisions.map((decision): StyledLine => [
    ["dim", `${roughly(now - decision.at)} ago `.padEnd(WHEN)],
    oneLine(decision.role, redact),
    ...(many ? [` ${names(decision.repoId)}`] : []),
    ...(decision.ticket === null ? [] : [` ${oneLine(decision.ticket, redact)}`]),
    ` ${decision.disposition}`,
    ...outcome(decision, redact),
  ]);
  return { label: "decided", rows, least: 3, rank: 3 };
}

function outcome(
  { move, nextRole, stop, applied }: StatusDecision,
  redact: ScreenView["redact"],
): StyledText[] {
  return [
    ...(move === null ? [] : [`; ${oneLine(move, redact)}`]),
    ...(nextRole === null ? [] : [`; then ${oneLine(nextRole, redact)}`]),
    ...(stop === null ? [] : [["dim", `; stop: ${oneLine(stop, redact)}`] satisfies StyledText]),
    ...(applied ? [] : [["dim", " (rehearsed)"] satisfies StyledText]),
  ];
}

/** Triggers of all repos, soonest first; those without a time are counted. */
export function nextOf(status: ServiceStatus, { now, redact }: ScreenView): Section {
  const many = status.repos.length > 1;
  const all = status.repos
    .flatMap(({ basename, next }) => next.map((trigger) => ({ ...trigger, basename })));
  const timed = all.flatMap(({ at, ...rest }) => at === undefined ? [] : { at, ...rest })
    .toSorted((a, b) => a.at - b.at);
  const rows = timed.map(({ role, at, why, basename }): StyledLine => [
    ["dim", `in ${roughly(at - now)} `.padEnd(WHEN)],
    oneLine(role, redact),
    ...(many ? [` ${oneLine(basename, redact)}`] : []),
    ["dim", ` · ${oneLine(why, redact)}`],
  ]);
  const others = all.length - timed.length;
  const heading = "when it comes ".padEnd(WHEN);
  if (others > 0) rows.push([["dim", `${heading}${others} more, by routes, events and people`]]);
  const idle = status.running.length === 0 && status.jobs.pending === 0 && rows.length === 0;
  const hint: StyledLine = ["nothing is due", ["dim", " · svc tickets new writes a ticket"]];
  return { label: "next", rows: idle ? [hint] : rows, least: 2, rank: 4 };
}
