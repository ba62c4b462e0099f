/** Reads from git's history what rules need: churn by path and the age of TODOs. Both are cached. */
import { Failure } from "svc/core/failure.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import type { Churn } from "./cache.ts";
import type { ScannedFile } from "./facts.ts";
import type { ListedFile } from "./listed.ts";
import { CHURN_DAYS, DAY_MS } from "./rule.ts";

interface HistoryPlan {
  readonly repo: Pick<GitRepo, "changes" | "lineTimes">;
  readonly now: number;
  readonly progress: (text: string) => void;
  readonly blamedFiles: number;
}

const sinceOf = (now: number) => now - CHURN_DAYS * DAY_MS;

/** Git is asked once per day and commit. */
export async function churnOf(
  { repo, now }: HistoryPlan,
  head: string | undefined,
  known: Churn | undefined,
): Promise<Churn | undefined> {
  if (head === undefined) return undefined;
  const day = new Date(now).toISOString().slice(0, 10);
  if (known?.head === head && known.day === day) return known;
  const { counts, complete } = await repo.changes({ since: sinceOf(now) });
  return { head, day, counts: Object.fromEntries(counts), complete };
}

const AT_ONCE = 4;

/** Returns how many files are left for later scans. */
export async function dateTodos(
  { repo, now, progress, blamedFiles }: HistoryPlan,
  churn: Churn,
  undated: readonly Pick<ListedFile, "path" | "committed">[],
  facts: Map<string, ScannedFile>,
): Promise<number> {
  const since = sinceOf(now);
  const blamed: typeof undated[number][] = [];
  for (const file of undated) {
    const { path, committed } = file;
    const one = facts.get(path)!;
    if (committed && churn.complete && !Object.hasOwn(churn.counts, path)) {
      facts.set(path, { ...one, todoTimes: one.todos!.map(() => null) });
    } else blamed.push(file);
  }
  const chosen = blamed.slice(0, blamedFiles);
  for (let from = 0; from < chosen.length; from += AT_ONCE) {
    progress(`dating TODOs: ${from} of ${chosen.length} files`);
    await Promise.all(
      chosen.slice(from, from + AT_ONCE).map(async ({ path, committed }) => {
        const one = facts.get(path)!;
        const lines = one.todos!.map(({ line }) => line);
        const query = { lines, since, ...(committed && { commit: churn.head }) };
        const times = await repo.lineTimes(path, query).catch(unlessGone);
        const todoTimes = lines.map((line) => {
          const time = times.get(line);
          return time === undefined ? now : time < since ? null : time;
        });
        facts.set(path, { ...one, todoTimes });
      }),
    );
  }
  return blamed.length - chosen.length;
}

/** The next scan reads a file that changed or vanished meanwhile. */
function unlessGone(thrown: unknown): ReadonlyMap<number, number> {
  if (thrown instanceof Failure && thrown.code === "environment") return new Map();
  throw thrown;
}
