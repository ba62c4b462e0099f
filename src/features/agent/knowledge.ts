/** Which paths a ticket speaks of: the knowledge routes that fit them name a role's documents. */
import { isRepoPath } from "svc/features/harness/knowledge_routes.ts";

/** What looks like a path in a ticket: with a slash, or a name with an ending. In order, each once. */
export function pathsIn(text: string): readonly string[] {
  const words = text.match(/[\w@.-]+(?:\/[\w@.-]+)*/g) ?? [];
  const paths = words
    .map((word) => word.replace(/[.]+$/, ""))
    .filter((word) => word.includes("/") || /^[\w-]{2,}\.[a-z]\w{0,9}$/i.test(word))
    .filter(isRepoPath);
  return [...new Set(paths)];
}
