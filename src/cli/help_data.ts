/** Help for programs: what a command or a group declares, under names that stay. */
import { VERSION } from "svc/core/version.ts";
import { type CommandText, modeAbout } from "./command.ts";
import { type Flag, flagName } from "./flags.ts";
import { commandAt, PROGRAM, refusedInJobs, usageLine } from "./help.ts";
import type { Tree } from "./tree.ts";

/** A flag or an argument; `value` is the word that stands for what it takes, none for a switch. */
function flagData(key: string, flag: Flag<unknown>) {
  return {
    name: flagName(key),
    about: flag.about,
    kind: flag.kind,
    value: flag.value ?? null,
    required: flag.required === true,
    repeated: flag.many === true,
    default: flag.fallback ?? null,
    choices: [...flag.choices ?? []],
    min: flag.min ?? null,
    max: flag.max ?? null,
  };
}

const flagsData = (flags: Readonly<Record<string, Flag<unknown>>> = {}) =>
  Object.entries(flags).map(([key, flag]) => flagData(key, flag));

function commandData(path: string, command: CommandText) {
  return {
    details: command.details ?? null,
    usage: usageLine(path, command),
    effect: command.effect,
    refused_in_jobs: refusedInJobs(command) ?? null,
    arguments: flagsData(command.args),
    rest: command.rest ?? null,
    flags: flagsData(command.flags),
    modes: command.modes.map((mode) => ({ name: mode, about: modeAbout(mode, command) })),
    examples: command.examples.map(({ line, about }) => ({ line, about })),
    aliases: [...command.aliases ?? []],
  };
}

/** All commands and groups below the path, hidden ones left out. */
function below(tree: Tree, path: string) {
  const prefix = path === "" ? "" : `${path} `;
  const paths = [...Object.keys(tree.groups), ...Object.keys(tree.commands)];
  return [...new Set(paths)].toSorted()
    .filter((each) => each !== path && each.startsWith(prefix))
    .filter((each) => each.split(" ")[0] !== "internal" && !tree.commands[each]?.hidden)
    .map((each) => ({
      path: each,
      about: tree.commands[each]?.about ?? tree.groups[each]!,
      runs: tree.commands[each] !== undefined,
    }));
}

/** @param path as `helpText` takes it; `command` is null for a group, which does nothing by itself */
export function helpData(tree: Tree, path: string) {
  const command = commandAt(tree, path);
  return {
    ok: true,
    version: VERSION,
    path,
    about: command?.about ?? (path === "" ? PROGRAM.about : tree.groups[path]!),
    command: command === undefined ? null : commandData(path, command),
    commands: below(tree, path),
  };
}
