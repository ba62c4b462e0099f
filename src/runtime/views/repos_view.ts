/** `GET /api/repos` and `GET /api/repo-roles`: the registered repos, and the roles of one. */
import { Failure } from "svc/core/failure.ts";
import { NO_MANIFEST } from "svc/features/repos/repo.ts";
import { dashboardRead, UNKNOWN_REPO } from "./read.ts";
import { type ShapeOf, type Z } from "./shape.ts";
import { basenameOf } from "./view_ports.ts";

const repoShape = (z: Z) => z.strictObject({ id: z.string(), basename: z.string() });
export type RepoItem = ShapeOf<typeof repoShape>;

export const reposRead = dashboardRead({
  name: "repos",
  about: "The registered repos.",
  query: {},
  shape: (z) => z.array(repoShape(z)),
  read: ({ scope }) =>
    Promise.resolve(scope.repos.map(({ id, path }) => ({ id, basename: basenameOf(path) }))),
});

export const repoRolesRead = dashboardRead({
  name: "repo-roles",
  about: "Names of the roles in the repo's manifest as it is now.",
  query: { repo_id: "needed" },
  shape: (z) => z.array(z.string()),
  missing: UNKNOWN_REPO,
  async read({ scope, opener, discreet }, { repo_id }) {
    const repo = scope.repos.find(({ id }) => id === repo_id);
    if (repo === undefined) return undefined;
    const { manifest, problem = NO_MANIFEST } = await opener.manifestAt(repo.path);
    // An empty list would say that the repo has no roles.
    if (manifest === undefined && problem !== NO_MANIFEST) {
      throw new Failure("usage", discreet(problem));
    }
    return Object.keys(manifest?.roles ?? {});
  },
});
