/** Reads the files that changed since the last scan, once for all rules and for secrets. */
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import type { DecodedText } from "svc/features/guardrails/decode_text.ts";
import { type FingerprintKey, withoutSecrets } from "svc/features/guardrails/fingerprint.ts";
import { type RawSecret, scanFile } from "svc/features/guardrails/scan_file.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { ReadTree } from "svc/platform/files/tree_reader.ts";
import type { ScannedFile } from "./facts.ts";
import { factsOf } from "./file_facts.ts";
import { FILE_RULES } from "./rules/all.ts";

/** File rules skip longer texts, which are data or generated. */
const SCAN_TEXT_BYTES = 1024 * 1024;

interface ReadPlan {
  readonly root: string;
  readonly paths: readonly string[];
  readonly key: FingerprintKey;
  readonly readTree: ReadTree;
  readonly clock: Pick<Clock, "processor">;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

function lineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

function factsIn(
  path: string,
  content: Uint8Array,
  text: DecodedText | undefined,
): ScannedFile {
  const bytes = content.length;
  if (text === undefined) return { bytes, lines: 0, noText: "binary" };
  if (bytes > SCAN_TEXT_BYTES) return { bytes, lines: lineFeeds(content) };
  return factsOf(path, { text: text.text(), bytes }, FILE_RULES);
}

/** Facts by path; a file that has vanished meanwhile has none. */
export async function readFiles(plan: ReadPlan): Promise<Map<string, ScannedFile>> {
  const { root, paths, key, readTree, clock, signal, progress } = plan;
  const facts = new Map<string, ScannedFile>();
  const found: { file: string; secret: RawSecret | Promise<RawSecret> }[] = [];
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
      if (typeof content === "string") {
        facts.set(path, { bytes: 0, lines: 0, noText: content });
        return;
      }
      const scan = scanFile({ path, bytes: content }, { now: () => clock.processor() });
      for (const secret of scan.hits) found.push({ file: path, secret });
      if (scan.unfinished !== undefined) found.push({ file: path, secret: scan.unfinished });
      facts.set(path, factsIn(path, content, scan.text));
    },
  );
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
