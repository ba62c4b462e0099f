/** Finds paths that a page names in code spans and the repo no longer has. */
import { folderOf, joinPath } from "svc/core/path_parts.ts";
import type { Gap, ScannedFile } from "svc/features/scanner/facts.ts";
import type { ScannedRepo } from "svc/features/scanner/rule.ts";

/** A number, a date or a name to be filled in, such as `docs/decisions/NNNN-slug.md`. */
const PLACEHOLDER = /N{3}|X{3}|YYYY/;

/** Counts only paths whose first folder exists; others are built, installed or examples. */
export function* gonePaths(repo: ScannedRepo, page: string, facts: ScannedFile): Generator<Gap> {
  const folder = folderOf(page);
  for (const [span, line] of facts.spans ?? []) {
    const places = [joinPath("", span), joinPath(folder, span)].filter((path) =>
      path !== undefined
    );
    if (PLACEHOLDER.test(span) || places.some((path) => repo.has(path))) continue;
    const first = span.replace(/^\.\//, "").split("/", 1)[0]!;
    if (!repo.has(first) || repo.files.has(first) || isIgnored(repo, span)) continue;
    yield {
      path: page,
      line,
      title: `There is no "${span}"`,
      detail: `${page} names it, and the repo has no such path`,
      key: span,
    };
  }
}

/** Whether .gitignore roughly covers the path: builds create it, so naming it is no fault. */
function isIgnored(repo: ScannedRepo, span: string): boolean {
  const names = span.split("/").filter((part) => part !== "" && part !== ".");
  const lines = (repo.files.get(".gitignore")?.text ?? "").split("\n").map((line) =>
    line.trim().replace(/^\/|\/\*{0,2}$/g, "")
  );
  return lines.some((line) =>
    line !== "" && !line.startsWith("#") &&
    (names.includes(line) || names.join("/").startsWith(line) ||
      (line.startsWith("*.") && span.endsWith(line.slice(1))))
  );
}
