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

type Added = Awaited<ReturnType<HistoryPlan["repo"]["changes"]>>["added"];

interface ReadChurn {
  readonly churn: Churn | undefined;
  /** Known by whoever reads the history; what it dates is dated then. */
  readonly added: Added;
}

/** Git is asked once per day and commit. */
export async function churnOf(
  { repo, now }: HistoryPlan,
  head: string | undefined,
  known: Churn | undefined,
): Promise<ReadChurn> {
  const nothing: Added = new Map();
  if (head === undefined) return { churn: undefined, added: nothing };
  const day = new Date(now).toISOString().slice(0, 10);
  if (known?.head === head && known.day === day) return { churn: known, added: nothing };
  const { counts, complete, added } = await repo.changes({ since: sinceOf(now) });
  return { churn: { head, day, counts: Object.fromEntries(counts), complete }, added };
}

/** @param time undefined for a line that is not committed */
function inWindow(time: number | undefined, now: number): number | null {
  if (time === undefined) return now;
  return time < sinceOf(now) ? null : time;
}

const AT_ONCE = 4;

/** Returns how many files are left for later scans. */
export async function dateTodos(
  { repo, now, progress, blamedFiles }: HistoryPlan,
  { churn, added }: ReadChurn & { readonly churn: Churn },
  undated: readonly Pick<ListedFile, "path" | "identity" | "committed">[],
  facts: Map<string, ScannedFile>,
): Promise<number> {
  const since = sinceOf(now);
  const blamed: typeof undated[number][] = [];
  for (const file of undated) {
    const { path, identity, committed } = file;
    const one = facts.get(path)!;
    const { oid, time } = added.get(path) ?? {};
    if (committed && churn.complete && !Object.hasOwn(churn.counts, path)) {
      facts.set(path, { ...one, todoTimes: one.todos!.map(() => null) });
    } else if (committed && oid === identity) {
      facts.set(path, { ...one, todoTimes: one.todos!.map(() => inWindow(time, now)) });
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
        const times = await repo.lineTimes(path, query).catch(withoutTimes);
        const todoTimes = lines.map((line) => inWindow(times.get(line), now));
        facts.set(path, { ...one, todoTimes });
      }),
    );
  }
  return blamed.length - chosen.length;
}

/** The file changed or vanished meanwhile, or its name is one that git is not asked about: a scan goes on without. */
const UNDATED: ReadonlySet<string> = new Set(["environment", "usage"]);

function withoutTimes(thrown: unknown): ReadonlyMap<number, number> {
  if (thrown instanceof Failure && UNDATED.has(thrown.code)) return new Map();
  throw thrown;
}
