/** What a file is to somebody who changes code: code, a test, a document, or neither of them. */
import { nameOf, stemOf } from "svc/core/path_parts.ts";
import { languageOf } from "./languages/all.ts";

/** `user_test`, `user.spec`, `test_user`, `UserTest` and the like, each as "user". */
function testedStem(path: string): string | undefined {
  const stem = stemOf(path);
  const [, lower, camel] = /^(.+?)[._-](?:test|tests|spec)$/i.exec(stem) ??
    /^test[._-](.+)$/i.exec(stem) ?? /^()(.+?)(?:Tests?|Spec|IT)$/.exec(stem) ?? [];
  const tested = lower || camel;
  return tested === undefined || tested === "" ? undefined : plain(tested);
}

/** Without what customs of spelling differ in. */
const plain = (stem: string) => stem.replace(/[._-]/g, "").toLowerCase();

const TEST_FOLDER = /(?:^|\/)(?:__tests__|tests?|specs?)\//i;

export function isTest(path: string): boolean {
  return testedStem(path) !== undefined || TEST_FOLDER.test(path) && nameOf(path) !== "mod.ts";
}

/** Tests of a file, or what a test tests, by their names alone. */
export function namesakes(path: string, paths: readonly string[]): readonly string[] {
  const tested = testedStem(path);
  if (tested !== undefined) {
    return paths.filter((other) =>
      testedStem(other) === undefined && plain(stemOf(other)) === tested
    );
  }
  const own = plain(stemOf(path));
  return paths.filter((other) => testedStem(other) === own);
}

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
