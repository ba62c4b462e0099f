/** Reads and edits lines of `NAME=value` as shells and dotenv read them. */

const LINE = (name: string) => new RegExp(`^[ \\t]*(?:export[ \\t]+)?${name}[ \\t]*=(.*)$`);

function unquoted(text: string): string {
  const value = text.trim();
  const [, single] = /^'([^']*)'/.exec(value) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? [];
  if (double !== undefined) return double.replaceAll(/\\(["\\])/g, "$1");
  return value.split(/[ \t]#/, 1)[0]!.trim();
}

/** The last value of `name`, since the last one counts; undefined when absent or empty. */
export function readEnvLine(text: string, name: string): string | undefined {
  const line = LINE(name);
  const values = text.split(/\r?\n/).flatMap((each) => line.exec(each)?.[1] ?? []);
  const value = values.at(-1);
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

/** Sets `name` at its first line and removes its other lines, since those may hold an old key. */
export function withEnvLine(text: string, name: string, value: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const line = LINE(name);
  const wanted = `${name}=${quotedValue(value)}`;
  const lines = text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
  const at = lines.findIndex((each) => line.test(each));
  const kept = lines.filter((each, index) => index === at || !line.test(each));
  const exported = at !== -1 && /^[ \t]*export[ \t]/.test(lines[at]!) ? "export " : "";
  const set = kept.map((each) => line.test(each) ? `${exported}${wanted}` : each);
  return [...set, ...(at === -1 ? [wanted] : []), ""].join(eol);
}
