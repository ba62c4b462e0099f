/** Completion in real shells under a pseudo-terminal: keys in, and the words that the shell then ran. */
import assert from "node:assert/strict";
import { svcCommand } from "tests/kit/script.ts";
import { verifies } from "tests/kit/verifies.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";

interface Shell {
  readonly name: "bash" | "zsh" | "fish";
  /** Starts it without anybody's start-up files. */
  readonly line: string;
  /** Loads what `svc completion` prints, with more flags. */
  readonly load: (flags: string) => string;
  /** Keys that make it list the candidates. */
  readonly list: string;
  /** Prints the names of its variables, one a line. */
  readonly names: string;
}

const SHELLS: readonly Shell[] = [
  {
    name: "bash",
    line: "bash --noprofile --norc -i",
    // A user's strict mode must not break the script, nor the script the user's shell.
    load: (flags) => `set -u; source <(PRINT=1 svc completion bash ${flags})`,
    list: "\t\t",
    names: "compgen -v",
  },
  {
    name: "zsh",
    line: "zsh --no-rcs -i",
    load: (flags) => `source <(PRINT=1 svc completion zsh ${flags})`,
    list: "\t",
    names: "print -l ${(k)parameters}",
  },
  {
    name: "fish",
    line: "fish",
    load: (flags) => `PRINT=1 svc completion fish ${flags} | source`,
    list: "\t",
    names: "set --names",
  },
];

type Case = readonly [typed: string, words: readonly string[]];

/** Answered by svc itself. */
const PROGRAM: readonly Case[] = [
  ["svc comp\tba\t", ["completion", "bash"]],
  ["svc comp\t--no\tfi\t", ["completion", "--no-descriptions", "fish"]],
  ["svc --json ver\t--pl\t", ["--json", "version", "--plain"]],
  ["svc help comp\t", ["help", "completion"]],
  ["svc no-such \t", ["no-such"]],
];

/** Answered over the sample tree, with roles from the manifest at hand. */
const VALUES: readonly Case[] = [
  ["svc upg\t", ["upgrade"]],
  ["svc update h\t", ["update", "harness"]],
  ["svc run --exec\tho\t", ["run", "--execution-profile", "host"]],
  ["svc run --execution-profile=i\t", ["run", "--execution-profile=isolated"]],
  ["svc run eng\t--deb\t", ["run", "engineer", "--debug"]],
  ["svc run qa\t", ["run", "qa lead"]],
  ["svc run qa\\ l\t", ["run", "qa lead"]],
  ['svc run "qa\t', ["run", "qa lead"]],
  ["svc run 'qa l\t", ["run", "qa lead"]],
  ["svc run it\t", ["run", "it's mine"]],
  ['svc run "it\t', ["run", "it's mine"]],
  ["svc run say\t", ["run", 'say "hi"']],
  ['svc run "say\t', ["run", 'say "hi"']],
  ["svc run back\t", ["run", "back\\slash"]],
  ["svc run team:a\t", ["run", "team:alpha"]],
  ["svc run \\$\t", ["run", "$(touch pwned)"]],
  ['svc run "price\t', ["run", "price $HOME `touch pwned`"]],
  ["svc run --role qa\t", ["run", "--role", "qa lead"]],
  ["svc run --role=qa\t", ["run", "--role=qa lead"]],
  ['svc run --role="qa\t', ["run", "--role=qa lead"]],
  ["svc run --role=team:b\t", ["run", "--role=team:beta"]],
  ["svc run --trace no\t", ["run", "--trace", "notes of mine.txt"]],
  ["svc run --trace=no\t", ["run", "--trace=notes of mine.txt"]],
  ["svc run --trace fo\tin\t", ["run", "--trace", "folder/inner"]],
  ["svc run engineer 2>>no\t", ["run", "engineer"]],
  ["svc run engineer 2>> no\t", ["run", "engineer"]],
  ["svc checks run -- only-\tno\t", [
    "checks",
    "run",
    "--",
    "only-here",
    "notes of mine.txt",
  ]],
];

/** Not for fish, which before 4.1 takes the file of a redirection for a word of the command. */
const REDIRECTED: Case = ["svc 2>/dev/null run qa\t", ["run", "qa lead"]];

const MANIFEST = `version: 1
roles:
  engineer: {tier: standard}
  qa lead:
    tier: small
  it's mine:
  "say \\"hi\\"":
  back\\slash:
  "$(touch pwned)": {}
  "price $HOME \`touch pwned\`": {}
  team:alpha: {}
  "team:beta": {}
`;

/** A folder with a repo, a home, and a `svc` that completes for real and prints the words it is run with. */
async function place(answering: readonly string[]) {
  const root = await Deno.makeTempDir({ prefix: "svc-shells-" });
  // With that folder, fish does not start by reading every manual page in the background.
  const manuals = "home/.local/share/fish/generated_completions";
  for (const folder of ["bin", manuals, "repo/.harness", "repo/folder"]) {
    await Deno.mkdir(`${root}/${folder}`, { recursive: true });
  }
  await Deno.writeTextFile(`${root}/repo/.harness/manifest.yaml`, MANIFEST);
  await Deno.writeTextFile(`${root}/repo/notes of mine.txt`, "");
  await Deno.writeTextFile(`${root}/repo/folder/inner`, "");
  await Deno.writeTextFile(`${root}/bin/only-here`, "#!/bin/sh\n", { mode: 0o755 });
  const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(
    `${root}/bin/svc`,
    `#!/bin/sh
[ "$1" = __complete ] && exec ${quoted(answering)} "$@"
[ -n "\${PRINT-}" ] && exec ${quoted(svcCommand())} "$@"
printf 'ran'; printf '<%s>' "$@"; printf 'end\\n'
`,
    { mode: 0o755 },
  );
  return {
    root,
    start: {
      cwd: `${root}/repo`,
      env: {
        PATH: `${root}/bin:${Deno.env.get("PATH") ?? "/usr/bin:/bin"}`,
        HOME: `${root}/home`,
        DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
        TERM: "xterm",
        LANG: "C.UTF-8",
      },
    },
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

const SAMPLE_SVC = [
  Deno.execPath(),
  "run",
  "-A",
  "--quiet",
  decodeURIComponent(new URL("sample_svc.ts", import.meta.url).pathname),
];

async function prove(terminal: PseudoTerminal, cases: readonly Case[]): Promise<void> {
  for (const [typed, words] of cases) {
    await terminal.type(`${typed}\r`);
    const [, ran] = await terminal.seen(/ran(<[^\r\n]*>)end\r?\n/);
    assert.equal(ran, words.map((word) => `<${word}>`).join(""), JSON.stringify(typed));
  }
}

/** All that it prints for a list of candidates: one begins with `mark`. */
async function listOf(terminal: PseudoTerminal, keys: string, mark: string): Promise<string> {
  await terminal.type(keys);
  const [list] = await terminal.seen(new RegExp(`[^]*?${mark}`));
  await terminal.type("\x15svc over\r");
  const [after] = await terminal.seen(/[^]*?ran<over>end\r?\n/);
  return list + after;
}

async function missing(program: string): Promise<boolean> {
  const { success } = await new Deno.Command("sh", {
    args: ["-c", `command -v ${program} && command -v script`],
    stdout: "null",
  }).output();
  if (!success) console.log(`skipped: ${program} or script is not installed`);
  return !success;
}

async function open({ line }: Shell, answering: readonly string[]) {
  const here = await place(answering);
  const terminal = new PseudoTerminal({ line, ...here.start });
  return {
    root: here.root,
    terminal,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await here[Symbol.asyncDispose]();
    },
  };
}

const ignored = new Map(
  await Promise.all(SHELLS.map(async ({ name }) => [name, await missing(name)] as const)),
);

type Options = Pick<Deno.TestDefinition, "ignore">;
type Proof = (name: string, options: Options, fn: () => Promise<void>) => void;

/** Each shell's promise, as a literal. */
const proves: Record<string, Proof> = {
  bash: (...test) => verifies("4.5:completion:bash", ...test),
  zsh: (...test) => verifies("4.5:completion:zsh", ...test),
  fish: (...test) => verifies("4.5:completion:fish", ...test),
};

for (const shell of SHELLS) {
  const { name, load, list, names } = shell;
  const ignore = ignored.get(name)!;

  proves[name]!(`${name} completes commands, flags and choices of svc`, { ignore }, async () => {
    await using here = await open(shell, svcCommand());
    await here.terminal.type(`${load("")}\r`);
    await prove(here.terminal, PROGRAM);
    const shown = await listOf(here.terminal, `svc version --${list}`, "--plain");
    assert.match(shown, /--json.*Print one JSON object/);
  });

  proves[name]!(`${name} completes values with blanks, quotes and colons`, { ignore }, async () => {
    await using here = await open(shell, SAMPLE_SVC);
    await here.terminal.type(`${load("")}\r`);
    await prove(here.terminal, name === "fish" ? VALUES : [...VALUES, REDIRECTED]);
    const files = await Array.fromAsync(Deno.readDir(`${here.root}/repo`), (entry) => entry.name);
    // Nothing that a repo names was run, and no redirection took an unfinished name.
    assert.deepEqual(files.sort(), [".harness", "folder", "notes of mine.txt"]);
  });

  verifies(
    "4.5:completion:no-descriptions",
    `${name} lists names alone where descriptions are not wanted`,
    { ignore },
    async () => {
      await using here = await open(shell, svcCommand());
      await here.terminal.type(`${load("--no-descriptions")}\r`);
      await prove(here.terminal, PROGRAM.slice(0, 1));
      const shown = await listOf(here.terminal, `svc version --${list}`, "--plain");
      assert.match(shown, /--json/);
      assert.doesNotMatch(shown, /Print one/);
    },
  );

  Deno.test({
    name: `${name} keeps no variable of a completion`,
    ignore,
    async fn() {
      await using here = await open(shell, SAMPLE_SVC);
      const keep = (file: string) => `${names} | sort > ${here.root}/${file}\r`;
      // The first completion of all loads what belongs to the shell.
      await here.terminal.type(`${load("")}\rtrue only-\t\r`);
      await here.terminal.type(keep("before"));
      await prove(here.terminal, [["svc run qa\t", ["run", "qa lead"]]]);
      await here.terminal.type(keep("after"));
      await prove(here.terminal, [["svc over", ["over"]]]);
      const before = new Set((await Deno.readTextFile(`${here.root}/before`)).split("\n"));
      const after = (await Deno.readTextFile(`${here.root}/after`)).split("\n");
      assert.ok(before.size > 20);
      assert.deepEqual(after.filter((variable) => !before.has(variable)), []);
    },
  });
}

Deno.test({
  name: "bash completes with other settings of Readline and in strict mode",
  ignore: ignored.get("bash")!,
  async fn() {
    const shell = SHELLS[0]!;
    await using here = await open(shell, SAMPLE_SVC);
    await here.terminal.type(
      "set -eu; COMP_WORDBREAKS=${COMP_WORDBREAKS//[:@]/}; bind 'set show-all-if-ambiguous on'\r",
    );
    await here.terminal.type(`${shell.load("")}\r`);
    await prove(here.terminal, [
      ["svc run te\ta\t", ["run", "team:alpha"]],
      ["svc run --execution-\tho\t", ["run", "--execution-profile", "host"]],
      ["svc s\tc\t", ["scores"]],
      ["svc no-such \t", ["no-such"]],
    ]);
  },
});

Deno.test({
  name: "zsh and fish find the script in the folder they look into",
  ignore: ignored.get("zsh")! || ignored.get("fish")!,
  async fn() {
    const [, zsh, fish] = SHELLS;
    const kept: Case[] = [["svc run qa\t", ["run", "qa lead"]], ["svc s\tc\t", ["scores"]]];
    {
      await using here = await open(zsh!, SAMPLE_SVC);
      await here.terminal.type("PRINT=1 svc completion zsh > ~/_svc; fpath=(~ $fpath)\r");
      await here.terminal.type("autoload -Uz compinit; compinit -i\r");
      await prove(here.terminal, kept);
    }
    await using here = await open(fish!, SAMPLE_SVC);
    await here.terminal.type("set -l to ~/.config/fish/completions; mkdir -p $to\r");
    await here.terminal.type("PRINT=1 svc completion fish > $to/svc.fish\r");
    await prove(here.terminal, kept);
  },
});
