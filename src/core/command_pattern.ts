/** Tells whether a command line starts as a pattern such as "rm" or "git push" says. */
import { POLICY_PATTERNS } from "./bounds.ts";

/** More options and values before a subcommand look like an attempt to evade a rule. */
const COMMAND_OPTION_WORDS = 32;

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

/** In lower case, since some file systems take any case. */
function programOf(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1).toLowerCase();
}

/** Roughly what a shell would see: no quotes or escapes; operators and `$IFS` are blanks. */
function scriptWords(script: string): string[] {
  return script.replace(/\$\{?IFS\}?/g, " ").replace(/\\\n|["'\\]/g, "")
    .split(/[\s;&|()<>{}`$=]+/).filter((word) => word !== "");
}

/** Options with values may stand between: the pattern "git push" matches `git -C x push`. */
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

/** With `shell`, `argv` is one command line, in which such a program counts anywhere. */
export function startsOthers(argv: readonly string[], shell: boolean): boolean {
  const words = shell ? scriptWords(argv.join(" ")) : argv.slice(0, 1);
  return words.some((word) => STARTERS.has(programOf(word)));
}

/** In a script the words may stand anywhere. Stops mistakes, not a program that hides what it runs. */
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
