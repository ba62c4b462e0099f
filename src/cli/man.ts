/** Man pages from the command tree, in the macros of man(7): `svc help --man`. */
import { FAILURES } from "svc/core/failure.ts";
import { VERSION } from "svc/core/version.ts";
import { type CommandText, modeAbout } from "./command.ts";
import { flagName, type Flags } from "./flags.ts";
import { aboutFlag, commandAt, flagRows, PROGRAM, refusedInJobs, usageLine } from "./help.ts";
import { aliasesOf, type Tree } from "./tree.ts";

/** Text as roff reads it: no escape and no request begins in it (groff_char(7), roff(7)). */
export function roffText(text: string): string {
  const safe = text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("~", "\\(ti")
    .replaceAll("^", "\\(ha").replaceAll("`", "\\(ga");
  return safe.split("\n").map((line) => /^[.']/.test(line) ? `\\&${line}` : line).join("\n");
}

/** An argument of a macro: one word, in quotes. */
const macroArg = (text: string) => `"${roffText(text).replaceAll('"', "\\(dq")}"`;

const section = (title: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`.SH ${macroArg(title)}`, ...lines];

const tagged = ([name, about]: readonly [string, string]) => [
  ".TP",
  `.B ${macroArg(name)}`,
  roffText(about),
];

const paragraph = (text: string | undefined) => text === undefined ? [] : [".PP", roffText(text)];

function exampleLines(examples: CommandText["examples"]): string[] {
  return examples.flatMap(({ line, about }, at) => [
    ...[...(at === 0 ? [] : [".PP"]), roffText(`${about[0]!.toUpperCase()}${about.slice(1)}:`)],
    ...[".PP", ".RS 4", ".nf", roffText(line), ".fi", ".RE"],
  ]);
}

function argRows({ args = {}, rest }: CommandText): (readonly [string, string])[] {
  const rows = Object.entries(args as Flags).map(([key, arg]) =>
    [`<${flagName(key)}>`, aboutFlag(arg)] as const
  );
  return rest === undefined ? rows : [...rows, [`-- <${rest.value}>`, rest.about] as const];
}

function flagLines(command: CommandText): string[] {
  const modes = command.modes.map((mode) => [`--${mode}`, modeAbout(mode, command)] as const);
  return [...argRows(command), ...flagRows(command.flags), ...modes].flatMap(tagged);
}

function heading(name: string, about: string): string[] {
  return [
    `.TH ${macroArg(name.toUpperCase())} 1 "" ${macroArg(`svc ${VERSION}`)} "svc manual"`,
    ...[".SH NAME", `${roffText(name)} \\- ${roffText(about)}`],
  ];
}

function commandPage(path: string, command: CommandText): string[] {
  return [
    ...heading(`svc-${path.replaceAll(" ", "-")}`, command.about),
    ...section("SYNOPSIS", [`.B ${macroArg(usageLine(path, command))}`]),
    ...section("DESCRIPTION", [
      ...[roffText(command.details ?? `${command.about}.`)],
      ...paragraph(refusedInJobs(command)),
    ]),
    ...section("OPTIONS", flagLines(command)),
    ...section("EXAMPLES", exampleLines(command.examples)),
    ...section(
      "ALIASES",
      command.aliases === undefined
        ? []
        : [roffText(command.aliases.map((alias) => `svc ${alias}`).join(", "))],
    ),
    ...section("SEE ALSO", [".BR svc (1)"]),
  ];
}

const FILES: readonly (readonly [string, string])[] = [
  ["~/.svc/config.yaml", "Your settings; SVC_HOME moves the folder"],
  ["~/.svc/db", "Databases of repos; svc serve keeps its own in ~/.svc-harness/db"],
  ["~/.svc/traces", "Traces of jobs, outputs of checks, command logs"],
  ["~/.svc/worktrees", "Where agents work on branches"],
  [".harness", "In a repo: its roles, rules, routes and limits"],
  ["docs/tickets", "In a repo: its tickets; the folder of a file is its state"],
];

function overview(tree: Tree): string[] {
  const aliases = [...aliasesOf(tree)].map(([alias, path]) => [`svc ${alias}`, `svc ${path}`]);
  const shown = Object.entries(tree.commands).filter(([, { hidden }]) => !hidden).sort();
  const exits = Object.entries(FAILURES).map(([code, { exit }]) => ({ code, exit }));
  return [
    ...heading("svc", PROGRAM.about),
    ...section("SYNOPSIS", [".B svc", ".I command", "[flags]"]),
    ...section("DESCRIPTION", [
      roffText(
        "svc drives role-based agents against git repositories, with a model on this machine or in the " +
          "cloud. By default it observes and changes nothing; --execution-profile host with " +
          "--acknowledge-host-execution lets it act. svc help <command> shows one command.",
      ),
    ]),
    ...section(
      "COMMANDS",
      shown.flatMap(([path, command]) => [
        `.SS ${macroArg(`svc ${path}`)}`,
        roffText(`${command.about}.`),
        ...paragraph(usageLine(path, command)),
        ...flagLines(command),
      ]),
    ),
    ...section(
      "ALIASES",
      aliases.flatMap(([alias, of]) => tagged([alias!, of!])),
    ),
    ...section("EXAMPLES", exampleLines(PROGRAM.examples)),
    ...section("FILES", FILES.flatMap(tagged)),
    ...section("EXIT STATUS", [
      ...tagged(["0", "Success"]),
      ...exits.flatMap(({ code, exit }) => tagged([`${exit}`, code.replaceAll("_", " ")])),
    ]),
    ...section("SEE ALSO", [".BR git (1),", ".BR bwrap (1)"]),
  ];
}

/** @param path a command's, or "" for the whole program. Ends with a newline. */
export function manPage(tree: Tree, path: string): string {
  const command = commandAt(tree, path);
  const lines = command === undefined ? overview(tree) : commandPage(path, command);
  return `${lines.join("\n")}\n`;
}
