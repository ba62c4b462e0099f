/** The files that `init` writes into a target repo, rendered for one project. */
import { VERSION } from "svc/core/version.ts";
import type { Project } from "./detect.ts";
import { HARNESS_TEXTS } from "./scaffold_texts.ts";

/**
 * Whose a file is once it exists. `user`: never written again but by `init --force` inside
 * `.harness/`. `svc`: refreshed while nobody has changed it.
 */
export type Owner = "user" | "svc";

export interface DefaultFile {
  readonly path: string;
  readonly owner: Owner;
  readonly text: string;
}

export const TICKET_STATES = ["backlog", "in-progress", "review", "done", "blocked"] as const;

const MARKERS = TICKET_STATES.map((state) => `docs/tickets/${state}/.gitkeep`);

export const ROUTING_PATH = ".harness/model-routing.yaml";

const PATHS = [...Object.keys(HARNESS_TEXTS), ROUTING_PATH, ...MARKERS, "VERSION"];

/** What update never writes over (spec section 4.5, `update harness`). */
const USER_OWNED = [
  /^\.harness\/(?:manifest\.yaml|model-routing\.yaml|roles\/|knowledge\/|guardrails\/)/,
  /^docs\/(?:README\.md|tickets\/|plans\/|references\/)/,
  /^(?:AGENTS\.md|CHANGELOG\.md|VERSION)$/,
];

export const ownerOf = (path: string): Owner =>
  USER_OWNED.some((pattern) => pattern.test(path)) ? "user" : "svc";

/** A YAML plain scalar where that is safe, else a quoted one. */
const scalar = (text: string) =>
  /^[A-Za-z.][\w./-]*$/.test(text) && !/^(?:true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text);

const list = (texts: readonly string[]) => `[${texts.map(scalar).join(", ")}]`;

function checksYaml(checks: Project["checks"]): string {
  if (checks.length === 0) return " []";
  return checks.map(({ name, run }) => `\n    - { name: ${name}, run: ${list(run)} }`).join("");
}

function checkLines(checks: Project["checks"]): string {
  if (checks.length === 0) return "None are known yet: name them in `.harness/manifest.yaml`.";
  return checks.map(({ name, run }) => `- ${name}: \`${run.join(" ")}\``).join("\n");
}

function render(template: string, project: Project): string {
  const values: Record<string, string> = {
    '"{{tool_version}}"': VERSION,
    '"{{name}}"': JSON.stringify(project.name),
    '"{{branch}}"': JSON.stringify(project.default_branch),
    ' "{{checks}}"': checksYaml(project.checks),
    '"{{docs}}"': list(["AGENTS.md", ...project.docs]),
    "{{name}}": project.name,
    "{{check_list}}": checkLines(project.checks),
  };
  return template.replace(/ ?"\{\{\w+\}\}"|\{\{\w+\}\}/g, (found) => {
    // Only the list of checks takes the space before it along, for it starts a new line.
    const value = values[found] ?? (found.startsWith(" ") ? values[found.slice(1)] : undefined);
    if (value === undefined) throw new Error(`No value for ${found}`);
    return found.startsWith(" ") && !(found in values) ? ` ${value}` : value;
  });
}

/** @param routing text of `.harness/model-routing.yaml` */
export function defaultFiles(project: Project, routing: string): DefaultFile[] {
  const texts: [string, string][] = [
    ...Object.entries(HARNESS_TEXTS)
      .map(([path, text]): [string, string] => [path, render(text, project)]),
    [ROUTING_PATH, routing],
    ...MARKERS.map((path): [string, string] => [path, ""]),
    ["VERSION", `${project.version}\n`],
  ];
  return texts.map(([path, text]) => ({ path, owner: ownerOf(path), text }));
}

/** Every path that init may create; with a slash at its end, a folder above one. */
export function isDefaultPath(path: string): boolean {
  return PATHS.some((known) => path.endsWith("/") ? known.startsWith(path) : known === path);
}
