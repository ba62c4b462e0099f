/** Reads the files that changed since the last scan, once for all rules and for secrets. */
import { SECRET_FILE_BYTES } from "svc/core/bounds.ts";
import { decodeFile } from "svc/features/guardrails/decode_text.ts";
import { type FingerprintKey, withoutSecrets } from "svc/features/guardrails/fingerprint.ts";
import { scanText } from "svc/features/guardrails/scan_text.ts";
import { allRules } from "svc/features/guardrails/secret_scan.ts";
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
  readonly clock: Pick<Clock, "monotonic">;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

function lineFeeds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

/** Facts by path; a file that has vanished meanwhile has none. */
export async function readFiles(plan: ReadPlan): Promise<Map<string, ScannedFile>> {
  const { root, paths, key, readTree, clock, signal, progress } = plan;
  const facts = new Map<string, ScannedFile>();
  const found: { path: string; rule: string; line: number; secret: string }[] = [];
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
      const bytes = content.length;
      const decoded = decodeFile(content);
      if (decoded === undefined) {
        facts.set(path, { bytes, lines: 0, noText: "binary" });
        return;
      }
      const { hits } = scanText(decoded, allRules(), { path, now: () => clock.monotonic() });
      for (const { rule, line, secret } of hits) {
        found.push({ path, rule: rule.id, line, secret });
      }
      facts.set(
        path,
        bytes > SCAN_TEXT_BYTES
          ? { bytes, lines: lineFeeds(content) }
          : factsOf(path, { text: decoded.text(), bytes }, FILE_RULES),
      );
    },
  );
  const byPath = Map.groupBy(await withoutSecrets(found, key), ({ path }) => path);
  for (const [path, secrets] of byPath) {
    facts.set(path, {
      ...facts.get(path)!,
      secrets: secrets.map(({ path: _, ...secret }) => secret),
    });
  }
  return facts;
}
