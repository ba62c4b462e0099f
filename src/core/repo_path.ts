/** Paths inside a target repository: their syntax, and the names that no agent may write. */
import { withoutEnding } from "svc/core/text_ends.ts";
import { Failure } from "./failure.ts";
import { shortened } from "./shortened.ts";

/** Linux PATH_MAX and NAME_MAX (linux/limits.h): a longer path or name cannot be opened. */
const REPO_PATH_BYTES = 4096;
const FILE_NAME_BYTES = 255;

declare const brand: unique symbol;

export type RepoPath = string & { readonly [brand]: "RepoPath" };

/** For a message: control and invisible characters escaped, cut after 300 characters. */
export function quoted(text: string): string {
  return JSON.stringify(shortened(text, 300)).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (hidden) => `\\u{${hidden.codePointAt(0)!.toString(16)}}`,
  );
}

/** Checks the syntax only; the file layer looks for links that lead outside. @throws Failure `usage` */
export function repoPath(text: string): RepoPath {
  const fault = faultOf(text);
  if (fault === undefined) return text as RepoPath;
  throw new Failure("usage", `Cannot use path ${quoted(text)}: ${fault}`, {
    remedy: 'Give a path below the repository\'s root, for example "src/main.ts"',
  });
}

export function isComponent(text: string): boolean {
  return !text.includes("/") && faultOf(text) === undefined;
}

function faultOf(text: string): string | undefined {
  if (text === "") return "it is empty";
  if (/\p{Cc}/u.test(text)) return "it has a control character";
  // A lone surrogate reaches the system as U+FFFD: another name than the one that was checked.
  if (!text.isWellFormed()) return "it is not well-formed Unicode";
  if (byteLength(text) > REPO_PATH_BYTES) return `it is longer than ${REPO_PATH_BYTES} bytes`;
  if (text.startsWith("/")) return "it is absolute";
  for (const part of text.split("/")) {
    if (part === "") return "it has an empty component";
    if (part === "." || part === "..") return `it has a ${quoted(part)} component`;
    if (byteLength(part) > FILE_NAME_BYTES) return `a name has more than ${FILE_NAME_BYTES} bytes`;
  }
  return undefined;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** What svc reads of a checkout: harness and tickets. */
export const READ_FOLDERS = [".harness", "docs/tickets"];

/** Why agents may not write a path. A role may allow `ci`; `git` is never written. */
export type Protection = "git" | "harness" | "hooks" | "tickets" | "ci";

/** A rule covers its path and all below it; a final `*` covers every name with that start. */
const RULES: readonly (readonly [Protection, string])[] = [
  ["harness", ".harness/.env*"],
  ["harness", ".harness/manifest.yaml"],
  ["harness", ".harness/guardrails*"],
  ["harness", ".harness/metadata.json"],
  ["harness", ".harness/model-overrides.yaml"],
  ["harness", ".harness/model-routing.yaml"],
  ["harness", ".harness/roles"],
  ["harness", ".harness/skills"],
  // Git runs them with the next commit of whoever set core.hooksPath to them, as Husky does.
  ["hooks", ".husky"],
  ["hooks", ".githooks"],
  ["tickets", "docs/tickets"],
  ["ci", ".github/workflows"],
  ["ci", ".github/actions"],
  ["ci", ".gitlab-ci*"],
  ["ci", ".circleci"],
  ["ci", ".ci"],
  ["ci", "jenkinsfile"],
  ["ci", "azure-pipelines*"],
  ["ci", "bitbucket-pipelines*"],
  ["ci", ".drone*"],
  ["ci", ".travis.yml"],
  ["ci", ".buildkite"],
  ["ci", ".woodpecker*"],
  ["ci", ".forgejo/workflows"],
  ["ci", ".forgejo/actions"],
  ["ci", ".gitea/workflows"],
  ["ci", ".gitea/actions"],
  ["ci", ".cirrus*"],
  ["ci", ".builds"],
  ["ci", ".build.yml"],
  ["ci", "appveyor.yml"],
  ["ci", ".appveyor.yml"],
];

/** Every spelling counts that some file system reads as the same name: case, Unicode forms, ignorable
 * code points (APFS, HFS+, ext4 casefold), 8.3 names, streams, trailing dots and spaces (NTFS, vfat). */
export function protectionOf(path: RepoPath): Protection | undefined {
  const parts = foldedParts(path);
  if (parts.some((part) => isNamed(part, ".git"))) return "git";
  return RULES.find(([, rule]) => covers(rule.split("/"), parts))?.[0];
}

/** Wider than any single file system, so it errs to safety. */
export function foldedParts(path: string): string[] {
  const text = path.normalize("NFKD").replace(
    /[\p{M}\p{Default_Ignorable_Code_Point}]/gu,
    "",
  );
  // Upper first: the dotless i of U+0131 is an "i" only that way.
  return text.toUpperCase().toLowerCase().split(/[/\\]/)
    .map((part) => withoutEnding(part.split(":", 1)[0]!, ". "));
}

function covers(rule: readonly string[], parts: readonly string[]): boolean {
  return parts.length >= rule.length && rule.every((name, i) => isNamed(parts[i]!, name));
}

function isNamed(part: string, rule: string): boolean {
  const open = rule.endsWith("*");
  const name = open ? rule.slice(0, -1) : rule;
  if (part === name || (open && part.startsWith(name))) return true;
  // The 8.3 alias: up to six characters of the name without its leading dot, then `~` and a number.
  const short = part.match(/^([^~.]{1,6})~\d+(?:\..*)?$/)?.[1];
  const stem = name.replace(/^\./, "").split(".", 1)[0]!.slice(0, 6);
  return short === stem || (open && short !== undefined && short.startsWith(stem));
}
