/** Writes the command reference: a page for each command, and an index. */
import { z } from "zod";
import {
  type AnyCommand,
  authorityOf,
  type CommandText,
  type Effect,
  modeAbout,
} from "svc/cli/command.ts";
import { aboutFlag, flagRows, refusedInJobs, usageLine } from "svc/cli/help.ts";
import { flagName } from "svc/cli/flags.ts";
import type { Tree } from "svc/cli/tree.ts";
import { FAILURES } from "svc/core/failure.ts";

const EFFECTS: Record<Effect, string> = {
  none: "touches nothing",
  reads: "reads; changes nothing",
  writes_home: "may write under `~/.svc`",
  writes_target: "may write into the target repo",
  runs_agents: "runs agents, confined to computed permissions",
  serves: "runs until stopped, confined to computed permissions",
};

const cell = (text: string) => text.replaceAll("|", "\\|");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

function flagsOf(command: CommandText): string[] {
  const rows = [
    ...Object.entries(command.args ?? {}).map(([key, arg]) => [
      `\`<${flagName(key)}>\``,
      aboutFlag(arg),
    ]),
    ...flagRows(command.flags).map(([name, about]) => [`\`${name}\``, about]),
    ...(command.rest ? [[`\`-- <${command.rest.value}>\``, command.rest.about]] : []),
    ...command.modes.map((mode) => [`\`--${mode}\``, modeAbout(mode, command)]),
  ];
  return rows.length === 0 ? [] : ["", "## Flags", "", ...table(["flag", "what it does"], rows)];
}

function resultOf(command: AnyCommand): string[] {
  if (!command.modes.includes("json")) return [];
  const { $schema: _dialect, ...schema } = z.toJSONSchema(command.result(z), { io: "output" });
  return ["", "## Result (`--json`)", "", "```json", JSON.stringify(schema, null, 2), "```"];
}

const aboutAsking = ({ to, withFlag }: NonNullable<CommandText["net"]>) =>
  `\`--${flagName(withFlag!)}\` has it ${to}`;

function networkOf(text: CommandText): string {
  if (authorityOf(text, {}) === "offline") {
    const but = text.net === undefined ? "" : `, unless ${aboutAsking(text.net)}`;
    return ` It reaches no network, nor does git${but}.`;
  }
  if (text.net === undefined) return "";
  const { to, withoutFlag } = text.net;
  const but = withoutFlag === undefined
    ? ""
    : `; with \`--${flagName(withoutFlag)}\` it reaches no network`;
  return ` It may ${to}${but}.`;
}

function commandPage(path: string, text: CommandText, command: AnyCommand): string {
  const aliases = (text.aliases ?? []).map((alias) => `\`svc ${alias}\``).join(", ");
  return [
    `# svc ${path}`,
    "",
    `${text.about}. It ${EFFECTS[text.effect]}.${networkOf(text)}`,
    ...(text.details === undefined ? [] : ["", text.details]),
    "",
    refusedInJobs(text) ?? `Allowed inside a job: ${text.givenBy.because}.`,
    "",
    "```sh",
    usageLine(path, text),
    "```",
    ...(aliases === "" ? [] : ["", `Aliases: ${aliases}`]),
    ...flagsOf(text),
    "",
    "## Examples",
    "",
    "```sh",
    ...text.examples.flatMap(({ line, about }) => [`# ${about}`, line]),
    "```",
    ...resultOf(command),
    "",
  ].join("\n");
}

function index(tree: Tree): string {
  const shown = Object.entries(tree.commands).filter(([, { hidden }]) => !hidden).sort();
  const rows = shown.map(([path, { about }]) => [
    `[\`svc ${path}\`](./${fileOf(path)})`,
    about,
  ]);
  const exits = Object.entries(FAILURES).map(([code, { exit }]) => [`${exit}`, code]);
  return [
    "# Commands",
    "",
    ...table(["command", "what it does"], rows),
    "",
    "## Exit status",
    "",
    "0 is success. A failure prints what happened and the way out on stderr; with `--json` it is",
    '`{"ok": false, "error": {"code", "message", "remediation"}}` on stdout.',
    "",
    ...table(["status", "error code"], exits.sort(([a], [b]) => Number(a) - Number(b))),
    "",
  ].join("\n");
}

function fileOf(path: string): string {
  return `${path.replaceAll(" ", "-")}.md`;
}

/** @param load imports a command's module by its path below `src/cli/commands` */
export async function commandPages(
  tree: Tree,
  load: (path: string) => Promise<{ default: AnyCommand }>,
): Promise<{ path: string; text: string }[]> {
  const folder = "docs/generated/commands";
  const pages = [{ path: `${folder}/README.md`, text: index(tree) }];
  for (const [path, text] of Object.entries(tree.commands)) {
    if (text.hidden) continue;
    const { default: command } = await load(path.replaceAll("-", "_").replaceAll(" ", "/"));
    pages.push({ path: `${folder}/${fileOf(path)}`, text: commandPage(path, text, command) });
  }
  return pages;
}
