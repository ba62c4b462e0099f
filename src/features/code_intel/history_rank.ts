/** Ranks files by the past: what changed in the same commits, in commits of such subjects, and often. */
import { nameOf } from "svc/core/path_parts.ts";
import type { PastCommit } from "svc/platform/git/history.ts";
import { bm25 } from "./bm25.ts";
import type { SourceBoards } from "./fusion.ts";
import { searchTerms } from "./task_words.ts";

/** After so many commits one counts half. */
const HALF_LIFE = 100;

/** Subjects that are most like the task. */
const SUBJECTS = 30;

function subjectCounts(subject: string, terms: readonly string[]): ReadonlyMap<string, number> {
  const own = searchTerms(subject);
  const has = (term: string) =>
    own.some((word) => word === term || term.length > 3 && word.startsWith(term));
  return new Map(terms.filter(has).map((term) => [term, 1]));
}

export function byPast(
  { past, often }: SourceBoards,
  commits: readonly PastCommit[],
  terms: readonly string[],
): void {
  commits.forEach(({ files }, age) => {
    for (const path of files) often.add(path, 2 ** (-age / HALF_LIFE), "changed often of late");
  });
  const texts = new Map(
    commits.map((commit) => [commit, { counts: subjectCounts(commit.subject, terms) }]),
  );
  const telling = new Map([...texts].filter(([, { counts }]) => counts.size > 0));
  const alike = [...bm25(telling, commits.length)].sort(([, a], [, b]) => b - a).slice(0, SUBJECTS);
  for (const [{ files }, score] of alike) {
    for (const path of files) past.add(path, score / files.length, "changed for such work before");
  }
}

interface Seed {
  readonly path: string;
  readonly score: number;
}

/**
 * A commit of few files ties them more than one of many, and a file that changes in every commit
 * is no companion of any.
 */
export function byCompanions(
  { together }: SourceBoards,
  commits: readonly PastCommit[],
  seeds: readonly Seed[],
): void {
  const changes = new Map<string, number>();
  for (const { files } of commits) {
    for (const path of files) changes.set(path, (changes.get(path) ?? 0) + 1);
  }
  for (const { path, score } of seeds) {
    const own = changes.get(path) ?? 0;
    if (own === 0) continue;
    const ties = new Map<string, number>();
    for (const { files } of commits) {
      if (!files.includes(path)) continue;
      for (const other of files) {
        if (other !== path) {
          ties.set(other, (ties.get(other) ?? 0) + 1 / Math.log2(1 + files.length));
        }
      }
    }
    for (const [other, tie] of ties) {
      const points = score * tie / Math.sqrt(own * changes.get(other)!);
      together.add(other, points, `changed together with ${nameOf(path)}`);
    }
  }
}
