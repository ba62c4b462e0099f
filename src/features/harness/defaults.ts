/** The files that `init` writes into a target repo, rendered for one project. */
import ceo from "assets/prompts/ceo.md" with { type: "text" };
import engineer from "assets/prompts/engineer.md" with { type: "text" };
import gardener from "assets/prompts/gardener.md" with { type: "text" };
import orchestrator from "assets/prompts/orchestrator.md" with { type: "text" };
import qa from "assets/prompts/qa.md" with { type: "text" };
import agents from "assets/scaffold/agents.md" with { type: "text" };
import changelog from "assets/scaffold/changelog.md" with { type: "text" };
import docs from "assets/scaffold/docs/README.md" with { type: "text" };
import contracts from "assets/scaffold/docs/contracts/README.md" with { type: "text" };
import contractTemplate from "assets/scaffold/docs/contracts/TEMPLATE.md" with {
  type: "text",
};
import plans from "assets/scaffold/docs/plans/README.md" with { type: "text" };
import references from "assets/scaffold/docs/references/README.md" with { type: "text" };
import tickets from "assets/scaffold/docs/tickets/README.md" with { type: "text" };
import harnessReadme from "assets/scaffold/harness/README.md" with { type: "text" };
import rules from "assets/scaffold/harness/guardrails/rules.md" with { type: "text" };
import knowledge from "assets/scaffold/harness/knowledge/routes.yaml" with {
  type: "text",
};
import manifest from "assets/scaffold/harness/manifest.yaml" with { type: "text" };
import skills from "assets/scaffold/harness/skills/README.md" with { type: "text" };
import fixABug from "assets/scaffold/harness/skills/fix-a-bug/SKILL.md" with { type: "text" };
import keepDocsTrue from "assets/scaffold/harness/skills/keep-docs-true/SKILL.md" with {
  type: "text",
};
import reviewAChange from "assets/scaffold/harness/skills/review-a-change/SKILL.md" with {
  type: "text",
};
import splitATicket from "assets/scaffold/harness/skills/split-a-ticket/SKILL.md" with {
  type: "text",
};
import manifestSchema from "assets/schema/manifest.schema.json" with { type: "text" };
import { VERSION } from "svc/core/version.ts";
import type { Project } from "./detect.ts";
import { PRETTIER_WIDTH } from "./json_text.ts";

/** Path in the target repo → its template; a placeholder is `{{name}}`, with its quotes in YAML. */
export const HARNESS_TEXTS: Readonly<Record<string, string>> = {
  ".harness/manifest.yaml": manifest,
  ".harness/manifest.schema.json": manifestSchema,
  ".harness/README.md": harnessReadme,
  ".harness/roles/ceo.md": ceo,
  ".harness/roles/orchestrator.md": orchestrator,
  ".harness/roles/engineer.md": engineer,
  ".harness/roles/qa.md": qa,
  ".harness/roles/gardener.md": gardener,
  ".harness/guardrails/rules.md": rules,
  ".harness/knowledge/routes.yaml": knowledge,
  ".harness/skills/README.md": skills,
  ".harness/skills/fix-a-bug/SKILL.md": fixABug,
  ".harness/skills/keep-docs-true/SKILL.md": keepDocsTrue,
  ".harness/skills/review-a-change/SKILL.md": reviewAChange,
  ".harness/skills/split-a-ticket/SKILL.md": splitATicket,
  "docs/README.md": docs,
  "docs/contracts/README.md": contracts,
  "docs/contracts/TEMPLATE.md": contractTemplate,
  "docs/plans/README.md": plans,
  "docs/references/README.md": references,
  "docs/tickets/README.md": tickets,
  "AGENTS.md": agents,
  "CHANGELOG.md": changelog,
};

/** `user`: rewritten by `init --force` alone, in `.harness/`; `svc`: refreshed while nobody changed it. */
type FileOwner = "user" | "svc";

export interface DefaultFile {
  readonly path: string;
  readonly owner: FileOwner;
  readonly text: string;
}

const TICKET_STATES = ["backlog", "in-progress", "review", "done", "blocked"] as const;

const MARKERS = TICKET_STATES.map((state) => `docs/tickets/${state}/.gitkeep`);

export const ROUTING_PATH = ".harness/model-routing.yaml";

const PATHS = [...Object.keys(HARNESS_TEXTS), ROUTING_PATH, ...MARKERS, "VERSION"];

/** `update harness` never overwrites these (spec section 4.5). */
const USER_OWNED = [
  /^\.harness\/(?:manifest\.yaml|model-routing\.yaml|roles\/|knowledge\/|guardrails\/)/,
  /^docs\/(?:README\.md|tickets\/|plans\/|references\/)/,
  /^(?:AGENTS\.md|CHANGELOG\.md|VERSION)$/,
];

export const ownerOf = (path: string): FileOwner =>
  USER_OWNED.some((pattern) => pattern.test(path)) ? "user" : "svc";

/** A plain YAML scalar where that is safe, else a quoted one. */
const scalar = (text: string) =>
  /^[A-Za-z.][\w./-]*$/.test(text) && !/^(?:true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text);

/** As Prettier wants it: in brackets where the line after `before` has room for them. */
function list(texts: readonly string[], before: string): string {
  const line = ` [${texts.map(scalar).join(", ")}]`;
  if (before.length + line.length <= PRETTIER_WIDTH) return line;
  const indent = " ".repeat(before.search(/\S/) + 2);
  return texts.map((text) => `\n${indent}- ${scalar(text)}`).join("");
}

function commandsYaml(commands: Project["checks"]): string {
  if (commands.length === 0) return " []";
  return commands.map(({ name, run }) => {
    const line = `    - { name: ${name}, run: [${run.map(scalar).join(", ")}] }`;
    if (line.length <= PRETTIER_WIDTH) return `\n${line}`;
    return `\n    - name: ${name}\n      run:${list(run, "      run:")}`;
  }).join("");
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
    ' "{{setup}}"': commandsYaml(project.setup),
    ' "{{checks}}"': commandsYaml(project.checks),
    ' "{{docs}}"': list(["AGENTS.md", ...project.docs], "    read:"),
    "{{name}}": project.name,
    "{{check_list}}": checkLines(project.checks),
  };
  return template.replace(/ ?"\{\{\w+\}\}"|\{\{\w+\}\}/g, (found) => {
    // Only a list of commands replaces the space before it: it starts a new line.
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

/** Whether init may create the path, or with a slash at its end the folder. */
export function isDefaultPath(path: string): boolean {
  return PATHS.some((known) => path.endsWith("/") ? known.startsWith(path) : known === path);
}
