/** A limit as a person types it: of what, and how many. */
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { nodeNamed, nodeNames } from "svc/features/nodes/node_store.ts";
import { listRepos } from "svc/features/repos/repo_store.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import type { Db } from "svc/store/schema.ts";
import type { JobLimit } from "svc/features/jobs/job_limit_table.ts";

const FORMS = "team, repo:<name>, role:<name> or node:<name>";

function refuse(typed: string, why: string, remedy: string): never {
  throw new Failure("usage", `Cannot limit ${quoted(typed)}: ${why}`, { remedy });
}

const nameOf = ({ path }: RegisteredRepo) => path.slice(path.lastIndexOf("/") + 1);

async function keyOfRepo(db: Db, typed: string, name: string): Promise<string> {
  const fits = (await listRepos(db)).filter((repo) =>
    [repo.id, nameOf(repo), repo.remote, repo.path].includes(name)
  );
  if (fits.length === 1) return fits[0]!.id;
  const why = fits.length === 0 ? "no such repo is registered here" : "several repos fit";
  return refuse(typed, why, "Name it by its id: svc register --json | jq .repos");
}

async function keyOfNode(db: Db, typed: string, name: string): Promise<string> {
  const node = await nodeNamed(db, name);
  return node?.id ?? refuse(typed, "no such node is known here", "svc nodes lists them");
}

/** @param typed such as `role:engineer` @throws Failure `usage` */
export async function limitOf(db: Db, typed: string): Promise<Omit<JobLimit, "most">> {
  if (typed === "team") return { scope: "team", key: "" };
  const [, scope, name] = /^(repo|role|node):(.+)$/.exec(typed) ?? [];
  if (scope === "repo") return { scope, key: await keyOfRepo(db, typed, name!) };
  if (scope === "node") return { scope, key: await keyOfNode(db, typed, name!) };
  if (scope === "role" && /^[a-z][a-z0-9_-]{0,39}$/.test(name!)) return { scope, key: name! };
  return refuse(typed, `it is none of ${FORMS}`, "svc jobs limit role:engineer 4");
}

/** Undefined for `none`. 0 keeps all from running. @throws Failure `usage` */
export function mostOf(typed: string): number | undefined {
  if (typed === "none") return undefined;
  if (/^\d{1,5}$/.test(typed)) return Number(typed);
  throw new Failure("usage", `Cannot limit jobs to ${quoted(typed)}: it is no whole number`, {
    remedy: "Give one up to 99999, or none to take the limit away",
  });
}

/** How it was typed, for people: `repo:app`. */
export async function limitNames(db: Db, limits: readonly JobLimit[]): Promise<string[]> {
  const repos = new Map((await listRepos(db)).map((repo) => [repo.id, nameOf(repo)]));
  const nodes = await nodeNames(db);
  return limits.map(({ scope, key }) => {
    if (scope === "team") return scope;
    return `${scope}:${(scope === "repo" ? repos : nodes).get(key) ?? key}`;
  });
}
