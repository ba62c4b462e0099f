/** Reads the files that changed since the last scan, once for all rules and for secrets. */
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { type FingerprintKey, withoutSecrets } from "svc/features/guardrails/fingerprint.ts";
import type { RawSecret } from "svc/features/guardrails/scan_file.ts";
import { type Clock, threadTime } from "svc/platform/clock.ts";
import type { BareWorkers } from "svc/platform/confined/bare_worker.ts";
import { FileWorkers } from "svc/platform/confined/file_workers.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { ScannedFile } from "./facts.ts";
import { type FactsTask, lookAtFile, type LookedFile, readLooked } from "./look_at_file.ts";

interface ReadPlan {
  readonly root: string;
  readonly paths: readonly string[];
  readonly key: FingerprintKey;
  readonly readTree: ReadTree;
  readonly clock: Pick<Clock, "processor" | "monotonic">;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  /** Look at files too, where there are many. */
  readonly workers?: BareWorkers;
}

/** Facts by path; a file that has vanished meanwhile has none. */
export async function readFiles(plan: ReadPlan): Promise<Map<string, ScannedFile>> {
  const { root, paths, key, readTree, clock, signal, progress, workers } = plan;
  const facts = new Map<string, ScannedFile>();
  const found: { file: string; secret: RawSecret | Promise<RawSecret> }[] = [];
  const now = threadTime(clock);
  const settings: FactsTask = { task: "facts" };
  using files = new FileWorkers<LookedFile>({
    settings,
    look: (path, bytes) => lookAtFile(path, bytes, { now }),
    read: readLooked,
    take(path, { facts: one, hits, unfinished }) {
      facts.set(path, one);
      for (const secret of hits) found.push({ file: path, secret });
      if (unfinished !== undefined) found.push({ file: path, secret: unfinished });
    },
  }, workers);
  files.expect(paths.length);
  await readTree(
    {
      root,
      paths,
      maxBytes: SECRET_FILE_BYTES,
      signal,
      progress: (done) => progress(`reading ${done} of ${paths.length} files`),
    },
    (path, content) => {
      if (content === "missing") return;
      if (typeof content !== "string") files.look(path, content);
      else files.tell(path, { facts: { bytes: 0, lines: 0, noText: content }, hits: [] });
    },
  );
  await files.end();
  const secrets = await Promise.all(
    found.map(async ({ file, secret }) => {
      const { path: _name, column: _column, ...rest } = await secret;
      return { ...rest, path: file };
    }),
  );
  const byPath = Map.groupBy(await withoutSecrets(secrets, key), ({ path }) => path);
  for (const [path, secrets] of byPath) {
    facts.set(path, {
      ...facts.get(path)!,
      secrets: secrets.map(({ path: _, ...secret }) => secret),
    });
  }
  return facts;
}
