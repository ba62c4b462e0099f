/** Lists the files below the home, with their sizes; links are counted as links, and not followed. */
import { Failure } from "svc/core/failure.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Home } from "svc/platform/home.ts";

export type LookPorts = { readonly files: Pick<Files, "list" | "stat">; readonly home: Home };

const JOB = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const JOB_FOLDER = new RegExp(`^${JOB}$`);
const JOB_TRACE = new RegExp(`^(${JOB})\\.jsonl$`);

/** Folders of `traces` whose entries are named by jobs; the others are of repos, and `logs`. */
const BY_JOB = ["outputs", "leftovers"];

export interface StoredFile {
  /** Below the home. */
  readonly path: string;
  readonly bytes: number;
  /** Epoch ms: the newest change of anything in it. */
  readonly changedAt: number;
}

export interface JobFiles {
  readonly job: string;
  readonly paths: readonly string[];
  readonly bytes: number;
  readonly changedAt: number;
}

async function entriesOf({ files, home }: LookPorts, path: string) {
  try {
    // All of them are listed: files beyond some bound would count for no limit, and never be removed.
    const { entries } = await files.list(`${home.root}/${path}`, Infinity);
    return entries;
  } catch (thrown) {
    // Another svc may remove it at this moment.
    if (Failure.from(thrown).code === "not_found") return [];
    throw thrown;
  }
}

/** Undefined for what is gone meanwhile. */
async function sized(ports: LookPorts, path: string): Promise<StoredFile | undefined> {
  const facts = await ports.files.stat(`${ports.home.root}/${path}`);
  if (facts === undefined) return undefined;
  let [bytes, changedAt] = [facts.kind === "folder" ? 0 : facts.size, facts.mtimeMs];
  if (facts.kind === "folder") {
    for (const { name } of await entriesOf(ports, path)) {
      const inner = await sized(ports, `${path}/${name}`);
      bytes += inner?.bytes ?? 0;
      changedAt = Math.max(changedAt, inner?.changedAt ?? 0);
    }
  }
  return { path, bytes, changedAt };
}

async function* pathsOfJobs(
  ports: LookPorts,
): AsyncGenerator<readonly [job: string, path: string]> {
  for (const folder of await entriesOf(ports, "traces")) {
    if (folder.kind !== "folder" || folder.name === "logs") continue;
    const names = BY_JOB.includes(folder.name) ? JOB_FOLDER : JOB_TRACE;
    for (const { name } of await entriesOf(ports, `traces/${folder.name}`)) {
      const [, trace = name] = names.exec(name) ?? [];
      if (names.test(name)) yield [trace, `traces/${folder.name}/${name}`];
    }
  }
}

/** The files of each job that has some. */
export async function filesOfJobs(ports: LookPorts): Promise<JobFiles[]> {
  const found = new Map<string, JobFiles>();
  for await (const [job, path] of pathsOfJobs(ports)) {
    const file = await sized(ports, path);
    if (file === undefined) continue;
    const { paths, bytes, changedAt } = found.get(job) ?? { paths: [], bytes: 0, changedAt: 0 };
    found.set(job, {
      job,
      paths: [...paths, path],
      bytes: bytes + file.bytes,
      changedAt: Math.max(changedAt, file.changedAt),
    });
  }
  return [...found.values()];
}

async function entriesIn(
  ports: LookPorts,
  folder: string,
  names: RegExp,
): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  for (const { name } of await entriesOf(ports, folder)) {
    if (!names.test(name)) continue;
    const file = await sized(ports, `${folder}/${name}`);
    if (file !== undefined) found.push(file);
  }
  return found;
}

export const commandLogs = (ports: LookPorts) => entriesIn(ports, "traces/logs", /\.log$/);

export const scanCaches = (ports: LookPorts) => entriesIn(ports, "cache/scan", /\.json$/);

/** What a killed push, write or backup left. */
export async function unfinishedFiles(ports: LookPorts): Promise<StoredFile[]> {
  const databases = (await entriesOf(ports, "db")).filter(({ kind }) => kind === "folder");
  const found = await Promise.all([
    entriesIn(ports, "traces", /^push-[0-9a-f]{16}$/),
    entriesIn(ports, "cache/scan", /^\.svc-tmp-[0-9a-f]{24}$/),
    ...databases.map(({ name }) => entriesIn(ports, `db/${name}`, /^\..+\.partial$/)),
  ]);
  return found.flat();
}
