/** Tells tests from what they test, by the customs of naming them. */
import { nameOf, stemOf } from "svc/core/path_parts.ts";

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
