/** What the runtime reaches; an entrance hands over the parts of its App and an open database. */
import type { Profile } from "svc/core/permission.ts";
import type { Redact } from "svc/core/redact.ts";
import type { CodeHostUrls } from "svc/features/access/code_host_access.ts";
import type { Config } from "svc/features/settings/config_file.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { Commits } from "svc/platform/git/commit.ts";
import type { Git } from "svc/platform/git/git.ts";
import type { Home } from "svc/platform/home.ts";
import type { Log } from "svc/platform/log.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { LockRepo } from "svc/platform/git/repo_lock.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { Parsers } from "svc/platform/tree_sitter.ts";
import type { Worktrees } from "svc/platform/git/worktrees.ts";
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
  /** The parser of source code; where it is absent, code is not parsed. */
  parsers?(): Promise<Parsers>;
  readonly log: Log;
  readonly redact: Redact;
  readonly signal: AbortSignal;
  settings(): Promise<Config>;
  readonly db: Db;
  /** GitHub, unless said otherwise. */
  readonly codeHost?: CodeHostUrls;
  /** What this process may do; the same for all its jobs. */
  readonly profile: Profile;
}

/** Before a database is open and a profile decided: what the main thread has while it prepares a run. */
export type PreparationPorts = Omit<RuntimePorts, "db" | "profile">;
