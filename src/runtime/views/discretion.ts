/** Keeps paths of the user's machine and secrets out of what the API answers. */
import { withoutEnding } from "svc/core/text_ends.ts";
import type { RegisteredRepo } from "svc/features/repos/repo_table.ts";
import { basenameOf, type ViewPorts } from "./view_ports.ts";

type DiscretionPorts = Pick<ViewPorts, "env" | "home" | "redact">;

/** Most strings of an answer are ids (UUIDv7, repo ids) or times, which hold neither paths nor secrets. */
const PLAIN =
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$|^[0-9a-f]{12}$|^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Paths of the user's machine, longest first, and what is shown for each. */
function shownPaths(
  { home, env }: DiscretionPorts,
  repos: readonly RegisteredRepo[],
): Map<string, string> {
  const user = withoutEnding(env.get("HOME") ?? "", "/");
  // A home elsewhere is called by what leads to it.
  const named = home.root === `${user}/.svc` ? "~/.svc" : "$SVC_HOME";
  const names = new Map([
    [user, "~"],
    [home.sharedDb, `${named}-harness/db`],
    [home.worktrees, `${named}/worktrees`],
    [home.repos, `${named}/repos`],
    [home.root, named],
    ...repos.map(({ path }) => [path, basenameOf(path)] as const),
  ]);
  const paths = [...names.keys()].filter((path) => /^\/./.test(path));
  return new Map(
    paths.sort((a, b) => b.length - a.length).map((path) => [path, names.get(path)!]),
  );
}

/** Replaces the machine's paths and secrets in every text of an answer; keys stay as they are. */
export function discretion(
  ports: DiscretionPorts,
  repos: readonly RegisteredRepo[],
): <T>(answer: T) => T {
  const names = shownPaths(ports, repos);
  const any = new RegExp(
    [...names.keys()].map((path) => RegExp.escape(path)).join("|") || "(?!)",
    "g",
  );
  const shown = (text: string) =>
    PLAIN.test(text) ? text : ports.redact(text.replace(any, (path) => names.get(path)!));
  const walk = (value: unknown): unknown => {
    if (typeof value === "string") return shown(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  return <T>(answer: T) => walk(answer) as T;
}
