/** What a case of `make replay` says of a real project, one of its fixes, and the person who has it. */

/** Two neighbouring versions of an npm package whose tarball holds its tests. */
export interface NpmSource {
  readonly npm: string;
  readonly from: string;
  readonly to: string;
}

/** A Debian source package, and the one of its patches that is the fix; those before it are applied. */
export interface DebianSource {
  readonly debian: string;
  readonly patch: string;
}

export interface ReplayCase {
  readonly name: string;
  /** What it has that other cases have not. */
  readonly kind: string;
  readonly source: NpmSource | DebianSource;
  /** Folder of the project in the repo; the root unless given. */
  readonly folder?: string;
  /** Another package of the same repo, as it was published. */
  readonly beside?: { readonly npm: string; readonly version: string; readonly folder: string };
  /** Programs, or whole commands, that must work; without them the case is skipped. */
  readonly needs: readonly string[];
  /** npm packages whose programs are put on PATH, as a person would install them. */
  readonly tools?: readonly string[];
  /** Files, or folders that end with a slash: what the model changes. */
  readonly fix: readonly string[];
  /** Those of `fix` that are its tests. Alone they make `test` fail. */
  readonly proof: readonly string[];
  /** What the author's repo has and the published files have not, by path. */
  readonly added?: Readonly<Record<string, string>>;
  readonly dropped?: readonly string[];
  /** Committed with CRLF, as by an author on Windows. */
  readonly crlf?: true;
  /** Its files hold what looks like secrets: the person lists them as known before svc begins. */
  readonly knownSecrets?: true;
  /** A folder that is a repo of its own. */
  readonly submodule?: string;
  /** What the person did after the clone, such as `npm install`. */
  readonly prepare: readonly (readonly string[])[];
  /** The project's own test command. */
  readonly test: readonly string[];
  readonly ticket: { readonly title: string; readonly context: string; readonly accept: string };
}
