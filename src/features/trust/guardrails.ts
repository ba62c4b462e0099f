/** Paths and commands that no role may touch: the manifest's guardrails, and the names that svc itself protects. */
import { commandMatcher } from "svc/core/command_pattern.ts";
import { globMatcher } from "svc/core/glob.ts";
import { foldedParts, protectionOf, quoted, type RepoPath } from "svc/core/repo_path.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Guardrails, PolicyQuestion } from "./policy_question.ts";

export interface Objection {
  readonly reason: string;
  readonly remedy: string;
}

export function guardrailsOf(
  manifest: Pick<Manifest, "guardrails"> | undefined,
  hookFolders: readonly string[] = [],
): Guardrails {
  const { deny_paths = [], deny_commands = [], allow_ci_roles = [] } = manifest?.guardrails ?? {};
  return {
    denyPaths: deny_paths,
    denyCommands: deny_commands,
    allowCiRoles: allow_ci_roles,
    hookFolders,
  };
}

function hookObjection(path: string): Objection {
  return {
    reason: `${quoted(path)} is a hook that git runs for whoever commits, and no role writes there`,
    remedy: "Edit it yourself; nothing lets a role write it",
  };
}

/** Whether a path is below a hook folder, in any spelling that some file system accepts. */
function isHook(parts: readonly string[], { hookFolders = [] }: Guardrails): boolean {
  return hookFolders.some((folder) => {
    const above = folder === "" ? [] : foldedParts(folder);
    return above.every((name, at) => name === parts[at]);
  });
}

function protectedPath(
  path: string,
  parts: readonly string[],
  role: string,
  guardrails: Guardrails,
): Objection | undefined {
  // An empty part stands for "..", an absolute path, or a name that some file system reads as either.
  if (parts.includes("")) {
    return {
      reason: `${quoted(path)} is no plain path below the repo's root`,
      remedy: 'Give a path below the repo\'s root, such as "src/main.ts"',
    };
  }
  if (isHook(parts, guardrails)) return hookObjection(path);
  switch (protectionOf(path as RepoPath)) {
    case "git":
      return {
        reason: `${quoted(path)} belongs to git, and no role writes there`,
        remedy: "Use the git tools; nothing lets a role write it",
      };
    case "harness":
      return {
        reason: `${quoted(path)} sets the rules for roles, and no role writes it`,
        remedy: "Edit it yourself; nothing lets a role write it",
      };
    case "hooks":
      return hookObjection(path);
    case "tickets":
      return {
        reason: `${quoted(path)} is a ticket's place, and tickets change by their moves alone`,
        remedy: "Use ticket_create, or finish; a person uses svc tickets move",
      };
    case "ci":
      if (guardrails.allowCiRoles?.includes(role)) return undefined;
      return {
        reason: `${quoted(path)} is run by CI, and role "${role}" may not change that`,
        remedy: `Add "${role}" to guardrails.allow_ci_roles in ${MANIFEST_PATH}`,
      };
  }
}

function deniedPath(
  path: string,
  parts: readonly string[],
  { denyPaths }: Guardrails,
): Objection | undefined {
  const glob = denyPaths.find((glob) => globMatcher(glob)(parts));
  return glob === undefined ? undefined : {
    reason: `${quoted(path)} is covered by ${quoted(glob)} of guardrails.deny_paths`,
    remedy: `Remove ${quoted(glob)} from guardrails.deny_paths in ${MANIFEST_PATH}`,
  };
}

function deniedCommand(
  { argv, capabilities, guardrails }: PolicyQuestion,
): Objection | undefined {
  const shell = capabilities.includes("shell");
  const entry = guardrails.denyCommands.find(commandMatcher(argv, shell));
  return entry === undefined ? undefined : {
    reason: `${quoted(argv.join(" "))} runs ${quoted(entry)} of guardrails.deny_commands`,
    remedy: `Remove ${quoted(entry)} from guardrails.deny_commands in ${MANIFEST_PATH}`,
  };
}

/** Also called by tools that learn their paths only while running. */
export function pathObjection(
  path: string,
  role: string,
  guardrails: Guardrails,
): Objection | undefined {
  const parts = foldedParts(path);
  return protectedPath(path, parts, role, guardrails) ?? deniedPath(path, parts, guardrails);
}

export function guardrailObjection(question: PolicyQuestion): Objection | undefined {
  for (const path of question.writes) {
    const objection = pathObjection(path, question.role, question.guardrails);
    if (objection !== undefined) return objection;
  }
  return deniedCommand(question);
}
