/** What svc says to type is typed: a real shell reads each word back as it was, and runs nothing of it. */
import assert from "node:assert/strict";
import { shellWord } from "svc/core/shell_word.ts";
import { environmentTracked } from "svc/features/scanner/rules/hygiene.ts";
import { personsWait } from "svc/runtime/views/settlement_wait.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const NAMES = [
  "$(touch pwned)",
  "`touch pwned`",
  "a b",
  "it's; touch pwned",
  '"; touch pwned; "',
  "${HOME}",
  "!!",
  "~",
  "a\nb",
  "ü",
  "*",
];

async function typed(cwd: string, line: string): Promise<string> {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", line], cwd }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("a name is one word to a shell, and nothing of it runs", async () => {
  await using folder = await tempFolder();
  for (const name of NAMES) {
    assert.equal(await typed(folder.path, `printf %s ${shellWord(name)}`), name);
  }
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
});

Deno.test("what a scan advises for a file of the repo runs nothing of its name", async () => {
  await using folder = await tempFolder();
  for (const name of NAMES) {
    const path = `${name.replaceAll("/", "_")}/.env`;
    const facts = { untracked: false, bytes: 1 };
    const repo = { files: new Map([[path, facts]]) };
    const [found] = [...environmentTracked.check(repo as never)];
    const said = await typed(folder.path, found!.fix!.replace(/^git rm --cached/, "printf %s"));
    assert.equal(said, path);
  }
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
});

/** All of them are names that git takes for a branch (git-check-ref-format(1)). */
const BRANCHES = [
  "main;touch${IFS}pwned",
  "$(touch${IFS}pwned)",
  "`touch$IFS`",
  "a|b",
  "it's",
  "main",
];

Deno.test("what is advised for a branch runs nothing of its name", async () => {
  await using folder = await tempFolder();
  for (const branch of BRANCHES) {
    const checked = await new Deno.Command("git", {
      args: ["check-ref-format", "--branch", branch],
    })
      .output();
    assert.equal(checked.code, 0, branch);
    const { action } = personsWait(`"${branch}" to be checked out: "fix" is`)!;
    assert.equal(await typed(folder.path, action.replace(/^git switch/, "printf %s")), branch);
  }
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
});
