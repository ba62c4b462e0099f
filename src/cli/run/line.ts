/** Builds the command line that continues after a run, with the same repo, database and model. */
import { shellWord } from "svc/core/shell_word.ts";
import { answerCommand } from "svc/core/question.ts";

export interface RunOptions {
  readonly repo: string | undefined;
  readonly db: string | undefined;
  readonly modelEndpoint: string | undefined;
  readonly noInit: boolean;
  readonly codeIntel: boolean;
  readonly executionProfile: string;
  readonly task: string | undefined;
  readonly maxTurns: number | undefined;
  readonly budget: string | undefined;
}

const HOST_FLAGS = ["--execution-profile", "host", "--acknowledge-host-execution"] as const;

function valued(flag: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [flag, String(value)];
}

function place({ repo, db, modelEndpoint, executionProfile }: RunOptions): readonly string[] {
  return [
    ...valued("--repo", repo),
    ...valued("--db", db),
    ...valued("--model-endpoint", modelEndpoint),
    ...(executionProfile === "host" ? HOST_FLAGS : []),
  ];
}

export function runLine(role: string, given: RunOptions, more: readonly string[] = []): string {
  const how = [
    ...(given.noInit ? ["--no-init"] : []),
    ...(given.codeIntel ? ["--code-intel"] : []),
  ];
  return ["svc", "run", role, ...more, ...place(given), ...how].map(shellWord).join(" ");
}

function limits({ maxTurns, budget }: RunOptions): readonly string[] {
  return [...valued("--max-turns", maxTurns), ...valued("--budget", budget)];
}

export function resumeLine(role: string, given: RunOptions, job: string): string {
  return runLine(role, given, ["--resume", job, ...limits(given)]);
}

/** Repeats the work in host profile, where it takes effect. */
export function hostLine(role: string, given: RunOptions, ticket: string | null): string {
  const work = ticket === null ? valued("--task", given.task) : ["--ticket", ticket];
  return runLine(role, { ...given, executionProfile: "host" }, [...work, ...limits(given)]);
}

export function answerLine(ticket: string, { repo }: RunOptions): string {
  const place = valued("--repo", repo).map(shellWord);
  return [answerCommand(ticket), ...place].join(" ");
}

export function ticketLine(ticket: string, { repo }: RunOptions): string {
  return ["svc", "tickets", "show", ticket, ...valued("--repo", repo)].map(shellWord).join(" ");
}

/** `svc start` continues what no manual run can, such as work without a ticket. */
export function startLine(given: RunOptions): string {
  return ["svc", "start", ...place(given)].map(shellWord).join(" ");
}
