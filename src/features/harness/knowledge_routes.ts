/** Which documents belong to which paths: `.harness/knowledge/routes.yaml`. */
import { z } from "zod";
import { repoPath } from "svc/core/repo_path.ts";
import { readYaml } from "svc/platform/yaml.ts";

export const KNOWLEDGE_ROUTES = ".harness/knowledge/routes.yaml";

export interface KnowledgeRoute {
  readonly match: readonly string[];
  readonly read: readonly string[];
}

const Route = z.strictObject({
  match: z.array(z.string().min(1)).min(1),
  read: z.array(z.string().refine(isRepoPath, "must be a path inside the repo")).default([]),
});
const Routes = z.object({ version: z.literal(1), routes: z.array(Route).default([]) });

export function isRepoPath(text: string): boolean {
  try {
    repoPath(text);
    return true;
  } catch {
    // The shape reports the fault with its line.
    return false;
  }
}

/** @throws Failure `environment` naming file, line, column and key */
export function readKnowledgeRoutes(text: string, path: string): readonly KnowledgeRoute[] {
  const allowed = (keyPath: string) => keyPath === "" ? ["version", "routes"] : ["match", "read"];
  return readYaml({ text, path, allowed }, Routes).routes;
}

/** A route of `**` also matches without a path. @param glob makes a matcher of a pattern */
export function knowledgeFor(
  routes: readonly KnowledgeRoute[],
  paths: readonly string[],
  glob: (pattern: string) => (path: string) => boolean,
): readonly string[] {
  const fits = (pattern: string) => pattern === "**" || paths.some(glob(pattern));
  return [
    ...new Set(routes.filter(({ match }) => match.some(fits)).flatMap(({ read }) => read)),
  ];
}
