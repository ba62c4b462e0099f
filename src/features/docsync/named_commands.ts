/** Command lines that a page shows: in code of shells, and in code within its text. */
import { pageLines } from "svc/features/scanner/page_lines.ts";

export interface NamedCommand {
  /** From 1. */
  readonly line: number;
  /** Without prompt and variables; quotes are taken off. */
  readonly words: readonly string[];
  /** Behind a `cd`: what it means depends on another folder than the root. */
  readonly elsewhere: boolean;
}

const SHELL = /^(?:sh|bash|shell|zsh|fish|ksh)\b/i;
/** Lines without a prompt are output there. */
const SESSION = /^(?:console|shell-session|sh-session|terminal)\b/i;

const WORD = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
/** What ends a command: another one, a pipe, a redirection, a remark. */
const END = /^(?:&&|\|\|?|;|&|[<>]+|\d?>.*|#.*)$/;

function wordsOf(text: string): string[][] {
  const commands: string[][] = [[]];
  for (const [raw] of text.matchAll(WORD)) {
    if (raw.startsWith("#")) break;
    if (END.test(raw)) {
      commands.push([]);
      continue;
    }
    const ends = raw.endsWith(";");
    const word = (ends ? raw.slice(0, -1) : raw).replace(/^(["'])(.*)\1$/, "$2");
    const command = commands.at(-1)!;
    if (command.length > 0 || !/^[A-Za-z_]\w*=/.test(word)) command.push(word);
    if (ends) commands.push([]);
  }
  return commands.filter((words) => words.length > 0);
}

function shellLine(text: string, info: string): string | undefined {
  const prompted = /^\s*\$ (.*)$/.exec(text)?.[1];
  if (prompted !== undefined) return prompted;
  return SHELL.test(info) && !SESSION.test(info) ? text : undefined;
}

interface Place {
  elsewhere: boolean;
  /** The next `cd` leads into a clone of the project. */
  cloned: boolean;
}

const start = (): Place => ({ elsewhere: false, cloned: false });

function follow(at: Place, [program = "", verb]: readonly string[]): void {
  if (program === "git" && verb === "clone") at.cloned = true;
  if (!/^\(?(?:cd|pushd)$/.test(program)) return;
  at.elsewhere ||= !at.cloned;
  at.cloned = false;
}

/** @param programs the programs whose command lines are wanted */
export function namedCommands(page: string, programs: readonly string[]): NamedCommand[] {
  const found: NamedCommand[] = [];
  const take = (text: string, line: number, at: Place) => {
    for (const words of wordsOf(text)) {
      follow(at, words);
      if (programs.includes(words[0]!)) found.push({ line, words, elsewhere: at.elsewhere });
    }
  };
  let joined = "";
  let at = start();
  for (const { text, line, code } of pageLines(page)) {
    if (code === undefined) {
      for (const [, span] of text.matchAll(/(?<!`)`([^`]{3,200})`(?!`)/g)) {
        take(span!, line, start());
      }
      at = start();
      continue;
    }
    const command = shellLine(joined + text, code);
    joined = "";
    if (command === undefined) continue;
    // A line goes on below it.
    if (command.endsWith("\\")) joined = `${command.slice(0, -1)} `;
    else take(command, line, at);
  }
  return found;
}

/** `<name>`, `[--flag]`, `…`, `{a,b}`, `$X`: stands for something else. */
export const isPlaceholder = (word: string): boolean => /^[<\[{(…$*~]|^\.{3}|…$/.test(word);
