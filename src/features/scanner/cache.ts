/** Cache of what earlier scans of a repo read, in the user's home; any fault in it means a full scan. */
import { sha256 } from "svc/core/digest.ts";
import { Failure } from "svc/core/failure.ts";
import { VERSION } from "svc/core/version.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Home } from "svc/platform/home.ts";
import type { ScannedFile } from "./facts.ts";
import { RULES } from "./rules/all.ts";

/** Largest cache of one repo; a larger one is rebuilt. */
const SCAN_CACHE_BYTES = 256 * 1024 * 1024;

/** Raise it when a scan reads other facts of a file, so that older facts are not used. */
const FACTS_FORMAT = 2;

export interface Churn {
  readonly head: string;
  /** UTC day; the window moves with the days. */
  readonly day: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly complete: boolean;
}

export interface CachedScan {
  readonly files: ReadonlyMap<string, readonly [identity: string, facts: ScannedFile]>;
  readonly churn: Churn | undefined;
}

interface StoredCache {
  readonly format: string;
  readonly churn?: Churn;
  readonly files: readonly (readonly [path: string, identity: string, facts: ScannedFile])[];
}

export interface ScanCache {
  load(): Promise<CachedScan>;
  save(remembered: CachedScan): Promise<void>;
}

const digestOf = (text: string) => sha256(new TextEncoder().encode(text));

const NOTHING: CachedScan = { files: new Map(), churn: undefined };

/**
 * The first line is the SHA-256 of the rest, which is JSON. Of two scans at a time the later one's
 * file stays. @param seed what else the facts depend on; another seed's cache is not used
 */
export async function scanCache(
  files: Pick<Files, "readText" | "writeAtomic" | "makeFolder">,
  { home, root, seed }: {
    readonly home: Pick<Home, "cache">;
    readonly root: string;
    readonly seed: string;
  },
): Promise<ScanCache> {
  const folder = `${home.cache}/scan`;
  const path = `${folder}/${(await digestOf(root)).slice(0, 12)}.json`;
  const rules = RULES.map(({ id }) => id).join(" ");
  const format = await digestOf([VERSION, FACTS_FORMAT, rules, root, seed].join("\0"));

  async function stored(): Promise<StoredCache | undefined> {
    try {
      const text = await files.readText(path, { maxBytes: SCAN_CACHE_BYTES });
      const cut = text.indexOf("\n");
      const json = text.slice(cut + 1);
      if (text.slice(0, Math.max(0, cut)) !== await digestOf(json)) return undefined;
      const value = JSON.parse(json) as StoredCache;
      return value.format === format ? value : undefined;
    } catch (thrown) {
      // A missing, truncated or foreign cache only costs one full scan.
      if (thrown instanceof Failure || thrown instanceof SyntaxError) return undefined;
      throw thrown;
    }
  }

  return {
    async load() {
      const value = await stored();
      if (value === undefined) return NOTHING;
      return {
        files: new Map(value.files.map(([path, identity, facts]) => [path, [identity, facts]])),
        churn: value.churn,
      };
    },
    async save({ files: known, churn }) {
      const value: StoredCache = {
        format,
        ...(churn && { churn }),
        files: Array.from(known, ([path, [identity, facts]]) => [path, identity, facts]),
      };
      const json = JSON.stringify(value);
      try {
        await files.makeFolder(folder);
        await files.writeAtomic(path, `${await digestOf(json)}\n${json}`);
      } catch (thrown) {
        // A full or read-only disk costs the next scan its time, and this one nothing.
        if (!(thrown instanceof Failure)) throw thrown;
      }
    },
  };
}
