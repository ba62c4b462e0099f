/**
 * Removes old files that belong to no job of this database: logs, caches, and files of jobs that no database
 * knows.
 */
import { Failure } from "svc/core/failure.ts";
import { knownAmong, logsOfChecks } from "svc/features/retention/ended_jobs.ts";
import type { RetentionPolicy } from "svc/features/retention/policy.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { databasePath } from "svc/store/database_path.ts";
import { openToRead } from "svc/store/open.ts";
import type { Db } from "svc/store/schema.ts";
import { type FilePorts, removeFiles } from "./job_files.ts";
import type { RetainedWhat, RetentionTally } from "./report.ts";
import {
  commandLogs,
  type JobFiles,
  scanCaches,
  type StoredFile,
  unfinishedFiles,
} from "./stored_files.ts";

/** A push or a backup takes minutes. */
const UNFINISHED_MS = 24 * 60 * 60 * 1000;

export type HomePorts =
  & Pick<FilePorts, "removeOwn">
  & Pick<RuntimePorts, "clock" | "files" | "home" | "log" | "signal">
  /** One that may lie elsewhere. */
  & { readonly db?: Db };

export interface HomePlan {
  readonly policy: RetentionPolicy;
  readonly now: number;
  readonly apply: boolean;
  readonly found: readonly JobFiles[];
}

export async function databasesIn(
  { files, home }: Pick<HomePorts, "files" | "home">,
): Promise<string[]> {
  const found = [`${home.sharedDb}/svc.db`];
  if (await files.stat(home.db) !== undefined) {
    // All of them: the files of jobs that an unread database knows would count as nobody's.
    const { entries } = await files.list(home.db, Infinity);
    found.push(...entries.map(({ name }) => `${home.db}/${name}/svc.db`));
  }
  const there = await Promise.all(found.map((path) => files.stat(path)));
  return found.filter((_, at) => there[at]?.kind === "file");
}

/** Which of these jobs and logs the databases of this home know. Undefined if one of them cannot be read. */
async function knownSomewhere(
  ports: HomePorts,
  jobs: readonly string[],
  logs: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const known = new Set<string>();
  const ask = async (db: Db) => {
    for (const job of (await knownAmong(db, jobs)).keys()) known.add(job);
    for (const log of await logsOfChecks(db, logs)) known.add(log);
  };
  if (ports.db !== undefined) await ask(ports.db);
  const own = ports.db && await databasePath(ports.db);
  for (const path of await databasesIn(ports)) {
    if (path === own) continue;
    try {
      // Works with any schema version: these columns have always existed.
      await using store = await openToRead(ports, path, { older: true });
      if (store !== undefined) await ask(store.db);
    } catch (thrown) {
      const { code, message } = Failure.from(thrown);
      try {
        ports.log.write("warn", `logs and files of unknown jobs are kept: ${message}`, {
          code,
          path,
        });
      } catch (unwritten) {
        // The disk may be full, which is why this runs, so the line may not fit either; what was removed so far
        // must still be reported.
        if (Failure.from(unwritten).code !== "environment") throw unwritten;
      }
      return undefined;
    }
  }
  return known;
}

async function removeOld(
  ports: HomePorts,
  tally: RetentionTally,
  what: RetainedWhat,
  { files, before, apply }: {
    readonly files: readonly StoredFile[];
    readonly before: number;
    readonly apply: boolean;
  },
): Promise<void> {
  for (const { path, bytes, changedAt } of files) {
    ports.signal.throwIfAborted();
    if (changedAt >= before) continue;
    const { files: count, bytes: freed } = apply
      ? await removeFiles(ports, tally, [path])
      : { files: 1, bytes };
    tally.add(what, "age", count, freed);
  }
}

export async function retainHome(
  ports: HomePorts,
  tally: RetentionTally,
  { policy, now, apply, found }: HomePlan,
): Promise<void> {
  const old = (what: RetainedWhat, keepMs: number, files: readonly StoredFile[]) =>
    removeOld(ports, tally, what, { files, before: now - keepMs, apply });
  await old("caches", policy.logsMs, await scanCaches(ports));
  await old("unfinished files", UNFINISHED_MS, await unfinishedFiles(ports));
  const logs = await commandLogs(ports);
  const at = (path: string) => `${ports.home.root}/${path}`;
  const known = await knownSomewhere(
    ports,
    found.map(({ job }) => job),
    logs.map(({ path }) => at(path)),
  );
  if (known === undefined) return;
  await old("command logs", policy.logsMs, logs.filter(({ path }) => !known.has(at(path))));
  for (const one of found) {
    if (known.has(one.job) || one.changedAt >= now - policy.strangeMs) continue;
    const { bytes } = apply ? await removeFiles(ports, tally, one.paths) : one;
    tally.add("job files", "age", 1, bytes);
  }
}
