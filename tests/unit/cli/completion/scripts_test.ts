import assert from "node:assert/strict";
import { openParsers } from "svc/platform/tree_sitter.ts";
import { type CompletionShell, SHELLS } from "svc/cli/completion/scripts.ts";
import { svc } from "tests/kit/entrance.ts";
import { verifies } from "tests/kit/verifies.ts";

async function scriptOf(shell: CompletionShell, ...flags: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await svc(["completion", shell, ...flags]);
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

/** Runs a program over a file; undefined where it is not installed. */
async function judged(program: string, args: readonly string[], text: string) {
  const file = await Deno.makeTempFile({ prefix: "svc-script-" });
  try {
    await Deno.writeTextFile(file, text);
    const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args, file] })
      .output();
    const said = new TextDecoder();
    return { code, said: said.decode(stdout) + said.decode(stderr) };
  } finally {
    await Deno.remove(file);
  }
}

async function missing(program: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", `command -v ${program}`],
    stdout: "null",
  }).output();
  if (!success) console.log(`skipped: ${program} is not installed; try: tools/programs.sh`);
  return !success;
}

const JUDGES:
  readonly (readonly [shell: CompletionShell, program: string, args: readonly string[]])[] = [
    ["bash", "bash", ["-n"]],
    ["bash", "shellcheck", ["--shell=bash", "--severity=style"]],
    ["zsh", "zsh", ["-n"]],
    ["fish", "fish", ["--no-execute"]],
    ["fish", "fish_indent", ["--check"]],
  ];

for (const [shell, program, args] of JUDGES) {
  Deno.test({
    name: `${program} has nothing to say about the script of ${shell}`,
    ignore: await missing(program),
    async fn() {
      for (const flags of [[], ["--no-descriptions"]]) {
        const result = await judged(program, args, await scriptOf(shell, ...flags));
        assert.deepEqual(result, { code: 0, said: "" });
      }
    },
  });
}

for (const shell of SHELLS) {
  Deno.test(`the script of ${shell} says how to load it and evaluates nothing`, async () => {
    const script = await scriptOf(shell);
    const head = script.slice(0, script.indexOf("\n\n"));
    assert.match(head, new RegExp(`this session:.*svc completion ${shell}`));
    assert.match(head, new RegExp(`every session:.*svc completion ${shell}`));
    const code = script.split("\n").filter((line) => !line.trim().startsWith("#")).join("\n");
    assert.doesNotMatch(code, /\beval\b|Invoke-Expression|\biex\b/i);
    assert.equal(code.match(/__complete'? /g)?.length, 1);
  });

  verifies(
    "4.5:completion:no-descriptions",
    `the script of ${shell} asks for names alone with --no-descriptions`,
    async () => {
      assert.doesNotMatch(await scriptOf(shell), /--no-descriptions/);
      assert.match(
        await scriptOf(shell, "--no-descriptions"),
        /svc '?__complete'? --no-descriptions /,
      );
    },
  );
}

verifies(
  "4.5:completion:powershell",
  "the script of powershell is the golden file, in what is asked and how it is registered",
  async () => {
    const script = await scriptOf("powershell");
    const golden = new URL("../../../golden/completion.ps1", import.meta.url);
    assert.equal(script, await Deno.readTextFile(golden));
    // learn.microsoft.com: Register-ArgumentCompleter -Native passes these three, in this order.
    assert.match(script, /Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock \{/);
    assert.match(script, /param\(\$wordToComplete, \$commandAst, \$cursorPosition\)/);
    assert.match(script, /CompletionResult\]::new\(\$text, \$value, 'ParameterValue', \$about\)/);
  },
);

verifies(
  "4.5:completion:powershell",
  "the grammar of PowerShell that VS Code ships reads the script without an error",
  async () => {
    const root = decodeURIComponent(new URL("../../../../", import.meta.url).pathname);
    const parsers = await openParsers({ build: "source", root });
    const parsed = async (source: string) => {
      const tree = await parsers.parse("powershell", source);
      if (typeof tree === "string") throw new Error(tree);
      return tree;
    };
    for (
      const script of [
        await scriptOf("powershell"),
        await scriptOf("powershell", "--no-descriptions"),
      ]
    ) {
      using tree = await parsed(script);
      assert.equal(tree.broken, false);
      const commands = tree.matches("(command command_name: (_) @name)");
      assert(typeof commands !== "string");
      const names = commands.flatMap(({ captures }) => captures.map(({ text }) => text));
      assert.deepEqual(names.slice(0, 3), ["Register-ArgumentCompleter", "Select-Object", "svc"]);
      // The grammar tells a broken script from a whole one.
      using cut = await parsed(script.slice(0, -3));
      assert.equal(cut.broken, true);
    }
  },
);

verifies(
  "4.5:completion:unknown-shell",
  "completion refuses a shell it does not know",
  async () => {
    const { code, stdout, stderr } = await svc(["completion", "tcsh"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /"tcsh": must be one of bash, zsh, fish, powershell/);
    assert.equal((await svc(["completion"])).code, 2);
  },
);
