import assert from "node:assert/strict";
import { emptyBoards } from "svc/features/code_intel/fusion.ts";
import { byCompanions, byPast } from "svc/features/code_intel/history_rank.ts";

const commit = (subject: string, ...files: string[]) => ({ subject, files });
const pathsOf = (board: { ranked(): readonly { path: string }[] }) =>
  board.ranked().map(({ path }) => path);

Deno.test("byCompanions ranks what changed with a file, above what changes with everything", () => {
  const boards = emptyBoards();
  byCompanions(boards, [
    commit("one", "a.ts", "a_test.ts", "CHANGES"),
    commit("two", "a.ts", "a_test.ts", "CHANGES"),
    ...Array.from({ length: 8 }, (_, at) => commit("more", `${at}.ts`, "CHANGES")),
  ], [{ path: "a.ts", score: 1 }]);
  assert.deepEqual(pathsOf(boards.together), ["a_test.ts", "CHANGES"]);
  assert.equal(boards.together.ranked()[0]!.why, "changed together with a.ts");
});

Deno.test("byCompanions takes a commit of two files for a closer tie than one of many", () => {
  const boards = emptyBoards();
  const many = Array.from({ length: 30 }, (_, at) => `far${at}.ts`);
  byCompanions(boards, [commit("near", "a.ts", "near.ts"), commit("far", "a.ts", ...many)], [
    { path: "a.ts", score: 1 },
  ]);
  assert.equal(pathsOf(boards.together)[0], "near.ts");
});

Deno.test("byPast finds the files of commits with such subjects, in other forms of the words too", () => {
  const boards = emptyBoards();
  byPast(boards, [
    commit("chore: bump", "package.json"),
    commit("fix: rounding of prices", "src/price.ts"),
    commit("feat: mails", "src/mail.ts"),
  ], ["round", "price"]);
  assert.deepEqual(pathsOf(boards.past), ["src/price.ts"]);
  assert.deepEqual(pathsOf(boards.often), ["package.json", "src/price.ts", "src/mail.ts"]);
});

Deno.test("with no past there is nothing to rank by", () => {
  const boards = emptyBoards();
  byPast(boards, [], ["round"]);
  byCompanions(boards, [], [{ path: "a.ts", score: 1 }]);
  assert.deepEqual([boards.past, boards.often, boards.together].flatMap(pathsOf), []);
});
