/** Counts words in the files of a work tree, all words in one pass of `git grep`. */
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { eachItem } from "./answers.ts";
import type { CallGit } from "./call.ts";
import { Items, listedPath } from "./output.ts";
import { inPlainFolders } from "./plain_folders.ts";

/** Some 0.3 s of reading; words that are this common tell nothing. */
const GIT_WORD_MATCHES = 400_000;

/** Lines of one file with a match: more of them change no ranking. */
const GIT_WORD_LINES = 100;

interface WordCounts {
  /** By path, how often each word occurs; files without any are left out. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** False when the rest was not looked at: files late in git's order may be missing. */
  readonly complete: boolean;
}

export interface GitWordCounts {
  /**
   * In text files that are not ignored, tracked or not; no submodules. `words` are in lower case;
   * each also counts within longer words.
   */
  wordCounts(words: readonly string[]): Promise<WordCounts>;
}

class Enough extends Error {}

/** `path NUL match LF`, of `git grep --only-matching --null`. */
class MatchReader {
  readonly counts = new Map<string, Map<string, number>>();
  matches = 0;
  readonly #words: readonly string[];
  readonly #fits: (path: string) => boolean;
  readonly #lines = new Items("LF");
  readonly #decoder = new TextDecoder();
  /** The file of the match before, since matches of a file follow each other. */
  #file: { readonly name: Uint8Array; readonly counts: Map<string, number> | undefined } = {
    name: new Uint8Array(0),
    counts: undefined,
  };

  constructor(words: readonly string[], fits: (path: string) => boolean) {
    this.#words = words;
    this.#fits = fits;
  }

  push(chunk: Uint8Array): void {
    for (const line of this.#lines.push(chunk)) this.#take(line);
    if (this.matches > GIT_WORD_MATCHES) throw new Enough();
  }

  #take(line: Uint8Array): void {
    const end = line.lastIndexOf(0);
    if (end === -1) return;
    const counts = this.#countsOf(line.subarray(0, end));
    if (counts === undefined) return;
    this.matches++;
    const found = this.#decoder.decode(line.subarray(end + 1)).toLowerCase();
    for (const word of this.#words) {
      if (found.includes(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }

  #countsOf(name: Uint8Array): Map<string, number> | undefined {
    const before = this.#file.name;
    if (name.length === before.length && name.every((byte, at) => byte === before[at])) {
      return this.#file.counts;
    }
    const { path, usable } = listedPath(name);
    const counts = usable && this.#fits(path) ? new Map<string, number>() : undefined;
    if (counts !== undefined) this.counts.set(path, counts);
    this.#file = { name, counts };
    return counts;
  }
}

const literal = (word: string) => word.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&");

const NO_PERL = /Perl-compatible regex[^\n]{0,80}(?:not compiled|USE_LIBPCRE)/;

export function wordCountsVerb(git: CallGit, root: string): GitWordCounts {
  const doing = `count words in the files of "${root}"`;

  async function untracked(): Promise<ReadonlySet<string>> {
    const found = new Set<string>();
    await eachItem(
      git,
      { doing, args: ["ls-files", "--others", "--exclude-standard", "-z"] },
      (item) => {
        const { path, usable } = listedPath(item);
        if (usable) found.add(path);
      },
    );
    return found;
  }

  /** False when there were too many matches. */
  async function read(
    reader: MatchReader,
    { words, which }: { readonly words: readonly string[]; readonly which: readonly string[] },
    dialect = "--perl-regexp",
  ): Promise<boolean> {
    try {
      const { code, stderr } = await git({
        doing,
        args: [
          ...["grep", "-I", "--null", "--only-matching", "--ignore-case", "--full-name"],
          ...["--no-color", "--no-textconv", "--no-recurse-submodules", "--threads=4", dialect],
          ...[
            `--max-count=${GIT_WORD_LINES}`,
            ...which,
            "-e",
            `(${words.map(literal).join("|")})`,
            "--",
          ],
        ],
        answers: [0, 1, 128],
        maxOutputBytes: 4096,
        onOutput: (chunk, stream) => stream === "stderr" ? undefined : reader.push(chunk),
      });
      const said = capturedText(stderr);
      if (code !== 128) return true;
      if (dialect === "--perl-regexp" && NO_PERL.test(said)) {
        return await read(reader, { words, which }, "--extended-regexp");
      }
      throw new Failure("environment", `Cannot ${doing}: git grep failed`, {
        cause: new Error(said.slice(0, 1000)),
        remedy: "Look at the repo with git status",
      });
    } catch (thrown) {
      if (!(thrown instanceof Enough)) throw thrown;
      return false;
    }
  }

  return {
    async wordCounts(asked) {
      // The longest first, since the first that fits is what a regex takes.
      const words = [...new Set(asked)].filter((word) => word !== "" && !/\p{Cc}/u.test(word))
        .sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
      if (words.length === 0) return { counts: new Map(), complete: true };
      const tracked = new MatchReader(words, inPlainFolders(root));
      const [whole, others] = await Promise.all([
        read(tracked, { words, which: [] }),
        untracked(),
      ]);
      if (!whole || others.size === 0) return { counts: tracked.counts, complete: whole };
      // `--untracked` alone would leave out tracked files that an ignore rule names.
      const rest = new MatchReader(words, (path) => others.has(path));
      const complete = await read(rest, { words, which: ["--untracked", "--exclude-standard"] });
      return { counts: new Map([...tracked.counts, ...rest.counts]), complete };
    },
  };
}
