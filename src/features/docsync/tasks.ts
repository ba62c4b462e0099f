/** Tasks of a project that its documents may name: targets of make, scripts of npm, tasks of Deno. */
import { entriesAt } from "svc/features/harness/json_text.ts";
import { isPlaceholder } from "./named_commands.ts";

/** Texts of files in the root, by name. */
export type RootTexts = ReadonlyMap<string, string>;

export const TASK_FILES = [
  ...["Makefile", "makefile", "GNUmakefile", "package.json", "deno.json", "deno.jsonc"],
] as const;

/** Targets before the colon of a rule, also patterns such as `bench-%`. */
function makeTargets(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const cut = /^[^\s#:=][^#:=]*(?=::?(?!=))/.exec(line)?.[0];
    return cut?.split(/\s+/).filter((target) => target !== "") ?? [];
  });
}

/** A page may show a target with another file, folder or variable: those say no more than the target. */
function makeFault(text: string, words: readonly string[]): string | undefined {
  if (words.some((word) => /^-[CfI]|\$\(/.test(word)) || /^-?include\s/m.test(text)) {
    return undefined;
  }
  const targets = makeTargets(text);
  // ".DEFAULT" makes whatever has no rule (GNU make manual, 10.6); a variable names what it holds.
  if (targets.some((target) => /^(?:\.DEFAULT|\$\(\w+\)|\$\{\w+\})$/.test(target))) {
    return undefined;
  }
  const known = (word: string) =>
    targets.some((target) => {
      const [before, after] = target.split("%");
      return after === undefined
        ? target === word
        : word.startsWith(before!) && word.endsWith(after);
    });
  const wanted = words.filter((word) => !/^-|=/.test(word) && !isPlaceholder(word));
  const unknown = wanted.find((word) => !known(word));
  return unknown === undefined ? undefined : `the Makefile has no target "${unknown}"`;
}

const NPM_OWN =
  /^(?:install|i|ci|test|start|stop|restart|publish|exec|init|add|remove|pack|version)$/;

function named(texts: RootTexts, file: string, key: string, name: string | undefined) {
  const text = texts.get(file);
  if (text === undefined || name === undefined || isPlaceholder(name) || name.startsWith("-")) {
    return undefined;
  }
  return Object.hasOwn(entriesAt(text, key), name)
    ? undefined
    : `${file} has no ${key === "tasks" ? "task" : "script"} "${name}"`;
}

/** The task of another package: options of npm, pnpm, yarn and deno. */
const ELSEWHERE = /^(?:-[CFw]|--(?:workspaces?|prefix|cwd|dir|filter|recursive))(?:=|$)/;

/** Why there is no such task; undefined where there is, or where nothing tells. */
export function taskFault(texts: RootTexts, words: readonly string[]): string | undefined {
  const [program, verb, name] = words;
  if (program !== "make" && words.some((word) => ELSEWHERE.test(word))) return undefined;
  if (program === "make") {
    const text = ["GNUmakefile", "makefile", "Makefile"].map((file) => texts.get(file))
      .find((text) => text !== undefined);
    return text === undefined ? undefined : makeFault(text, words.slice(1));
  }
  if (program === "deno" && verb === "task") {
    const file = texts.has("deno.json") ? "deno.json" : "deno.jsonc";
    return named(texts, file, "tasks", name);
  }
  const runs = (program === "npm" || program === "pnpm" || program === "yarn") && verb === "run";
  return runs && !NPM_OWN.test(name ?? "")
    ? named(texts, "package.json", "scripts", name)
    : undefined;
}

export const TASK_PROGRAMS = ["make", "npm", "pnpm", "yarn", "deno"] as const;
