/** What svc says to type is typed: a real shell reads each word back as it was, and runs nothing of it. */
import assert from "node:assert/strict";
import { shellWord } from "svc/core/shell_word.ts";
import { environmentTracked } from "svc/features/scanner/rules/hygiene.ts";
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
