/** Tells whether a command line starts as a pattern such as "rm" or "git push" says. */
import { POLICY_PATTERNS } from "./bounds.ts";

/** Options and their values that may precede a subcommand; more look like an attempt to evade a rule. */
const COMMAND_OPTION_WORDS = 32;

/** Programs that start another one, named in their arguments or in a script. */
const STARTERS = new Set(
  ("sh bash dash ash zsh ksh fish busybox env sudo doas xargs nice nohup timeout time setsid " +
    "stdbuf command exec eval find flock script ssh su chroot unshare watch npx parallel nsenter")
    .split(" "),
);

const ready = new Map<string, readonly string[]>();

function wordsOf(pattern: string): readonly string[] {
  const known = ready.get(pattern);
  if (known !== undefined) return known;
  const words = pattern.split(/\s+/).filter((word) => word !== "");
  if (ready.size >= POLICY_PATTERNS) ready.clear();
  ready.set(pattern, words);
  return words;
}

/** File name of a program; some file systems take any case for it. */
function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1).toLowerCase();
}

/** Roughly the words that a shell would see: without quotes and escapes, operators and `$IFS` as blanks. */
function scriptWords(script: string): string[] {
  return script.replace(/\$\{?IFS\}?/g, " ").replace(/\\\n|["'\\]/g, "")
    .split(/[\s;&|()<>{}`$=]+/).filter((word) => word !== "");
}

/**
 * Options, each with a value, may stand between the program and its next word: the pattern "git push"
 * matches `git -C x push`.
 */
function startsAt(words: readonly string[], at: number, wanted: readonly string[]): boolean {
  if (programOf(words[at]!) !== programOf(wanted[0]!)) return false;
  for (let next = at + 1; next <= words.length; next++) {
    if (wanted.slice(1).every((word, i) => words[next + i] === word)) return true;
    const option = words[next]?.startsWith("-") ?? false;
    const value = next > at + 1 && words[next - 1]!.startsWith("-");
    if (!option && !value) return false;
    if (next - at > COMMAND_OPTION_WORDS) return true;
  }
  return false;
}

/**
 * True for a program that starts others; it may read their names from its input.
 * @param shell `argv` is one command line: true when it names such a program anywhere
 */
export function startsOthers(argv: readonly string[], shell: boolean): boolean {
  const words = shell ? scriptWords(argv.join(" ")) : argv.slice(0, 1);
  return words.some((word) => STARTERS.has(programOf(word)));
}

/**
 * In a script, or for a program that starts others, the pattern's words may stand anywhere. This stops
 * mistakes, not a program that means to hide what it runs.
 * @param shell the call is one of a shell, whatever `argv` starts with
 * @returns whether a pattern matches; made once for many patterns
 */
export function commandMatcher(
  argv: readonly string[],
  shell: boolean,
): (pattern: string) => boolean {
  if (argv.length === 0) return () => false;
  const script = shell || STARTERS.has(programOf(argv[0]!)) ? scriptWords(argv.join(" ")) : [];
  return (pattern) => {
    const wanted = wordsOf(pattern);
    if (wanted.length === 0) return false;
    return startsAt(argv, 0, wanted) || script.some((_, at) => startsAt(script, at, wanted));
  };
}
