/** Reads and edits lines of `NAME=value` as shells and dotenv read them. */

const LINE = (name: string) => new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=(.*)$`);

function unquoted(text: string): string {
  const value = text.trim();
  const [, single] = /^'([^']*)'/.exec(value) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"/s.exec(value) ?? [];
  if (double !== undefined) return double.replaceAll(/\\(["\\])/g, "$1");
  return value.split(/[ \t]#/, 1)[0]!.trim();
}

/** Where each value of `name` stands: one between quotes may go over several lines. */
function placesOf(lines: readonly string[], name: string) {
  const line = LINE(name);
  const places: { readonly at: number; readonly next: number; readonly value: string }[] = [];
  for (let at = 0; at < lines.length; at++) {
    const first = line.exec(lines[at]!)?.[1];
    if (first === undefined) continue;
    const more = linesOfQuote(first, lines.slice(at + 1));
    places.push({ at, next: at + 1 + more.length, value: [first, ...more].join("\n") });
    at += more.length;
  }
  return places;
}

/** Without an end of the quote the value is one line, as it was typed by mistake. */
function linesOfQuote(first: string, below: readonly string[]): readonly string[] {
  const quote = first.trimStart()[0];
  if (quote !== "'" && quote !== '"') return [];
  const ends = quote === "'" ? /^[^']*'/ : /^(?:[^"\\]|\\.)*"/;
  if (ends.test(first.trimStart().slice(1))) return [];
  const last = below.findIndex((each) => ends.test(each));
  return below.slice(0, last + 1);
}

/** The last value of `name`, since the last one counts; undefined when absent or empty. */
export function readEnvLine(text: string, name: string): string | undefined {
  const value = placesOf(text.split(/\r?\n/), name).at(-1)?.value;
  return value === undefined ? undefined : unquoted(value) || undefined;
}

export function envPairs(text: string): [name: string, value: string][] {
  return text.split(/\r?\n/).flatMap((each) => {
    const [, name, value] = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=(.*)$/.exec(each) ?? [];
    return name === undefined ? [] : [[name, unquoted(value!)]];
  });
}

/** Whether it can be a provider's key: printable ASCII without spaces, as an HTTP header takes it. */
export function isKeyValue(value: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(value);
}

function quotedValue(value: string): string {
  if (/^[\w.:/+=~@%,-]+$/.test(value)) return value;
  return value.includes("'") ? `"${value.replaceAll(/["\\]/g, "\\$&")}"` : `'${value}'`;
}

/** Sets `name` at its first place and removes its others, since those may hold an old key. */
export function withEnvLine(text: string, name: string, value: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const wanted = `${name}=${quotedValue(value)}`;
  const lines = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  const [first, ...others] = placesOf(lines, name);
  for (const { at, next } of others.reverse()) lines.splice(at, next - at);
  if (first === undefined) return [...lines, wanted, ""].join(eol);
  const exported = /^[ \t]*export[ \t]/.test(lines[first.at]!) ? "export " : "";
  lines.splice(first.at, first.next - first.at, `${exported}${wanted}`);
  return [...lines, ""].join(eol);
}
