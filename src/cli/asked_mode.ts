/** Whether words ask for a mode, told before they are parsed: a failure of the parser is shown in it too. */

/** As `looseBooleanParser` of @stricli/core reads the value of a switch. */
const TRUE = new Set(["true", "t", "yes", "y", "on", "1"]);

export function beforeDashes(words: readonly string[]): readonly string[] {
  const at = words.indexOf("--");
  return at === -1 ? words : words.slice(0, at);
}

/** `--json`, and `--json=true`. */
export function asksFor(words: readonly string[], mode: "--json" | "--plain"): boolean {
  return beforeDashes(words).some((word) =>
    word === mode ||
    word.startsWith(`${mode}=`) && TRUE.has(word.slice(mode.length + 1).toLowerCase())
  );
}
