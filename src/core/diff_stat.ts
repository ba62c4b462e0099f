/** Counts what a unified diff (git-diff(1)) changes, file by file. */

export interface FileStat {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
}

/** A side with other letters than those of ASCII, or with marks, stands between quotes (git-config(1), core.quotePath). */
const HEADS: readonly RegExp[] = [
  /^diff --git a\/(?<path>.+) b\/\k<path>$/,
  /^diff --git .+ "b\/(?<quoted>(?:[^"\\]|\\.)+)"$/,
  /^diff --git .+ b\/(?<path>.+)$/,
];

const ESCAPED: Readonly<Record<string, string>> = {
  ...{ a: "\x07", b: "\b", t: "\t", n: "\n", v: "\v", f: "\f", r: "\r" },
};

/** Octal numbers are bytes of UTF-8. */
function unquoted(text: string): string {
  const bytes = text.replaceAll(
    /\\(?:([0-7]{3})|(.))|[^\\]/gsu,
    (char, octal?: string, sign?: string) => {
      if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8));
      if (sign !== undefined) return ESCAPED[sign] ?? sign;
      return String.fromCharCode(...new TextEncoder().encode(char));
    },
  );
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
}

/** The name that the file has after the change. @param line the first of its part */
export function diffPath(line: string): string | undefined {
  for (const head of HEADS) {
    const { path, quoted } = head.exec(line)?.groups ?? {};
    if (quoted !== undefined) return unquoted(quoted);
    if (path !== undefined) return path;
  }
  return undefined;
}

export function diffStat(patch: string): FileStat[] {
  const stats: { path: string; added: number; removed: number }[] = [];
  let inHunk = false;
  for (const line of patch.split("\n")) {
    const path = line.startsWith("diff --git ") ? diffPath(line) : undefined;
    if (path !== undefined) {
      inHunk = false;
      stats.push({ path, added: 0, removed: 0 });
    } else if (line.startsWith("@@")) inHunk = stats.length > 0;
    else if (inHunk && line.startsWith("+")) stats.at(-1)!.added++;
    else if (inHunk && line.startsWith("-")) stats.at(-1)!.removed++;
  }
  return stats;
}
