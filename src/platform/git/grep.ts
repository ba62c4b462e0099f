/** Searches a work tree with `git grep`, which knows what the repo ignores. */
import { GREP_COUNTED } from "svc/core/bounds.ts";
import { joinBytes } from "svc/core/bytes.ts";
import { Failure } from "svc/core/failure.ts";
import { gitPath, isGitPath } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { pathGlob } from "svc/core/glob.ts";
import { eachItem } from "./answers.ts";
import type { CallGit } from "./call.ts";
import { Items, listedPath } from "./output.ts";
import { inPlainFolders } from "./plain_folders.ts";

/** With more untracked paths git searches all untracked files itself. */
const GREP_NAMED_PATHS = 200;

export interface GrepQuery {
  /** PCRE, matched against one line at a time. */
  readonly pattern: string;
  readonly fixed?: boolean;
  readonly ignoreCase?: boolean;
  /** Taken literally, below the root; the whole tree when absent. */
  readonly paths?: readonly string[];
  readonly file?: string;
  readonly glob?: string;
}

export interface GrepHit {
  readonly path: string;
  readonly line: number;
  /** Byte of the first match, from 1. */
  readonly column: number;
}

interface GrepResult {
  /** Tracked files first, without their text: a folder may become a link after it was looked at, so a line has to be
   * read through a contained folder. */
  readonly hits: readonly GrepHit[];
  readonly complete: boolean;
  /** False when this git has no PCRE: the pattern was a POSIX extended one. */
  readonly perl: boolean;
}

export interface GitGrep {
  /** Text files that are not ignored, tracked or not; no submodules. @throws Failure `usage` for a bad pattern */
  grep(query: GrepQuery): Promise<GrepResult>;
}

class Enough extends Error {}

/** `path NUL line NUL column NUL text LF`, of `git grep --null --line-number --column`. */
class HitReader {
  readonly hits: GrepHit[] = [];
  readonly #fits: (path: string) => boolean;
  #rest = new Uint8Array(0);
  #inText = false;

  constructor(fits: (path: string) => boolean) {
    this.#fits = fits;
  }

  push(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#inText) {
        // A matching line may have megabytes: its text is dropped.
        const end = rest.indexOf(10);
        if (end === -1) return;
        rest = rest.subarray(end + 1);
        this.#inText = false;
      }
      const head = this.#rest.length === 0 ? rest : joinBytes([this.#rest, rest]);
      const end = afterThreeNuls(head);
      if (end === undefined) {
        this.#rest = head.slice();
        return;
      }
      this.#take(head.subarray(0, end));
      rest = rest.subarray(end - this.#rest.length);
      this.#rest = new Uint8Array(0);
      this.#inText = true;
    }
  }

  #take(head: Uint8Array): void {
    const [path, line, column] = [...new Items().push(head)];
    const { path: name, usable } = listedPath(path!);
    if (!usable || !this.#fits(name)) return;
    const number = (bytes: Uint8Array) => Number(new TextDecoder().decode(bytes));
    this.hits.push({ path: name, line: number(line!), column: number(column!) });
  }
}

function afterThreeNuls(bytes: Uint8Array): number | undefined {
  let at = 0;
  for (let nul = 0; nul < 3; nul++) {
    const next = bytes.indexOf(0, at);
    if (next === -1) return undefined;
    at = next + 1;
  }
  return at;
}

type GrepDialect = "--perl-regexp" | "--extended-regexp" | "--fixed-strings";

const WHICH = {
  tracked: [],
  untracked: ["--untracked", "--exclude-standard"],
  /** Git then reads no index, which takes most of the time for one file. */
  named: ["--no-index"],
} as const;

interface GrepSearch {
  readonly query: GrepQuery;
  readonly dialect: GrepDialect;
  readonly which: keyof typeof WHICH;
  readonly paths: readonly string[];
  readonly fits: (path: string) => boolean;
}

interface GrepMatches {
  readonly hits: readonly GrepHit[];
  readonly complete: boolean;
  readonly noPerl?: boolean;
}

const NOT_BUILT = /Perl-compatible regex[^\n]{0,80}(?:not compiled|USE_LIBPCRE)/;

async function searchOnce(git: CallGit, doing: string, search: GrepSearch): Promise<GrepMatches> {
  const { query, dialect, which, paths } = search;
  const reader = new HitReader(search.fits);
  try {
    const { code, stderr } = await git({
      doing,
      args: [
        ...["grep", "-I", "--null", "--line-number", "--column", "--full-name", "--no-color"],
        ...["--no-textconv", "--no-recurse-submodules", "--threads=4", dialect],
        ...(query.ignoreCase ? ["--ignore-case"] : []),
        ...WHICH[which],
        ...["-e", query.pattern, "--", ...paths.map(gitPath)],
      ],
      answers: [0, 1, 128],
      maxOutputBytes: 4096,
      onOutput(chunk, stream) {
        if (stream === "stderr") return;
        reader.push(chunk);
        if (reader.hits.length > GREP_COUNTED) throw new Enough();
      },
    });
    const said = capturedText(stderr);
    if (code === 128 && NOT_BUILT.test(said)) return { hits: [], complete: true, noPerl: true };
    if (code === 128) throw refusal(doing, query, said);
    return { hits: reader.hits, complete: true };
  } catch (thrown) {
    if (!(thrown instanceof Enough)) throw thrown;
    return { hits: reader.hits.slice(0, GREP_COUNTED), complete: false };
  }
}

function refusal(doing: string, query: GrepQuery, said: string): Failure {
  const shown = JSON.stringify(query.pattern.slice(0, 100));
  // The text is `fatal: -e option, 'foo(': missing closing parenthesis`; a pattern may hold anything.
  const why = said.slice(said.lastIndexOf("': ") + 3).trim().slice(0, 200);
  if (said.startsWith("fatal: -e option, ")) {
    return new Failure("usage", `Cannot search for ${shown}: ${why}`, {
      remedy: "Correct the regular expression, or set fixed to true to search for the plain text",
    });
  }
  if (/pcre/i.test(said)) {
    return new Failure("failed", `Cannot search for ${shown}: it takes too long to match`, {
      remedy: "Use a simpler pattern, or name a path",
    });
  }
  return new Failure("environment", `Cannot ${doing}: git grep failed`, {
    cause: new Error(said.slice(0, 1000)),
    remedy: "Look at the repo with git status",
  });
}

export function grepVerb(git: CallGit, root: string): GitGrep {
  const doing = `search the files of "${root}"`;

  async function untrackedPaths(paths: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    const args = ["ls-files", "--others", "--exclude-standard", "-z", "--", ...paths.map(gitPath)];
    await eachItem(git, { doing, args }, (item) => {
      const { path, usable } = listedPath(item);
      if (usable) found.push(path);
    });
    return found;
  }

  async function bothKinds(query: GrepQuery, dialect: GrepDialect): Promise<GrepMatches> {
    const { paths = [], glob } = query;
    const asked = glob === undefined ? () => true : pathGlob(glob);
    const plain = inPlainFolders(root);
    const fits = (path: string) => asked(path) && plain(path);
    if (query.file !== undefined) {
      return await searchOnce(git, doing, {
        query,
        dialect,
        paths: [query.file],
        fits,
        which: "named",
      });
    }
    // Below given paths the list is short and is made meanwhile; for the whole tree it may not be needed.
    const listed = paths.length === 0 ? undefined : untrackedPaths(paths);
    const [tracked] = await Promise.all([
      searchOnce(git, doing, { query, dialect, paths, fits, which: "tracked" }),
      listed,
    ]);
    if (tracked.noPerl || !tracked.complete) return tracked;
    // `--untracked` alone would leave out tracked files that an ignore rule names.
    const others = (await (listed ?? untrackedPaths(paths))).filter(fits);
    if (others.length === 0) return tracked;
    const known = new Set(others);
    const untracked = await searchOnce(git, doing, {
      query,
      dialect,
      which: "untracked",
      paths: others.length <= GREP_NAMED_PATHS && others.every(isGitPath) ? others : paths,
      fits: (path) => known.has(path),
    });
    const hits = [...tracked.hits, ...untracked.hits];
    return {
      hits: hits.slice(0, GREP_COUNTED),
      complete: untracked.complete && hits.length <= GREP_COUNTED,
    };
  }

  return {
    async grep(query) {
      if (/[\n\0]/.test(query.pattern)) {
        throw new Failure("usage", "Cannot search for a text of several lines", {
          remedy: "Search for one of its lines",
        });
      }
      if (query.fixed) return { ...await bothKinds(query, "--fixed-strings"), perl: true };
      const found = await bothKinds(query, "--perl-regexp");
      if (!found.noPerl) return { ...found, perl: true };
      return { ...await bothKinds(query, "--extended-regexp"), perl: false };
    },
  };
}
