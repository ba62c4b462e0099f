/** The repos on the screen: one in detail, many as a table that drops columns when there is no room. */
import { counted } from "svc/core/counted.ts";
import { compareText } from "svc/core/order.ts";
import type { Redact } from "svc/core/redact.ts";
import { cells } from "svc/core/terminal_text.ts";
import type { TicketState } from "svc/features/tickets/ticket_machine.ts";
import type { RepoStatus, ServiceStatus } from "svc/runtime/service/plan.ts";
import { oneLine, padded, roughly, type StyledLine, type StyledText } from "./line.ts";
import type { ScreenView } from "./screen_view.ts";
import { marginOf, type Section } from "./section.ts";

/** Base name by id or by path; an unknown repo is shown as it was given. */
export function repoNames({ repos }: ServiceStatus, redact: Redact): (repo: string) => string {
  const names = new Map(
    repos.flatMap(({ id, root, basename }) => [[id, basename], [root, basename]]),
  );
  return (repo) => oneLine(names.get(repo) ?? repo, redact);
}

export function reposOf(status: ServiceStatus, view: ScreenView): Section[] {
  const { shape, repos } = status;
  const [only] = repos;
  if (only === undefined) return [nothing()];
  return shape === "start" && repos.length === 1 ? oneOf(only, view) : [tableOf(status, view)];
}

function nothing(): Section {
  const rows: StyledLine[] = [["no repo is registered"], [["dim", "svc register --repo <path>"]]];
  return { label: "repos", rows, least: 2, rank: 2 };
}

const STATES: readonly (readonly [TicketState, string])[] = [
  ["backlog", "backlog"],
  ["in-progress", "in progress"],
  ["review", "review"],
  ["done", "done"],
  ["blocked", "blocked"],
];

function oneOf(
  { basename, root, branch, tickets }: RepoStatus,
  { columns, redact }: ScreenView,
): Section[] {
  const narrow = marginOf(columns) === 0;
  const name: StyledLine = [
    ["strong", oneLine(basename, redact)],
    ` on ${oneLine(branch, redact)}`,
    ["dim", `  ${oneLine(root, redact)}`],
  ];
  const told = STATES.filter(([state]) => !narrow || tickets[state] > 0);
  const counts = told.flatMap(([state, word], index): StyledText[] => {
    const said = `${word} ${tickets[state]}`;
    const tone = tickets[state] === 0 ? "dim" : state === "blocked" ? "warn" : undefined;
    return [index === 0 ? "" : " · ", tone === undefined ? said : [tone, said]];
  });
  const tally: StyledLine = counts.length === 0 ? [["dim", "no tickets"]] : counts;
  return [
    { label: "repo", rows: [name], least: 1, rank: 2 },
    { label: "tickets", rows: [tally], least: 1, rank: 2 },
  ];
}

interface RepoColumn {
  readonly head: string;
  /** Columns with a higher number are dropped first; 0 is never dropped. */
  readonly dropOrder: number;
  readonly number?: true;
  cell(repo: RepoStatus): StyledText;
}

const NAME_CELLS = 24;
const GAP = "  ";

function columnsOf(status: ServiceStatus, { redact, now }: ScreenView): RepoColumn[] {
  const count = (state: TicketState): RepoColumn["cell"] => ({ tickets }) => {
    const text = String(tickets[state]);
    if (tickets[state] === 0) return ["dim", text];
    return state === "blocked" ? ["warn", text] : text;
  };
  const jobs = (repo: RepoStatus) => status.running.filter((job) => job.repo === repo.id).length;
  return [
    { head: "repo", dropOrder: 0, cell: (repo) => named(repo, redact) },
    { head: "branch", dropOrder: 3, cell: ({ branch }) => oneLine(branch, redact) },
    { head: "jobs", dropOrder: 0, number: true, cell: (repo) => numeral(jobs(repo)) },
    { head: "backlog", dropOrder: 1, number: true, cell: count("backlog") },
    { head: "doing", dropOrder: 1, number: true, cell: count("in-progress") },
    { head: "review", dropOrder: 2, number: true, cell: count("review") },
    { head: "done", dropOrder: 4, number: true, cell: count("done") },
    { head: "blocked", dropOrder: 0, number: true, cell: count("blocked") },
    { head: "next", dropOrder: 5, cell: ({ next }) => soonest(next, now, redact) },
  ];
}

function numeral(count: number): StyledText {
  return count === 0 ? ["dim", "0"] : ["good", String(count)];
}

/** With a sign, since colour alone may not be seen. */
function named({ basename, problem, tickets }: RepoStatus, redact: Redact): StyledText {
  const name = oneLine(basename, redact);
  if (problem !== undefined) return ["bad", `✗ ${name}`];
  return tickets.blocked > 0 ? ["warn", `! ${name}`] : `  ${name}`;
}

function soonest(next: RepoStatus["next"], now: number, redact: Redact): StyledText {
  const first = next.find(({ at }) => at !== undefined);
  if (first?.at === undefined) return ["dim", "-"];
  return `${oneLine(first.role, redact)} in ${roughly(first.at - now)}`;
}

/** Broken repos first, then those that wait for a person, then those with running jobs. */
function byNeed(status: ServiceStatus): RepoStatus[] {
  const busy = new Set(status.running.map(({ repo }) => repo));
  const need = ({ id, problem, tickets }: RepoStatus) =>
    problem !== undefined ? 0 : tickets.blocked > 0 ? 1 : busy.has(id) ? 2 : 3;
  return status.repos.toSorted((a, b) => need(a) - need(b) || compareText(a.basename, b.basename));
}

function tableOf(status: ServiceStatus, view: ScreenView): Section {
  const repos = byNeed(status);
  const all = columnsOf(status, view).map((column) => {
    const shown = repos.map((repo) => column.cell(repo));
    const widths = shown.map((piece) => cells(typeof piece === "string" ? piece : piece[1]));
    return {
      ...column,
      shown,
      width: Math.min(NAME_CELLS, Math.max(column.head.length, ...widths)),
    };
  });
  const kept = fitted(all, view.columns - marginOf(view.columns));
  const line = (pieces: readonly StyledText[]): StyledLine =>
    pieces.flatMap((piece, at) => {
      const { width, number } = kept[at]!;
      const cell = number ? rightward(piece, width) : padded(piece, width);
      return at === 0 ? [cell] : [GAP, cell];
    });
  const rows = repos.map((_, at) => line(kept.map(({ shown }) => shown[at]!)));
  const heads = line(
    kept.map(({ head }, at): StyledText => ["dim", at === 0 ? `  ${head}` : head]),
  );
  return {
    label: counted(repos.length, "repo"),
    rows: [heads, ...rows],
    least: 4,
    rank: 2,
  };
}

function fitted<C extends { width: number; dropOrder: number }>(columns: C[], room: number): C[] {
  let kept = columns;
  const width = () => kept.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length);
  while (width() > room) {
    const first = Math.max(...kept.map(({ dropOrder }) => dropOrder));
    if (first === 0) break;
    const gone = kept.findLastIndex(({ dropOrder }) => dropOrder === first);
    kept = kept.toSpliced(gone, 1);
  }
  return kept;
}

function rightward(piece: StyledText, width: number): StyledText {
  return typeof piece === "string" ? piece.padStart(width) : [piece[0], piece[1].padStart(width)];
}
