/** Names that both sides of the broker use: verbs of folders and git, svc's own files, user settings. */

export const FOLDER_READS = ["read", "stat", "list"] as const;
export const FOLDER_WRITES = ["write", "makeFolder", "remove", "rename"] as const;
export const GIT_READS = [
  "branchNow",
  "operationNow",
  "trackedFiles",
  "listFiles",
  "stagedFiles",
  "indexEntries",
  "status",
  "diff",
  "diffPaths",
  "forkFrom",
  "log",
  "outgoing",
  "outgoingMessages",
  "configGet",
  "remoteUrls",
  "commitsSince",
  "commitsUnpushed",
  "pathsSince",
  "filesAt",
  "mergeBase",
  "forkPoint",
  "changes",
  "changedWith",
  "recentCommits",
  "subjectsByPath",
  "lineTimes",
  "fullCommits",
  "tags",
  "isShallow",
  "lastChange",
  "grep",
  "wordCounts",
  "trackedAmong",
  "trackingOf",
  "leftOut",
] as const;

/** svc's own files in the git folder of a repo; a Worker reaches no other file there. */
export const STATE_FILES: readonly string[] = ["svc-tickets.json"];

/** Git settings of the user that a confined run may read; others may hold tokens. */
export const USER_SETTINGS: readonly string[] = ["user.name", "user.email", "core.hooksPath"];
