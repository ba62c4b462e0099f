/** The programs that a command line names, as far as it is plain words. */

/** One line of words, `&&` and nothing else that a shell would read otherwise. */
const PLAIN = /^(?:[\w \t.,/:=@%+-]|&&)+$/;

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/**
 * Words of the shell itself (POSIX.1-2024, XCU 2.15; bash, also its `time`). What stands behind most of them is not
 * known.
 */
const BUILTIN =
  /^(?:[.:]|alias|break|builtin|command|continue|declare|enable|eval|exec|exit|export|fg|getopts|hash|let|local|mapfile|pushd|popd|read|readarray|readonly|return|set|shift|shopt|source|time|times|trap|type|typeset|ulimit|umask|unalias|unset|wait)$/;

/** `corepack enable && pnpm test`: what stands behind it may not be there before. */
const BRINGS = /^(?:add|enable|get|i|install|prepare)$/;

/** Up to the first part that may change where programs are found. */
function inChain(line: string): string[] {
  if (!PLAIN.test(line.trim()) || line.replaceAll("&&", "").includes("&")) return [];
  const found: string[] = [];
  for (const part of line.split("&&")) {
    const words = part.trim().split(/\s+/);
    const at = words.findIndex((word) => !ASSIGNMENT.test(word));
    const [program] = words.slice(at);
    if (at === -1 || words.slice(0, at).some((word) => word.startsWith("PATH="))) break;
    if (program === "cd") continue;
    if (program === undefined || program === "" || BUILTIN.test(program)) break;
    found.push(program);
    if (words.some((word) => BRINGS.test(word))) break;
  }
  return found;
}

/** The first word, and what it starts in turn where it is `env` or a shell with a line. */
export function namedPrograms(run: readonly string[]): readonly string[] {
  const [first, ...rest] = run;
  if (first === undefined) return [];
  if (first === "env") {
    const at = rest.findIndex((word) => !ASSIGNMENT.test(word));
    const words = at === -1 ? [] : rest.slice(at);
    const known = !words[0]?.startsWith("-") && !rest.some((word) => word.startsWith("PATH="));
    return [first, ...known ? namedPrograms(words) : []];
  }
  const line = (first === "sh" || first === "bash") && /^-[eux]*c$/.test(rest[0] ?? "")
    ? rest[1]
    : undefined;
  return [first, ...line === undefined ? [] : inChain(line)];
}
