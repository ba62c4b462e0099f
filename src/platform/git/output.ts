/** Reads what git prints for programs: lists ended by NUL, and the stream of `cat-file --batch`. */
import { joinBytes } from "svc/core/bytes.ts";

const lossy = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** What follows the last NUL or line feed is not an item. */
export class Items {
  readonly #end: number;
  #rest: Uint8Array[] = [];

  constructor(end: "NUL" | "LF" = "NUL") {
    this.#end = end === "NUL" ? 0 : 10;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (let at = chunk.indexOf(this.#end); at !== -1; at = chunk.indexOf(this.#end, from)) {
      const part = chunk.slice(from, at);
      if (this.#rest.length === 0) yield part;
      else {
        yield joinBytes([...this.#rest, part]);
        this.#rest = [];
      }
      from = at + 1;
    }
    if (from < chunk.length) this.#rest.push(chunk.slice(from));
  }
}

export function nulItems(bytes: Uint8Array): Uint8Array[] {
  return [...new Items().push(bytes)];
}

/** Many items, each ended by its NUL, are decoded at once. */
export class Stretches {
  #rest: Uint8Array[] = [];

  push(chunk: Uint8Array): Uint8Array | undefined {
    const end = chunk.lastIndexOf(0) + 1;
    const whole = end === 0 ? undefined : joinBytes([...this.#rest, chunk.subarray(0, end)]);
    if (whole !== undefined) this.#rest = [];
    if (end < chunk.length) this.#rest.push(chunk.slice(end));
    return whole;
  }
}

export interface ListedPath {
  /** Below the root; only for showing when it is not `usable`. */
  readonly path: string;
  /** Not for a name that is not UTF-8, leaves the root, or lies in a `.git` folder: git does not check names
   * in an index that it reads, and a hostile author may have written them. */
  readonly usable: boolean;
}

const UNUSABLE = /(?:^|\/)(?:\.{0,2}|\.git)(?:\/|$)/i;

export function listedPath(bytes: Uint8Array): ListedPath {
  let path: string;
  try {
    path = strict.decode(bytes);
  } catch {
    return { path: lossy.decode(bytes), usable: false };
  }
  return { path, usable: !UNUSABLE.test(path) };
}

export interface PathListing {
  /** In git's order, without submodules; a file may be gone from the work tree. */
  readonly paths: readonly string[];
  /** For showing only: not UTF-8, or no file below the root, such as a nested repo. */
  readonly skipped: readonly string[];
}

export function pathListing(found: readonly ListedPath[]): PathListing {
  const unique = new Map(found.map((entry) => [entry.path, entry]));
  const [paths, skipped]: [string[], string[]] = [[], []];
  for (const { path, usable } of unique.values()) (usable ? paths : skipped).push(path);
  return { paths, skipped };
}

function textItems(stretch: Uint8Array): string[] | undefined {
  try {
    return strict.decode(stretch.subarray(0, -1)).split("\0");
  } catch {
    return undefined; // the names are then read one by one
  }
}

export function listedPaths(stretch: Uint8Array): ListedPath[] {
  return textItems(stretch)?.map((path) => ({ path, usable: !UNUSABLE.test(path) })) ??
    nulItems(stretch).map(listedPath);
}

/** From `git ls-files --stage -z`, without submodules. */
export function stagedPaths(stretch: Uint8Array): ListedPath[] {
  const texts = textItems(stretch);
  if (texts === undefined) {
    return nulItems(stretch).map(indexEntry).filter(({ mode }) => mode !== SUBMODULE);
  }
  return texts.filter((text) => !text.startsWith(SUBMODULE)).map((text) => {
    const path = text.slice(text.indexOf("\t") + 1);
    return { path, usable: !UNUSABLE.test(path) };
  });
}

/** Mode of an entry that names a commit of another repo. */
export const SUBMODULE = "160000";

/** `oid SP path`, as `rev-list --objects` prints them. */
export interface Outgoing extends ListedPath {
  readonly oid: string;
}

export function outgoingItem(line: Uint8Array): Outgoing | undefined {
  const space = line.indexOf(32);
  if (space === -1 || space === line.length - 1) return undefined;
  return { oid: lossy.decode(line.subarray(0, space)), ...listedPath(line.subarray(space + 1)) };
}

export interface IndexEntry extends ListedPath {
  readonly mode: string;
  readonly oid: string;
  /** 0, or 1 to 3 for the sides of a conflict. */
  readonly stage: number;
}

export function indexEntry(item: Uint8Array): IndexEntry {
  const tab = item.indexOf(9);
  const head = lossy.decode(item.subarray(0, tab));
  const { path, usable } = listedPath(item.subarray(tab + 1));
  return {
    mode: head.slice(0, 6),
    oid: head.slice(7, -2),
    stage: Number(head.at(-1)),
    path,
    usable,
  };
}

/** From `git ls-files --stage -z`. */
export function indexEntriesIn(stretch: Uint8Array): IndexEntry[] {
  return textItems(stretch)?.map((text) => {
    const tab = text.indexOf("\t");
    const path = text.slice(tab + 1);
    return {
      mode: text.slice(0, 6),
      oid: text.slice(7, tab - 2),
      stage: Number(text[tab - 1]),
      path,
      usable: !UNUSABLE.test(path),
    };
  }) ?? nulItems(stretch).map(indexEntry);
}

export type Blob =
  | { readonly oid: string; readonly state: "read"; readonly bytes: Uint8Array }
  | { readonly oid: string; readonly state: "too_large"; readonly size: number }
  /** The repo lacks the object, or it is no blob. */
  | { readonly oid: string; readonly state: "unreadable" };

/** `git cat-file --batch`: `oid SP type SP size LF content LF`, or `oid SP missing LF`. */
export class BatchBlobs {
  readonly #maxBytes: number;
  readonly #trees: boolean;
  #parts: Uint8Array[] = [];
  #object: { oid: string; type: string; size: number } | undefined;
  /** Still to come, with the line feed that follows the object. */
  #missing = 0;

  /** @param trees reads these instead */
  constructor(maxBytes: number, { trees = false } = {}) {
    this.#maxBytes = maxBytes;
    this.#trees = trees;
  }

  *push(chunk: Uint8Array): Generator<Blob> {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#object === undefined) {
        const end = rest.indexOf(10);
        this.#parts.push(rest.slice(0, end === -1 ? rest.length : end));
        if (end === -1) return;
        rest = rest.subarray(end + 1);
        const absent = this.#header(lossy.decode(joinBytes(this.#parts)));
        this.#parts = [];
        if (absent !== undefined) yield absent;
        continue;
      }
      const part = rest.subarray(0, this.#missing);
      const { type, size } = this.#object;
      if (this.#reads(type) && size <= this.#maxBytes) this.#parts.push(part.slice());
      this.#missing -= part.length;
      rest = rest.subarray(part.length);
      if (this.#missing === 0) yield this.#content(this.#object);
    }
  }

  #reads(type: string): boolean {
    return (type === "tree") === this.#trees;
  }

  #header(line: string): Blob | undefined {
    // What was asked for may be a path with spaces, of which git says "missing" or the like.
    const [, oid = "", type = "", size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(line) ?? [];
    if (size === undefined) return { oid: line.split(" ")[0]!, state: "unreadable" };
    this.#object = { oid, type, size: Number(size) };
    this.#missing = Number(size) + 1;
    return undefined;
  }

  #content({ oid, type, size }: { oid: string; type: string; size: number }): Blob {
    const bytes = joinBytes(this.#parts);
    this.#object = undefined;
    this.#parts = [];
    if (!this.#reads(type)) return { oid, state: "unreadable" };
    if (size > this.#maxBytes) return { oid, state: "too_large", size };
    return { oid, state: "read", bytes: bytes.subarray(0, size) };
  }
}

export interface StatusChange extends ListedPath {
  readonly kind: "tracked" | "conflict" | "untracked";
  /** Letters of git-status(1), "." for no change: index against HEAD, work tree against index. */
  readonly staged: string;
  readonly unstaged: string;
}

export interface Status {
  readonly branch: string | undefined;
  readonly head: string | undefined;
  readonly changes: readonly StatusChange[];
}

const FIELDS = { "1": 8, "u": 10, "?": 1 } as const;

interface StatusEntry extends Pick<StatusChange, "kind" | "staged" | "unstaged"> {
  /** As git gave it, which need not be UTF-8; without the slash of a folder. */
  readonly name: Uint8Array;
  /** A nested repo, of which git shows the folder alone. */
  readonly nested: boolean;
}

/** An item of `git status --porcelain=v2 -z`; undefined for a header. */
export function statusEntry(item: Uint8Array): StatusEntry | undefined {
  const text = lossy.decode(item.subarray(0, 4));
  const fields = FIELDS[text[0] as keyof typeof FIELDS];
  if (fields === undefined) return undefined;
  let at = 0;
  for (let field = 0; field < fields; field++) at = item.indexOf(0x20, at) + 1;
  const kind = text[0] === "1" ? "tracked" : text[0] === "u" ? "conflict" : "untracked";
  const [staged, unstaged] = kind === "untracked" ? [".", "?"] : [text[2]!, text[3]!];
  const nested = item.at(-1) === 0x2f;
  return { kind, staged, unstaged, nested, name: item.subarray(at, nested ? -1 : undefined) };
}

export function statusOf(items: Iterable<Uint8Array>): Status {
  const changes: StatusChange[] = [];
  let [branch, head]: (string | undefined)[] = [];
  for (const item of items) {
    const entry = statusEntry(item);
    if (entry !== undefined) {
      const { kind, staged, unstaged, name } = entry;
      changes.push({ kind, staged, unstaged, ...listedPath(name) });
      continue;
    }
    const text = lossy.decode(item);
    if (text.startsWith("# branch.oid ")) head = text.slice(13);
    if (text.startsWith("# branch.head ")) branch = text.slice(14);
  }
  return {
    branch: branch === "(detached)" ? undefined : branch,
    head: head === "(initial)" ? undefined : head,
    changes,
  };
}
