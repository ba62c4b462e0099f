import assert from "node:assert/strict";
import fc from "fast-check";
import { shellWord } from "svc/core/shell_word.ts";
import { shellWords } from "svc/core/shell_words.ts";

const words = (line: string) => {
  const read = shellWords(line);
  return "words" in read ? read.words : read.fault;
};

Deno.test("a command line is split as a shell splits it", () => {
  for (
    const [line, wanted] of [
      ["npm test", ["npm", "test"]],
      ["  deno   test\t-A ", ["deno", "test", "-A"]],
      [`git commit -m "fix: it's done"`, ["git", "commit", "-m", "fix: it's done"]],
      [`grep -n 'a | b && $c' src`, ["grep", "-n", "a | b && $c", "src"]],
      [`echo "" ''`, ["echo", "", ""]],
      [`echo a\\ b "c\\"d" "e\\f" \\*`, ["echo", "a b", 'c"d', "e\\f", "*"]],
      [`find . -name '*.ts' -exec wc -l {} \\;`, [
        ..."find . -name *.ts -exec wc -l {} ;".split(" "),
      ]],
      ["npm \\\n  test", ["npm", "test"]],
      [`grep "end$" a$ b#c x=y`, ["grep", "end$", "a$", "b#c", "x=y"]],
      [`"if" x`, ["if", "x"]],
      ["git log --format=%H HEAD~3", ["git", "log", "--format=%H", "HEAD~3"]],
    ] as const
  ) assert.deepEqual(words(line), wanted, line);
});

Deno.test("what only a shell can do is refused with what it was", () => {
  for (
    const [line, why] of [
      ["npm test && npm run lint", /^"&" joins/],
      ["a | b", /^"\|" joins/],
      ["a > b", /^">" joins/],
      ["a; b", /^";" joins/],
      ["a\nb", /parts two commands/],
      ["(a)", /^"\(" joins/],
      ["echo $HOME", /\$ stands for a value/],
      ['echo "$(id)"', /\$ stands for a value/],
      ["echo `id`", /runs a command inside/],
      ['echo "`id`"', /runs a command inside/],
      ["ls *.ts", /names of files/],
      ["ls a?", /names of files/],
      ["ls ~/x", /a folder/],
      ["ls {a,b}", /several words/],
      ["echo x # y", /a comment/],
      ["CI=1 npm test", /sets a variable; as words: \["env"/],
      ["cd src", /"cd" is a word of the shell/],
      ["if true", /word of the shell/],
      ["echo 'a", /a ' is not closed/],
      ['echo "a', /a " is not closed/],
      ["echo \\", /ends in a backslash/],
      ["  ", /is empty/],
    ] as const
  ) assert.match(String(words(line)), why, line);
});

/** Debian's dash, and bash: what /bin/sh is, and what models think of. */
const SHELLS = ["/bin/dash", "/bin/bash", "/bin/sh"].filter((path) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
});

/** The words as the shell passes them to a program. */
async function splitBy(shell: string, lines: readonly string[]): Promise<string[][]> {
  const script = lines.map((line) => `printf '%s\\0' ${line}\nprintf '\\001\\0'\n`).join("");
  const folder = await Deno.makeTempDir();
  const { stdout, stderr, success } = await new Deno.Command(shell, {
    args: ["-c", script],
    cwd: folder,
    clearEnv: true,
    env: { PATH: "/nonexistent", HOME: "/home/nobody" },
  }).output();
  await Deno.remove(folder);
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\x01\0").slice(0, -1)
    .map((part) => part.split("\0").slice(0, -1));
}

Deno.test("whatever is split, real shells split alike", async () => {
  assert.notDeepEqual(SHELLS, []);
  const signs = [
    ..."ab= \t\"'\\$#~{},.;|&<>()*?[]!%^:@-/+`\n",
    ...['"a b"', "'a b'", "{a,b}", "{1..3}", "{}", "$a", "a$", '"$"', "\\ ", "a=~", "a=b", '"\\a"'],
  ];
  const lines = fc.sample(fc.array(fc.constantFrom(...signs), { minLength: 1, maxLength: 14 }), {
    numRuns: 6000,
    seed: 17,
  }).map((all) => `a ${all.join("")}`);
  const split = lines.flatMap((line) => {
    const read = shellWords(line);
    return "words" in read ? [{ line: line.trim(), words: read.words }] : [];
  });
  assert.ok(split.length > 300, `${split.length} lines need no shell`);
  for (const shell of SHELLS) {
    const real = await splitBy(shell, split.map(({ line }) => line));
    split.forEach(({ line, words }, at) => assert.deepEqual(real[at], words, `${shell}: ${line}`));
  }
});

Deno.test("no line throws or takes long, and words that are quoted come back", () => {
  fc.assert(fc.property(fc.string(), (line) => void shellWords(line)));
  const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  fc.assert(fc.property(fc.array(fc.string(), { minLength: 1 }), (all) => {
    assert.deepEqual(words(all.map(quoted).join(" ")), all);
  }));
  for (const sign of ["a ", '"', "'", "\\", "{", "{a,", "$", "\\\n", "~", '"\\']) {
    shellWords(sign.repeat(1_000_000 / sign.length));
  }
});

Deno.test("a quoted word is read back as it was", () => {
  for (const word of ["main", "it's; new", "a b", "$(id)", "x`y`", "", "feat/é", "-n", '"', "\\"]) {
    assert.deepEqual(shellWords(`say ${shellWord(word)}`), { words: ["say", word] });
  }
});
