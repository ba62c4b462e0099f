/** Selects what a person must see first: what is broken, and what waits for a person. */
import type { RepoStatus, ServiceStatus, Shape } from "svc/runtime/service/plan.ts";
import { answerCommand, questionLine } from "svc/core/question.ts";
import { shellWord } from "svc/core/shell_word.ts";
import type { Tone } from "svc/core/terminal_text.ts";
import { oneLine, roughly, type StyledLine, wrapped } from "./line.ts";
import type { ScreenView } from "./screen_view.ts";
import { marginOf, type Section } from "./section.ts";
import { repoNames } from "./repo_rows.ts";

type AttentionView = Pick<ScreenView, "columns" | "database" | "redact">;

/** Each text has a sign and a word, since colour alone may not be seen. */
interface AttentionItem {
  readonly tone: Tone;
  readonly text: string;
}

const broken = (text: string): AttentionItem => ({ tone: "bad", text: `✗ broken: ${text}` });
const wanted = (text: string): AttentionItem => ({ tone: "warn", text: `! needs you: ${text}` });

/** More items than this get one line each; the dashboard has the whole texts. */
const IN_FULL = 4;
const LINES_IN_FULL = 3;

export function attentionOf(status: ServiceStatus, view: AttentionView): Section {
  const items = [
    ...serviceItems(status, view),
    ...holdsOf(status, view),
    ...heldBackOf(status, view),
    ...overBudgetOf(status, view),
    ...status.repos.flatMap((repo) => brokenOf(repo, view)),
    ...status.repos.flatMap((repo) => wantedOf(repo, status.shape, view)),
  ];
  const most = items.length > IN_FULL ? 1 : LINES_IN_FULL;
  const width = view.columns - marginOf(view.columns);
  const rows = items.flatMap(({ tone, text }) =>
    wrapped(text, width, most).map((line): StyledLine => [[tone, line]])
  );
  return { label: "attention", rows, least: 4, rank: 0 };
}

function serviceItems(status: ServiceStatus, { redact }: AttentionView): AttentionItem[] {
  const { condition, claims, healthy, reason, running } = status;
  const items: AttentionItem[] = [];
  if (condition === "stopping") {
    const hint = running.length === 0 ? "" : "; Ctrl-C again to stop at once";
    items.push({ tone: "warn", text: `! stopping: ${waitedFor(status, redact)}${hint}` });
  }
  // A service that stops is not healthy either, though nothing is wrong with it.
  if (!healthy && condition !== "stopping" && condition !== "stopped") {
    items.push(broken("the database does not answer; svc doctor says more"));
  }
  if (claims === "paused" && condition === "running") {
    items.push(wanted(`no job starts: ${oneLine(reason ?? "", redact)}; p resumes`));
  }
  return items;
}

/** Nobody has to act: the hold ends by itself, and a person may raise the limit earlier. */
function holdsOf({ holds, repos }: ServiceStatus, { redact }: AttentionView): AttentionItem[] {
  return holds.map(({ repo_id, says, raise }) => {
    const at = repos.find(({ id }) => id === repo_id)?.basename;
    const where = at === undefined ? "" : `${oneLine(at, redact)}: `;
    return {
      tone: "warn",
      text: `! no new job begins: ${where}${oneLine(`${says}. ${raise}`, redact)}`,
    };
  });
}

/** Shown until the hold is lifted: nothing else lets these jobs run. */
function heldBackOf(
  { heldBack, repos, shape }: ServiceStatus,
  { redact }: AttentionView,
): AttentionItem[] {
  return heldBack.map(({ kind, key, reason }) => {
    const why = oneLine(reason, redact);
    if (kind === "model") {
      return wanted(
        `model ${oneLine(key, redact)} is held back: ${why}; svc doctor says what lifts it`,
      );
    }
    const [id, name = ""] = key.split("/", 2);
    const at = repos.find((repo) => repo.id === id)?.basename ?? "";
    const role = oneLine(name, redact);
    // By itself a run is on the repo's own database, as that of `svc start` is.
    const how = shape === "serve" ? "svc doctor says what lifts it" : `svc run ${role}`;
    return wanted(`${oneLine(at, redact)}: role ${role} is held back: ${why}; ${how}`);
  });
}

function overBudgetOf(
  { overBudget, repos }: ServiceStatus,
  { redact }: AttentionView,
): AttentionItem[] {
  return overBudget.map(({ repo_id, role, ticket_id, reason }) => {
    const at = repos.find(({ id }) => id === repo_id)?.basename ?? "";
    const what = ticket_id ?? role;
    return wanted(
      `${oneLine(at, redact)}: ${oneLine(what, redact)} waits: ${oneLine(reason ?? "", redact)}`,
    );
  });
}

function waitedFor(status: ServiceStatus, redact: ScreenView["redact"]): string {
  const { running } = status;
  if (running.length === 0) return "no job runs any more";
  const names = repoNames(status, redact);
  const jobs = running.map(({ role, ticket, repo, ageMs }) =>
    `${oneLine(role, redact)} on ${oneLine(ticket ?? names(repo), redact)} (${roughly(ageMs)})`
  );
  return `waits for ${jobs.join(", ")}`;
}

function brokenOf({ basename, problem }: RepoStatus, { redact }: AttentionView): AttentionItem[] {
  if (problem === undefined) return [];
  return [broken(`${oneLine(basename, redact)}: ${oneLine(problem, redact)}`)];
}

function wantedOf(
  { basename, root, tickets, questions }: RepoStatus,
  shape: Shape,
  { database, redact }: AttentionView,
): AttentionItem[] {
  // `svc serve` serves many repos and runs in none of them.
  const where = shape === "serve" ? ` --repo ${oneLine(shellWord(root), redact)}` : "";
  const db = database === undefined ? "" : ` --db ${oneLine(shellWord(database), redact)}`;
  const name = oneLine(basename, redact);
  const asked = questions.map(({ ticket, role, ...question }) => {
    const who = `${name}: ${ticket}, ${oneLine(role, redact)} asks`;
    const what = oneLine(questionLine(question), redact);
    return wanted(`${who}; ${answerCommand(ticket)}${where}${db}: ${what}`);
  });
  const blocked = tickets.blocked - questions.length;
  if (blocked === 0) return asked;
  const some = blocked === 1 ? "1 ticket is" : `${blocked} tickets are`;
  const how = `svc tickets list --state blocked${where}`;
  return [...asked, wanted(`${name}: ${some} blocked; ${how}`)];
}
