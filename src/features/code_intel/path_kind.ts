/** Tells by its path whether a file is a test, a document or any other file. */
import { nameOf, stemOf } from "svc/core/path_parts.ts";
import { languageOf } from "./languages/all.ts";

/** The tested name: "user" for `user_test`, `user.spec`, `test_user`, `UserTest` and the like. */
function testedStem(path: string): string | undefined {
  const stem = stemOf(path);
  const [, lower, camel] = /^(.+?)[._-](?:test|tests|spec)$/i.exec(stem) ??
    /^test[._-](.+)$/i.exec(stem) ?? /^()(.+?)(?:Tests?|Spec|IT)$/.exec(stem) ?? [];
  const tested = lower || camel;
  return tested === undefined || tested === "" ? undefined : plain(tested);
}

const plain = (stem: string) => stem.replace(/[._-]/g, "").toLowerCase();

const TEST_FOLDER = /(?:^|\/)(?:__tests__|tests?|specs?)\//i;

export function isTest(path: string): boolean {
  return testedStem(path) !== undefined || TEST_FOLDER.test(path) && nameOf(path) !== "mod.ts";
}

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

/** Written by programs: they contain every word, and nobody edits them. */
const GENERATED =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|packages\.lock\.json|gradle\.lockfile|Package\.resolved|[^/]+\.lock|[^/]+\.pb\.\w+|[^/]+_pb2(?:_grpc)?\.pyi?|[^/]+\.(?:min|gen|generated|bundle)\.\w+|[^/]+\.(?:map|snap|svg|csv)|go\.sum)$/i;

/** From 0 to 1. */
export function telling(path: string): number {
  if (GENERATED.test(path)) return 0.05;
  if (isDoc(path)) return 0.6;
  if (languageOf(path) === undefined) return 0.5;
  return isTest(path) ? 0.7 : 1;
}
