/** The live screen as a function from the status of a service to the lines of the terminal. */
import type { ServiceStatus } from "svc/runtime/service/plan.ts";
import { attentionOf } from "./attention.ts";
import { KEY_HELP, KEYS } from "./keys.ts";
import { oneLine, render, roughly, type StyledLine, type StyledText } from "./line.ts";
import { reposOf } from "./repo_rows.ts";
import type { ScreenView } from "./screen_view.ts";
import { layOut, type Section } from "./section.ts";
import { decisionsOf, nextOf, nodesOf, runningOf, waitsOf } from "./work_rows.ts";

/** The smallest useful screen; a smaller one only says which size is needed. */
const SCREEN_COLUMNS = 40;
const SCREEN_ROWS = 10;

/** At most `rows` lines of at most `columns` cells, none with a line feed. */
export function screenOf(status: ServiceStatus, view: ScreenView): string[] {
  const { columns, rows, styled } = view;
  const lines = columns < SCREEN_COLUMNS || rows < SCREEN_ROWS
    ? tooSmall(status, view)
    : [...head(status, view), ...body(status, view), ...foot(status, view)];
  return lines.slice(0, Math.max(0, rows)).map((line) => render(line, columns, styled));
}

function tooSmall(status: ServiceStatus, { columns, rows }: ScreenView): StyledLine[] {
  return [
    [["strong", `svc ${status.shape}: ${status.condition}`]],
    [`too small: ${columns}×${rows}`],
    [`it needs ${SCREEN_COLUMNS}×${SCREEN_ROWS}`],
    [`q stops, h helps`],
  ];
}

function head(status: ServiceStatus, { now }: ScreenView): StyledLine[] {
  const { shape, profile, condition, claims, healthy, startedAt, holds } = status;
  const held = holds.some(({ scope }) => scope === "day");
  const well = condition === "running" && healthy && claims === "claiming" && !held;
  const state: StyledText = [
    !healthy ? "bad" : well ? "good" : "warn",
    condition !== "running"
      ? condition
      : claims === "paused"
      ? "paused"
      : held
      ? "held"
      : condition,
  ];
  const since: StyledText = ["dim", ` · for ${roughly(now - startedAt)}`];
  return [[["strong", `svc ${shape}`], ` · ${profile} · `, state, since], []];
}

function body(status: ServiceStatus, view: ScreenView): StyledLine[] {
  const space = view.rows - head(status, view).length - foot(status, view).length;
  const sections = view.help ? [attentionOf(status, view), help()] : [
    attentionOf(status, view),
    ...reposOf(status, view),
    nodesOf(status, view),
    runningOf(status, view),
    waitsOf(status, view),
    decisionsOf(status, view),
    nextOf(status, view),
  ];
  return layOut(sections, space, view.columns);
}

function help(): Section {
  const line = (key: string, about: string): StyledLine => [["strong", key.padEnd(8)], about];
  return {
    label: "keys",
    rows: KEY_HELP.map(([keys, about]) => line(keys, about)),
    least: KEY_HELP.length,
    rank: 1,
  };
}

function foot(status: ServiceStatus, { urls, notice, redact, columns }: ScreenView): StyledLine[] {
  const at = urls.dashboard ?? urls.control;
  const name = urls.dashboard === undefined ? "control" : "dashboard";
  const gap = columns < 60 ? " " : "   ";
  const paused = status.claims === "paused";
  const keys = KEYS.flatMap(({ keys: [key], short, shortPaused }, index): StyledText[] => [
    index === 0 ? "" : gap,
    ["strong", key],
    ["dim", ` ${paused ? shortPaused ?? short : short}`],
  ]);
  return [
    notice === undefined ? [] : [["strong", "» "], oneLine(notice, redact)],
    ...(at === undefined ? [] : [[["dim", `${name} `], at] satisfies StyledLine]),
    keys,
  ];
}
