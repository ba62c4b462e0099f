/** The effects that the runtime uses; an entrance passes the parts of its App and an open database. */
import type { Profile } from "svc/core/permission.ts";
import type { Redact } from "svc/core/redact.ts";
import type { CodeHostUrls } from "svc/features/access/code_host_access.ts";
import type { OwnNode } from "svc/features/nodes/own_node.ts";
import type { Config } from "svc/features/settings/config_file.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { Commits } from "svc/platform/git/commit.ts";
import type { Git } from "svc/platform/git/git.ts";
import type { Home } from "svc/platform/home.ts";
import type { Log } from "svc/platform/log.ts";
import type { Identities } from "svc/platform/process/identity.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import type { LockRepo } from "svc/platform/git/repo_lock.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { Parsers } from "svc/platform/tree_sitter.ts";
import type { Worktrees } from "svc/platform/git/worktrees.ts";
import type { StorePorts } from "svc/store/store.ts";
import type { Db } from "svc/store/schema.ts";

export interface RuntimePorts extends Pick<Entrance, "env" | "fetch" | "load"> {
  readonly home: Home;
  readonly clock: Clock;
  readonly files: Files;
  readonly processes: Processes;
  readonly readTree: ReadTree;
  readonly git: Git;
  readonly commits: Commits;
  readonly worktrees: Worktrees;
  readonly lockRepo: LockRepo;
  folder(root: string): Promise<OpenFolder>;
  /** Without them, source code is not parsed. */
  parsers?(): Promise<Parsers>;
  readonly log: Log;
  readonly redact: Redact;
  readonly signal: AbortSignal;
  settings(): Promise<Config>;
  readonly db: Db;
  /** This machine in its team; undefined where the database is a file. */
  readonly node?: OwnNode;
  /** Without them, repos that are registered by a URL cannot be opened. */
  readonly remotes?: Remotes;
  /** In place of github.com's own addresses. */
  readonly codeHost?: CodeHostUrls;
  /** Holds for all jobs of the process. */
  readonly profile: Profile;
}

/** The ports of the main thread while it prepares a run: no database yet, and no profile. */
export type PreparationPorts = Omit<RuntimePorts, "db" | "profile"> & Pick<StorePorts, "servers">;

/** The ports of a process that owns jobs: it knows its own identity, and whether other owners are alive. */
export interface OwnerPorts extends RuntimePorts {
  readonly identities: Identities;
}

/** For what reads and writes the database. */
export type StoredPorts = Pick<RuntimePorts, "clock" | "db">;

/** For background work, which logs its failures and ends with the signal. */
export type LoopPorts = StoredPorts & Pick<RuntimePorts, "log" | "profile" | "signal">;

/** For a person who waits while all repos of a database are read: which one is being read. */
export interface ProgressPort {
  readonly progress?: { update(text: string): void };
}
