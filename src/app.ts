/** The ports and settings that a command works with; `wire.ts` builds them. */
import type { Redact } from "svc/core/redact.ts";
import type { Config } from "svc/features/settings/config_file.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { RemoveOwn } from "svc/platform/files/remove_below.ts";
import type { Git } from "svc/platform/git/git.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import type { Commits } from "svc/platform/git/commit.ts";
import type { Home } from "svc/platform/home.ts";
import type { Log } from "svc/platform/log.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import type { OpenSandbox, Processes } from "svc/platform/process/process.ts";
import type { ConfirmPrompt } from "svc/platform/prompt.ts";
import type { LockRepo } from "svc/platform/git/repo_lock.ts";
import type { Terminal } from "svc/platform/terminal.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { Confinement } from "svc/runtime/start/confinement.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import type { Servers } from "svc/store/store.ts";
import type { Parsers } from "svc/platform/tree_sitter.ts";
import type { Worktrees } from "svc/platform/git/worktrees.ts";

/** What is at work while something takes long: redrawn on a terminal, now and then a line elsewhere. */
export interface Progress {
  update(text: string): void;
  /** Call it before anything else is printed. */
  done(): void;
}

export interface App extends Entrance {
  /** @throws Failure `environment` on first use when no home can be named */
  readonly home: Home;
  readonly clock: Clock;
  readonly files: Files;
  readonly processes: Processes;
  /** A confined Worker opens none: its broker contains what it starts. */
  readonly sandbox: OpenSandbox;
  readonly identities: Identities;
  readonly readTree: ReadTree;
  readonly git: Git;
  /** Commits of svc's own in a target repo; needs `lockRepo`. */
  readonly commits: Commits;
  readonly lockRepo: LockRepo;
  /** Work trees below `home.worktrees`, and merges; needs `lockRepo` for what changes. */
  readonly worktrees: Worktrees;
  /** Clones of repos that are registered by a URL, and their pushes. */
  readonly remotes: Remotes;
  /** Bytes that may still be written where work trees lie. */
  diskFree(): Promise<number>;
  /** Opens a target repo as a contained folder; a confined Worker may open only its own repos. */
  folder(root: string): Promise<OpenFolder>;
  /** Old evidence and caches in the home, without following a link. */
  readonly removeOwn: RemoveOwn;
  parsers(): Promise<Parsers>;
  readonly log: Log;
  readonly redact: Redact;
  readonly progress: Progress;
  /** Used through `cli/ask.ts`, which knows when nobody can be asked. */
  readonly prompt: ConfirmPrompt;
  readonly terminal: Terminal;
  readonly servers: Servers;
  /** For the database server that `confine` named; set in a confined Worker only. */
  readonly serverLogin?: ServerLogin;
  /** This machine in its team; set in a confined Worker with such a server only. */
  readonly node?: OwnNode;
  /** The database that `confine` named; set in a confined Worker only. */
  readonly database?: string;
  /** All that `confine` returned; set in a confined Worker only. */
  readonly confinement?: Confinement;
  readonly signal: AbortSignal;
  /** Aborted by the second, in a command that serves. */
  readonly hurry: AbortSignal;
  /** @throws Failure `environment` when the file is not valid */
  settings(): Promise<Config>;
  close(): void;
}
