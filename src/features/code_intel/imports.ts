/** What a file imports, as it says it. */
import type { Parsed } from "./code_place.ts";

export interface Import {
  /** Without quotes. */
  readonly specifier: string;
  readonly member: string | undefined;
}

const unquoted = (text: string) => /^(["'`])(.*)\1$/s.exec(text)?.[2] ?? text;

/** In the order of the file, each once. */
export function importsOf({ syntax, language }: Parsed): readonly Import[] {
  const matches = syntax.matches(language.imports);
  if (typeof matches === "string") return [];
  const found = new Map<string, Import>();
  for (const { captures } of matches) {
    const from = captures.find(({ name }) => name === "from");
    if (from === undefined) continue;
    const member = captures.find(({ name }) => name === "member")?.text;
    const specifier = unquoted(from.text);
    found.set(JSON.stringify([specifier, member]), { specifier, member });
  }
  return [...found.values()];
}
