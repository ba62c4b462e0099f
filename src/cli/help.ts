/** Help as text: one function of the tree, read by `--help`, `svc help` and the generated docs. */
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { compareText } from "svc/core/order.ts";
import { VERSION } from "svc/core/version.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import { type CommandText, modeAbout } from "./command.ts";
import { type Flag, flagName, type Flags, on, text } from "./flags.ts";
import { styledOn, toneText } from "svc/cli/page/page.ts";
import { aliasesOf, children, type CommandMatch, type Tree } from "./tree.ts";

interface HelpFacts {
  readonly version: string;
  readonly styled: boolean;
  readonly columns: number;
}

export const PROGRAM = {
  about: "Role-based agents for git repositories: observe by default, act when allowed",
  examples: [
    { line: "svc help guardrails secret-scan", about: "help of one command" },
    { line: "svc guardrails secret-scan --repo .", about: "find secrets before they leave" },
    { line: "svc help --man | man -l -", about: "all of it as a man page" },
  ],
};

/** `help` is a word of the program and no file of a command: it is answered before any is looked for. */
export const HELP: CommandText = {
  about: "Show help of the program, a group or a command",
  details: "The same as --help behind a command, or -h before it.",
  examples: [
    ...PROGRAM.examples.filter(({ line }) => line.startsWith("svc help ")),
    { line: "svc help start --json | jq '.command.flags[].name'", about: "for scripts" },
  ],
  effect: "none",
  givenBy: { who: "anyone", because: "it only prints" },
  modes: ["json", "plain"],
  flags: { man: on("Print it as a man page") },
  args: { command: text("command", "Words of a command or a group (default: the program)") },
};

export const commandAt = (tree: Tree, path: string): CommandText | undefined =>
  path === "help" ? HELP : tree.commands[path];

type HelpRow = readonly [left: string, about: string];

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}

function rows(table: readonly HelpRow[], columns: number): string[] {
  const left = Math.min(34, Math.max(...table.map(([name]) => name.length)) + 2);
  const width = Math.max(24, columns - left - 2);
  return table.flatMap(([name, about]) => {
    const [first = "", ...more] = wrap(about, width);
    const head = name.length + 2 <= left
      ? [`  ${name.padEnd(left)}${first}`]
      : [`  ${name}`, `  ${" ".repeat(left)}${first}`];
    return [...head, ...more.map((line) => `  ${" ".repeat(left)}${line}`)];
  });
}

/** `Target repo (required)`, `Ports (default: 3)`. */
export function aboutFlag(flag: Flag<unknown>): string {
  const notes = [
    flag.required && "required",
    flag.many && "may be repeated",
    flag.fallback !== undefined && `default: ${flag.fallback}`,
  ].filter((note) => note);
  return notes.length === 0 ? flag.about : `${flag.about} (${notes.join("; ")})`;
}

export function flagRows(flags: Flags): HelpRow[] {
  return Object.entries(flags).map(([key, flag]) => {
    const name = `--${flagName(key)}`;
    return [flag.value === undefined ? name : `${name} <${flag.value}>`, aboutFlag(flag)];
  });
}

export function usageLine(path: string, command: CommandText): string {
  const args = Object.entries(command.args ?? {}).map(([key, arg]) =>
    arg.required ? `<${flagName(key)}>` : `[${flagName(key)}${arg.many ? "..." : ""}]`
  );
  const must = Object.entries(command.flags).filter(([, flag]) => flag.required)
    .map(([key, flag]) => `--${flagName(key)} <${flag.value}>`);
  const rest = command.rest === undefined ? [] : [`-- <${command.rest.value}>`];
  return ["svc", path, ...args, ...must, "[flags]", ...rest].join(" ");
}

function section(title: string, lines: readonly string[], facts: HelpFacts): string[] {
  if (lines.length === 0) return [];
  return ["", toneText(facts.styled, "strong", `${title}:`), ...lines];
}

function exampleLines(examples: CommandText["examples"], facts: HelpFacts): string[] {
  return examples.flatMap(({ line, about }) => [
    `  ${toneText(facts.styled, "dim", `# ${about}`)}`,
    `  ${line}`,
  ]);
}

/** Undefined for a command that a job's programs may give too. */
export function refusedInJobs({ givenBy }: CommandText): string | undefined {
  if (givenBy.who === "anyone") return undefined;
  const flags = givenBy.with?.map((key) => `--${flagName(key)}`).join(" or ");
  const yes = givenBy.asks ? " Without a terminal it needs --yes." : "";
  return `Refused inside a job${flags ? `, with ${flags}` : ""}: ${givenBy.because}.${yes}`;
}

function commandHelp(tree: Tree, path: string, command: CommandText, facts: HelpFacts): string[] {
  const { columns } = facts;
  const args: HelpRow[] = [
    ...Object.entries(command.args ?? {}).map(([key, arg]): HelpRow => [
      `<${flagName(key)}>`,
      arg.choices ? `${arg.about}: ${arg.choices.join(", ")}` : aboutFlag(arg),
    ]),
    ...(command.rest ? [[`-- <${command.rest.value}>`, command.rest.about] as HelpRow] : []),
  ];
  const modes: HelpRow[] = [
    ...command.modes.map((mode): HelpRow => [`--${mode}`, modeAbout(mode, command)]),
    ["-h, --help", "Show this help"],
  ];
  const more = [...children(tree, path)];
  const refused = refusedInJobs(command);
  return [
    command.about,
    ...section("Usage", [`  ${usageLine(path, command)}`], facts),
    ...(command.details === undefined ? [] : ["", ...wrap(command.details, columns)]),
    ...(refused === undefined ? [] : ["", ...wrap(refused, columns)]),
    ...section("Arguments", args.length ? rows(args, columns) : [], facts),
    ...section("Flags", rows([...flagRows(command.flags), ...modes], columns), facts),
    ...section("Commands below it", more.length ? rows(more, columns) : [], facts),
    ...section("Examples", exampleLines(command.examples, facts), facts),
    ...section("Aliases", (command.aliases ?? []).map((alias) => `  svc ${alias}`), facts),
  ];
}

/** Aliases of a group's commands, as they are typed below it; those of the program are single words. */
function aliasRows(tree: Tree, group: string): HelpRow[] {
  const prefix = group === "" ? "" : `${group} `;
  return [...aliasesOf(tree)].filter(([alias, path]) =>
    !tree.commands[path]!.hidden && alias.startsWith(prefix) &&
    !alias.slice(prefix.length).includes(" ")
  ).map(([alias, path]): HelpRow => [alias.slice(prefix.length), `svc ${path}`])
    .sort(([one], [other]) => compareText(one, other));
}

function groupHelp(tree: Tree, path: string, facts: HelpFacts): string[] {
  const root = path === "";
  const name = root ? "svc" : `svc ${path}`;
  const below = [...children(tree, path)];
  const aliases = aliasRows(tree, path);
  const flags: HelpRow[] = [
    ["-h, --help", "Show help of the program, a group or a command"],
    ...(root ? [["-v, --version", "Print the version"] as HelpRow] : []),
  ];
  return [
    root ? `svc ${facts.version}: ${PROGRAM.about}` : tree.groups[path]!,
    ...section("Usage", [`  ${name} <command> [flags]`], facts),
    ...section("Commands", rows(below, facts.columns), facts),
    ...section("Aliases", aliases.length ? rows(aliases, facts.columns) : [], facts),
    ...section("Flags", rows(flags, facts.columns), facts),
    ...section("Examples", root ? exampleLines(PROGRAM.examples, facts) : [], facts),
    "",
    toneText(facts.styled, "dim", `Flags of one command: ${name} ${below[0]?.[0] ?? ""} --help`),
  ];
}

/** @param path a command's or group's path; "" is the program. Ends with a newline. */
export function helpText(tree: Tree, path: string, facts: HelpFacts): string {
  const command = commandAt(tree, path);
  const lines = command === undefined
    ? groupHelp(tree, path, facts)
    : commandHelp(tree, path, command, facts);
  return `${lines.join("\n")}\n`;
}

export function showHelp(entrance: Entrance, tree: Tree, path: string, plain: boolean): void {
  entrance.stdout.write(helpText(tree, path, {
    version: VERSION,
    styled: !plain && styledOn(entrance.stdout, entrance.env),
    columns: Math.min(100, entrance.stdout.columns() ?? 100),
  }));
}

export function unknownCommand(tree: Tree, { path, rest }: CommandMatch): Failure {
  const typed = rest[0] ?? "";
  const prefix = path === "" ? "" : `${path} `;
  // Aliases of several words begin with the name of a command.
  const below = new Set([
    ...children(tree, path).keys(),
    ...[...aliasesOf(tree).keys()]
      .filter((alias) => alias.startsWith(prefix))
      .map((alias) => alias.slice(prefix.length).split(" ")[0]!),
  ]);
  const kind = typed.startsWith("-") ? "flag" : "command";
  const hint = didYouMean(typed, below);
  const remedy = ["svc", path, "--help"].filter((word) => word !== "").join(" ");
  return new Failure("usage", `Cannot run "svc ${prefix}${typed}": unknown ${kind} "${typed}"`, {
    remedy: hint === "" ? remedy : `${hint} See: ${remedy}`,
  });
}
