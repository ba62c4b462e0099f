/** `GET /api/repos` and `GET /api/repo-roles`: the registered repos, and the roles of one. */
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
  async read({ scope, opener }, { repo_id }) {
    const repo = scope.repos.find(({ id }) => id === repo_id);
    return repo && Object.keys((await opener.manifestAt(repo.path)).manifest?.roles ?? {});
  },
});
