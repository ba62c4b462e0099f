/** Reads a file's text once, for all rules. */
import { nameOf } from "svc/core/path_parts.ts";
import {
  environmentNames,
  importedNames,
  inlineTests,
  spokenNames,
  todosIn,
} from "./code_facts.ts";
import type { FileText, Gap, ScannedFile } from "./facts.ts";
import { readPage } from "./page_facts.ts";
import { isProduct, pathFacts } from "./path_facts.ts";
import type { FileRule } from "./rule.ts";

const SCAN_KEPT_BYTES = 128 * 1024;

const SCAN_FINDINGS_A_FILE = 50;

const KEPT = new RegExp(
  "(?:^|/)(?:package\\.json|package-lock\\.json|go\\.mod|go\\.sum|Cargo\\.toml|Cargo\\.lock|" +
    "pyproject\\.toml|poetry\\.lock|uv\\.lock)$|^(?:VERSION|\\.gitignore|Makefile|AGENTS\\.md|" +
    "\\.harness/manifest\\.yaml|\\.github/workflows/[^/]+\\.ya?ml|\\.gitlab-ci\\.yml|" +
    "\\.circleci/config\\.yml|azure-pipelines\\.ya?ml|Jenkinsfile|\\.travis\\.yml|" +
    "bitbucket-pipelines\\.yml|docs/tickets/[^/]+/[^/]+\\.md)$",
);
/** Lock files may be eight times as long. */
const LOCK = /(?:^|\/)(?:package-lock\.json|go\.sum|Cargo\.lock|poetry\.lock|uv\.lock)$/;
const GENERATED_CODE = /\bgenerated\b.{0,80}\bdo not edit|@generated|auto-?generated|do not edit/is;
/** A page may mention generated files without being one. */
const GENERATED_PAGE = /<!--[^>]{0,200}(?:generated|do not edit)/i;

function isKept(path: string, bytes: number): boolean {
  if (!KEPT.test(path)) return false;
  return bytes <= SCAN_KEPT_BYTES * (LOCK.test(path) ? 8 : 1);
}

function withoutEmpty(facts: Record<string, unknown>): Partial<ScannedFile> {
  return Object.fromEntries(
    Object.entries(facts).filter(([, value]) =>
      value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0)
    ),
  );
}

function foundIn(file: FileText, rules: readonly FileRule[]): ScannedFile["found"] {
  const found: Record<string, readonly Omit<Gap, "path">[]> = {};
  for (const rule of rules) {
    const hits = [...rule.check(file)].slice(0, SCAN_FINDINGS_A_FILE);
    if (hits.length > 0) found[rule.id] = hits;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

export function factsOf(
  path: string,
  { text, bytes }: { readonly text: string; readonly bytes: number },
  rules: readonly FileRule[],
): ScannedFile {
  const place = pathFacts(path);
  const lines = text.split("\n");
  const file: FileText = { path, text, lines, place };
  const count = text === "" ? 0 : lines.length - (text.endsWith("\n") ? 1 : 0);
  const code = place.language !== undefined && place.language !== "markup";
  const sign = code ? GENERATED_CODE : GENERATED_PAGE;
  const generated = place.foreign || sign.test(text.slice(0, 600));
  const own = !generated && !place.ticket;
  const page = place.language === "markup" && own ? readPage(text) : undefined;
  return {
    bytes,
    lines: count,
    ...withoutEmpty({
      generated,
      text: isKept(path, bytes) ? text : undefined,
      links: page?.links,
      anchors: page?.anchors,
      spans: page?.spans,
      docSync: /\bdoc-?sync\b\s*:/i.test(text.slice(0, 800)),
      environment: own && isProduct(place) && !place.script ? environmentNames(file) : undefined,
      spoken: place.ticket || (code && !place.script) ? undefined : spokenNames(nameOf(path), text),
      imports: code && place.test ? importedNames(text) : undefined,
      inlineTests: code && inlineTests(text),
      todos: code && own && !place.sample ? todosIn(file) : undefined,
      found: own ? foundIn(file, rules) : undefined,
    }),
  };
}
