/** Turns SQLite's errors about a file into Failures; errors of a statement stay as they are. */
import { Failure, type FailureCode } from "svc/core/failure.ts";
import { duration } from "svc/core/time.ts";
import { DB_BUSY_MS } from "svc/core/bounds.ts";
import { DatabaseFailure } from "./database_failure.ts";

interface SqliteReason {
  readonly code: FailureCode;
  readonly why: string;
  /** `%` stands for the quoted path. */
  readonly remedy: string;
}

const LOCKED: SqliteReason = {
  code: "conflict",
  why: `another process has held it locked for ${duration(DB_BUSY_MS)}`,
  remedy: "Wait for it to finish, or find it: fuser -v %",
};
/** SQLite would write the log of the old file into the backup, and so damage that too. */
const RESTORE =
  "move it away with its -wal and -shm, and put its newest backup in its place: ls -t %.backup-*";
const DAMAGED: SqliteReason = {
  code: "environment",
  why: "it is damaged",
  remedy: `Stop svc, ${RESTORE}`,
};
const UNWRITABLE: SqliteReason = {
  code: "environment",
  why: "it cannot be opened for writing",
  remedy: "Check owner and mode of the file and its folder: ls -la %",
};

const FULL = 13;

/** Keyed by the primary result code (sqlite.org/rescode.html). */
const REASONS: Readonly<Record<number, SqliteReason>> = {
  3: UNWRITABLE,
  5: LOCKED,
  6: LOCKED,
  8: UNWRITABLE,
  10: {
    code: "environment",
    why: "the disk reported an error",
    // A limit of file sizes is such an error too (sqlite.org/rescode.html#ioerr_write).
    remedy: "Check the disk: dmesg | tail; and that files may grow: ulimit -f",
  },
  11: DAMAGED,
  [FULL]: {
    code: "environment",
    why: "the disk is full",
    remedy: "Free space on that disk, then run the command again: df -h %",
  },
  14: UNWRITABLE,
  26: {
    code: "usage",
    why: "it is not a SQLite database",
    remedy: `If svc made it, it is damaged: ${RESTORE}; else name a database of svc, or a path ` +
      "where there is no file yet",
  },
};

/** No room for the index of the write-ahead log, with which even reading begins: SQLITE_IOERR_SHMSIZE. */
const NO_SHM = 4874;

/** node:sqlite leaves the code out when a file cannot be opened. */
function resultCode(thrown: Error): number | undefined {
  if ("errcode" in thrown && typeof thrown.errcode === "number") {
    return thrown.errcode === NO_SHM ? FULL : thrown.errcode & 0xff;
  }
  if (thrown.message.startsWith("unable to open database file")) return 14;
  return thrown.message.startsWith("database is locked") ? 5 : undefined;
}

/** The file changed since the transaction read it: SQLITE_BUSY_SNAPSHOT. */
const STALE = 517;

export function isBusy(thrown: unknown, inTransaction: boolean): boolean {
  if (!(thrown instanceof Error) || resultCode(thrown) !== 5) return false;
  return !(inTransaction && "errcode" in thrown && thrown.errcode === STALE);
}

/** SQLite itself writes on, to a file that nobody will open again. */
export function goneFailure(path: string, how: "missing" | "replaced"): Failure {
  const shown = JSON.stringify(path);
  const why = how === "missing" ? "it was moved or removed" : "another file was put in its place";
  return new DatabaseFailure("environment", `Cannot use the database ${shown}: ${why}`, {
    remedy: "Put it back, with the -wal file beside it, or stop svc and start it again",
    waits: true,
  });
}

/** An error that the file did not cause, such as a broken constraint, is returned as it is. */
export function sqliteFailure(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof Error) || thrown instanceof Failure) return thrown;
  const reason = REASONS[resultCode(thrown) ?? 0];
  if (reason === undefined) return thrown;
  const shown = JSON.stringify(path);
  return new DatabaseFailure(reason.code, `Cannot use the database ${shown}: ${reason.why}`, {
    cause: thrown,
    remedy: reason.remedy.replaceAll("%", shown),
  });
}
