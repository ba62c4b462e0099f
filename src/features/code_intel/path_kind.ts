/** What a file is to somebody who changes code: code, a test, a document, or neither of them. */
import { nameOf } from "svc/core/path_parts.ts";
import { languageOf } from "./languages/all.ts";
import { isTest } from "./test_names.ts";

export type PathKind = "file" | "test" | "doc";

export const DOCS = ["md", "mdx", "markdown", "rst", "adoc", "txt"] as const;

const isDoc = (path: string) => {
  const name = nameOf(path).toLowerCase();
  return DOCS.some((ending) => name.endsWith(`.${ending}`));
};

export function pathKind(path: string): PathKind {
  return isDoc(path) ? "doc" : languageOf(path) !== undefined && isTest(path) ? "test" : "file";
}

/** Written by programs: they hold every word and are changed by nobody. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|[^/]+\.lock|[^/]+\.(?:min|gen|generated|bundle)\.\w+|[^/]+\.(?:map|snap|svg|csv)|go\.sum)$/i;

/** How much a word in it tells, from 0 to 1. */
export function telling(path: string): number {
  if (GENERATED.test(path)) return 0.05;
  if (isDoc(path)) return 0.6;
  if (languageOf(path) === undefined) return 0.5;
  return isTest(path) ? 0.7 : 1;
}
