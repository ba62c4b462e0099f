/** JSON files of a project: read as people write them, with comments and trailing commas, and written as Prettier does. */

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

/** The width that Prettier (3.10) gives a line unless its settings say otherwise. */
export const PRETTIER_WIDTH = 80;

/** @param room characters that are left of the line */
function printed(value: unknown, indent: string, room: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const list = Array.isArray(value);
  const named = Object.entries(value).map(([name, one]) =>
    [list ? "" : `${JSON.stringify(name)}: `, one] as const
  );
  if (named.length === 0) return list ? "[]" : "{}";
  if (list && value.every((one) => typeof one !== "object" || one === null)) {
    const line = `[${value.map((one) => JSON.stringify(one)).join(", ")}]`;
    if (line.length <= room) return line;
  }
  const inner = `${indent}  `;
  const lines = named.map(([name, one], at) => {
    const comma = at < named.length - 1 ? "," : "";
    const left = PRETTIER_WIDTH - inner.length - name.length - comma.length;
    return `${inner}${name}${printed(one, inner, left)}${comma}\n`;
  });
  return `${list ? "[" : "{"}\n${lines.join("")}${indent}${list ? "]" : "}"}`;
}

/** As Prettier formats it, so that a project whose checks ask Prettier passes them with svc's files. */
export function jsonText(value: object): string {
  return `${printed(JSON.parse(JSON.stringify(value)), "", PRETTIER_WIDTH)}\n`;
}
