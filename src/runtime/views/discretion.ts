/** Keeps where things lie on the user's machine, and secrets, out of every text of an answer. */
import type { Repo } from "svc/features/repos/repo_table.ts";
import { basenameOf, type ViewPorts } from "./view_ports.ts";

type Ports = Pick<ViewPorts, "env" | "home" | "redact">;

/** Most strings of an answer are ids of our own (UUIDv7 and those of repos) or times, and hold neither. */
const PLAIN =
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$|^[0-9a-f]{12}$|^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Paths that tell of the machine, longest first, and what stands for each. */
function namesOf({ home, env }: Ports, repos: readonly Repo[]): Map<string, string> {
  const user = env.get("HOME") ?? "";
  const names = new Map([
    [user, "~"],
    [home.sharedDb, "~/.svc-harness/db"],
    [home.root, "~/.svc"],
    ...repos.map(({ path }) => [path, basenameOf(path)] as const),
  ]);
  const paths = [...names.keys()].filter((path) => /^\/./.test(path));
  return new Map(
    paths.sort((a, b) => b.length - a.length).map((path) => [path, names.get(path)!]),
  );
}

/** @returns the same answer with each of its texts made fit to be shown; keys stay as they are */
export function discretion(ports: Ports, repos: readonly Repo[]): <T>(answer: T) => T {
  const names = namesOf(ports, repos);
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
