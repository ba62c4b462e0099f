/** Names that both sides of the broker know: what may be asked of a folder, of git, and of svc's own state. */

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
  "log",
  "outgoing",
  "configGet",
  "commitsSince",
  "pathsSince",
  "changes",
  "changedWith",
  "lineTimes",
  "grep",
  "trackingOf",
] as const;

/** Files of svc's own in the git folder of a repo; nothing else there is reached by name. */
export const STATE_FILES: readonly string[] = ["svc-tickets.json"];

/** Settings of the user that a confined run may know; others hold tokens. */
export const USER_SETTINGS: readonly string[] = ["user.name", "user.email", "core.hooksPath"];
