/** Reads a repo with git: nothing that the repo contains is executed, and nothing is written. */
import { GIT_LOG_COMMITS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { gitKey, gitObjectId, gitPath, gitRef } from "svc/core/git_args.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { together } from "svc/core/together.ts";
import { eachStretch, items, refuseTooMany } from "./answers.ts";
import { branchVerbs, type GitBranch } from "./branch.ts";
import { type CallGit, driversOf, type GitCall, gitIn, type GitRunner, runGit } from "./call.ts";
import { diffVerbs, type GitDiff, refuseUnknownCommit } from "./diff.ts";
import { type GitGrep, grepVerb } from "./grep.ts";
import { knownVersion, refuseOldGit, rememberVersion, versionIn } from "./git_version.ts";
import type { GitLocation } from "./hardening.ts";
import { askedTip, branchOf } from "./head.ts";
import { type GitHistory, historyVerbs } from "./history.ts";
import { leftOut } from "./index_flags.ts";
import {
  BatchBlobs,
  type Blob,
  indexEntriesIn,
  type IndexEntry,
  listedPath,
  listedPaths,
  type Outgoing,
  outgoingItem,
  type PathListing,
  pathListing,
  stagedPaths,
  type Status,
  statusOf,
} from "./output.ts";
import { type GitOperation, operationOf } from "./operation.ts";
import { findPlace } from "./place.ts";
import { type GitReleases, releaseVerbs } from "./releases.ts";
import { type GitTracking, trackingVerbs } from "./tracking.ts";
import { belowHome, type EnvVariables, userSetting } from "./user.ts";
import { type GitWordCounts, wordCountsVerb } from "./word_counts.ts";
import type { Processes } from "svc/platform/process/process.ts";

export type { Blob, Status, StatusChange } from "./output.ts";
export type { GitOperation } from "./operation.ts";

/** Blobs are visited one at a time. */
const GIT_BLOB_BYTES = 4 * 1024 * 1024;

export interface Commit {
  readonly id: string;
  readonly author: string;
  readonly email: string;
  /** Epoch ms. */
  readonly authored_at: number;
  readonly subject: string;
}

interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Another index than the repo's own, below the git folder; relative to the work tree. */
  readonly index?: string;
  /** The caller can do other work while git runs. */
  readonly onAsked?: () => void;
}

/** Any verb may throw Failure `environment`, `refused`, or `usage` for a bad value. */
export interface GitRepo
  extends
    GitLocation,
    GitBranch,
    GitDiff,
    GitGrep,
    GitHistory,
    GitReleases,
    GitTracking,
    GitWordCounts {
  /** When the repo was opened; undefined when HEAD is detached. */
  readonly branch: string | undefined;
  readonly operation: GitOperation | undefined;
  branchNow(): Promise<string | undefined>;
  operationNow(): Promise<GitOperation | undefined>;
  /** Those of the folders that a sparse checkout leaves out, as a whole or in part. */
  leftOut(folders: readonly string[]): Promise<readonly string[]>;
  trackedFiles(): Promise<PathListing>;
  /** Tracked files, then untracked ones that are not ignored. */
  listFiles(): Promise<PathListing>;
  /** Added, copied or modified; before the first commit, all of them. */
  stagedFiles(): Promise<PathListing>;
  indexEntries(): Promise<readonly IndexEntry[]>;
  /** In the order given; git waits while the visitor works. */
  catFiles(
    oids: readonly string[],
    visit: (blob: Blob) => void | Promise<void>,
    maxBytes?: number,
  ): Promise<void>;
  status(): Promise<Status>;
  /** Newest first; empty before the first commit. @throws Failure `environment` for an unknown `ref` */
  log(query?: { max?: number; ref?: string; paths?: readonly string[] }): Promise<Commit[]>;
  /** Blobs in these commits that no branch of the remote has, each with one of its paths. */
  outgoing(tips: readonly string[], remote: string): Promise<readonly Outgoing[]>;
  /** Commits that no branch of the remote has, and annotated tags among the tips. */
  outgoingMessages(tips: readonly string[], remote: string): Promise<readonly string[]>;
  /** A path below the user's home is whole. */
  configGet(key: string): Promise<string | undefined>;
  /** Those of all its remotes, to fetch from and to push to. */
  remoteUrls(): Promise<readonly string[]>;
}

export interface Git {
  /** Such as "2.39.5". @throws Failure `environment` when git is missing or cannot say */
  version(): Promise<string>;
  /** `path` is any folder in the work tree. @throws Failure `environment` for no repo or an old git, `refused`
   * when the repo points elsewhere than at itself */
  open(path: string, options?: OpenOptions): Promise<GitRepo>;
  /** Never a repo's own; svc's other calls ignore these. */
  userSetting(key: string): Promise<string | undefined>;
}

const NO_PROGRAMS = ["--no-ext-diff", "--no-textconv", "--no-color"];
/** The one setting that svc asks of a repo and git reads as a path. */
const PATH_KEY = /^core\.hookspath$/i;
const NO_SUBMODULES = "--ignore-submodules=dirty";

async function versionOf(runner: GitRunner, place?: GitLocation): Promise<string> {
  const { stdout } = await runGit(runner, place, {
    doing: "ask git for its version",
    args: ["--version"],
  });
  const version = versionIn(capturedText(stdout));
  if (version !== undefined) return version;
  throw new Failure("environment", "Cannot tell the version of git", { remedy: "git --version" });
}

/** Has the settings read, which tell the version besides. @throws as `Git.open` */
async function refuseUnusable(runner: GitRunner, place: GitLocation): Promise<void> {
  const [settings] = await Promise.allSettled([driversOf(runner, place)]);
  // An old git may not know what it was asked.
  const version = knownVersion(runner) ?? await versionOf(runner, place);
  rememberVersion(runner, version);
  refuseOldGit(version);
  if (settings.status === "rejected") throw settings.reason;
}

async function listing<T>(
  git: CallGit,
  call: GitCall,
  read: (stretch: Uint8Array) => T[],
): Promise<T[]> {
  const found: T[] = [];
  await eachStretch(git, call, (stretch) => {
    for (const item of read(stretch)) found.push(item);
    refuseTooMany(call.doing, found);
  });
  return found;
}

async function log(
  git: CallGit,
  doing: string,
  { max = GIT_LOG_COMMITS, ref = "HEAD", paths = [] }: Parameters<GitRepo["log"]>[0] & object,
): Promise<Commit[]> {
  const count = `--max-count=${Math.max(0, Math.min(Math.trunc(max), GIT_LOG_COMMITS))}`;
  const fields = await items(git, {
    doing,
    args: [
      ...["log", "-z", "--format=%H%x00%an%x00%ae%x00%at%x00%s", "--encoding=UTF-8", count],
      ...["--no-decorate", "--no-show-signature", "--no-patch", ...NO_PROGRAMS],
      ...["--end-of-options", `${gitRef(ref)}^{commit}`, "--", ...paths.map(gitPath)],
    ],
  }, (item) => new TextDecoder().decode(item)).catch(async (thrown) => {
    // Only git's text tells that there is no commit yet, so this is asked for separately.
    if (ref === "HEAD" && await askedTip(git, doing) === undefined) return [];
    if (ref !== "HEAD") await refuseUnknownCommit(git, doing, ref);
    throw thrown;
  });
  const commits: Commit[] = [];
  for (let at = 0; at + 4 < fields.length; at += 5) {
    const [id = "", author = "", email = "", seconds = "", subject = ""] = fields.slice(at, at + 5);
    commits.push({ id, author, email, authored_at: Number(seconds) * 1000, subject });
  }
  return commits;
}

async function catFiles(
  git: CallGit,
  doing: string,
  ...[oids, visit, maxBytes = GIT_BLOB_BYTES]: Parameters<GitRepo["catFiles"]>
): Promise<void> {
  if (oids.length === 0) return;
  const batch = new BatchBlobs(maxBytes);
  await git({
    doing,
    args: ["cat-file", "--batch", "--buffer"],
    stdin: new TextEncoder().encode(oids.map((oid) => `${gitObjectId(oid)}\n`).join("")),
    maxOutputBytes: 4096,
    async onOutput(chunk, stream) {
      if (stream === "stderr") return;
      for (const blob of batch.push(chunk)) await visit(blob);
    },
  });
}

function verbs(
  git: CallGit,
  place: GitLocation,
  env: EnvVariables,
): Omit<GitRepo, keyof GitLocation | "branch" | "operation"> {
  const { root } = place;
  const files = `list the files of "${root}"`;
  const newTo = (remote: string, what: readonly string[], tips: readonly string[]): GitCall => {
    // A push to a URL has no tracking branches: objects of every remote are then left out.
    const known = /^[\w.-]+$/.test(remote) ? `--remotes=${remote}` : "--remotes";
    const doing = `list what is new in "${root}"`;
    return {
      doing,
      args: ["rev-list", ...what, "--not", known, "--not", ...tips.map(gitObjectId)],
    };
  };
  const indexEntries = () =>
    listing(git, { doing: files, args: ["ls-files", "--stage", "-z"] }, indexEntriesIn);
  const tracked = async () => (await indexEntries()).filter(({ mode }) => mode !== "160000");
  return {
    ...diffVerbs(git, root),
    ...branchVerbs(git, place),
    ...grepVerb(git, root),
    ...wordCountsVerb(git, root),
    ...historyVerbs(git, root),
    ...releaseVerbs(git, root),
    ...trackingVerbs(git, root),
    branchNow: () => branchOf(git, place),
    operationNow: () => operationOf(git, place),
    indexEntries,
    leftOut: (folders) => leftOut(git, place, folders),
    trackedFiles: async () => pathListing(await tracked()),
    async listFiles() {
      const args = ["ls-files", "--others", "--exclude-standard", "-z"];
      const index = ["ls-files", "--stage", "-z"];
      const [known, others] = await Promise.all([
        listing(git, { doing: files, args: index }, stagedPaths),
        listing(git, { doing: files, args }, listedPaths),
      ]);
      return pathListing([...known, ...others]);
    },
    async stagedFiles() {
      const args = [
        ...["diff", "--cached", "--name-only", "-z", "--diff-filter=ACMR", "--no-renames"],
        ...[...NO_PROGRAMS, "--ignore-submodules=all", "--"],
      ];
      return pathListing(await items(git, { doing: files, args }, listedPath));
    },
    catFiles: (...query) => catFiles(git, `read objects of "${root}"`, ...query),
    async status() {
      const args = [
        ...["status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--no-ahead-behind"],
        ...["--untracked-files=all", NO_SUBMODULES],
      ];
      const doing = `read the status of "${root}"`;
      return statusOf(await items(git, { doing, args }, (item) => item));
    },
    async outgoing(tips, remote) {
      if (tips.length === 0) return [];
      const blobs = ["--objects", "--filter=object:type=blob", "--filter-provided-objects"];
      const found = await items(git, newTo(remote, blobs, tips), outgoingItem, "LF");
      return found.filter((item) => item !== undefined);
    },
    async outgoingMessages(tips, remote) {
      if (tips.length === 0) return [];
      const id = (line: Uint8Array) => new TextDecoder().decode(line);
      const commits = await items(git, newTo(remote, [], tips), id, "LF");
      return [...new Set([...commits, ...tips.map(gitObjectId)])];
    },
    log: (query = {}) => log(git, `read the history of "${root}"`, query),
    async configGet(key) {
      const { code, stdout } = await git({
        doing: `read the git settings of "${root}"`,
        args: ["config", "--local", "--includes", "-z", "--get", gitKey(key)],
        answers: [0, 1],
      });
      if (code === 1) return undefined;
      const value = capturedText(stdout).replace(/\0$/, "");
      return PATH_KEY.test(key) ? belowHome(value, env) : value;
    },
    async remoteUrls() {
      const named = "^remote\\..*\\.(url|pushurl)$";
      const { stdout } = await git({
        doing: `read the git settings of "${root}"`,
        args: ["config", "--local", "--includes", "-z", "--get-regexp", named],
        answers: [0, 1],
      });
      // `name LF value NUL`
      return capturedText(stdout).split("\0").flatMap((item) => /\n([^]*)/.exec(item)?.[1] ?? []);
    },
  };
}

async function indexIn(place: GitLocation, named: string): Promise<string> {
  const path = named.startsWith("/") ? named : `${place.root}/${named}`;
  const cut = path.lastIndexOf("/");
  const folder = await Deno.realPath(path.slice(0, cut)).catch(() => undefined);
  const inside = folder === place.gitDir || folder?.startsWith(`${place.gitDir}/`);
  if (inside) return `${folder}${path.slice(cut)}`;
  throw new Failure("refused", `Cannot use the index ${JSON.stringify(named)}: it lies elsewhere`, {
    remedy: "Unset GIT_INDEX_FILE",
  });
}

/** PATH of `env` finds git, never inside the repo. */
export function gitOver(processes: Processes, env: EnvVariables): Git {
  return {
    version: () => versionOf({ processes, env }),
    userSetting: (key) => userSetting(processes, env, key),
    async open(folder, { signal, index, onAsked } = {}) {
      const runner: GitRunner = { processes, env, ...(signal && { signal }) };
      const found = await findPlace(folder, async (candidate) => {
        const { code, stdout } = await runGit(runner, candidate, {
          doing: `read the git settings in "${candidate.gitDir}"`,
          args: ["config", "-z", "--get", "core.worktree"],
          answers: [0, 1],
        });
        return code === 1 ? undefined : capturedText(stdout).replace(/\0$/, "");
      });
      const place = index === undefined ? found : { ...found, index: await indexIn(found, index) };
      const git = gitIn(runner, place);
      const asked = [
        refuseUnusable(runner, place),
        branchOf(git, place),
        operationOf(git, place),
      ] as const;
      onAsked?.();
      const [, branch, operation] = await together(...asked);
      return {
        ...place,
        branch,
        operation,
        ...verbs(git, place, env),
      };
    },
  };
}
