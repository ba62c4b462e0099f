/** JSON files of a project as people write them: with comments and trailing commas. */

/** `{}` where the text does not parse. */
export function jsonObject(text: string): Record<string, unknown> {
  const bare = text
    .replace(/("(?:[^"\\]|\\[^])*"?)|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g, "$1")
    .replace(/("(?:[^"\\]|\\[^])*"?)|,(\s*[}\]])/g, "$1$2");
  try {
    const value: unknown = JSON.parse(bare);
    return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
  } catch {
    // Its own tool cannot read this file either.
    return {};
  }
}

export function entriesAt(text: string, key: string): Record<string, unknown> {
  const value = jsonObject(text)[key];
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
