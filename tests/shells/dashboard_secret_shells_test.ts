/** Debian's shells evaluate what `svc dashboard secret` prints, and start svc with it. */
import assert from "node:assert/strict";
import { CONTROL_SECRET_BYTES } from "svc/core/bounds.ts";
import { svcCommand, treeHash } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const NAME = "SVC_DASHBOARD_CONTROL_SECRET";
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(" ");
const svc = quoted(svcCommand());

/** What a person types in each shell; then a program that is started there tells what it was given. */
const TYPED: Readonly<Record<string, string>> = {
  bash: `eval "$(${svc} dashboard secret)"`,
  zsh: `eval "$(${svc} dashboard secret)"`,
  dash: `eval "$(${svc} dashboard secret)"`,
  ksh: `eval "$(${svc} dashboard secret)"`,
  fish: `${svc} dashboard secret --shell fish | source`,
  tcsh: `eval \`${svc} dashboard secret --shell tcsh\``,
};

async function typedIn(shell: string, line: string, home: string) {
  const env = {
    PATH: "/usr/bin:/bin",
    HOME: home,
    SVC_HOME: `${home}/.svc`,
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
    ...{ LANG: "C.UTF-8", TERM: "dumb" },
  };
  const { code, stdout, stderr } = await new Deno.Command(shell, {
    args: ["-c", `${line}; printenv ${NAME}`],
    ...{ env, clearEnv: true, cwd: home, stdin: "null" as const },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

for (const [shell, line] of Object.entries(TYPED)) {
  const there = await Deno.stat(`/usr/bin/${shell}`).then(() => true, () => false);
  if (!there) console.warn(`a test is ignored: ${shell} is not installed; try: tools/programs.sh`);
  Deno.test(`${shell} sets the secret for what is started there`, { ignore: !there }, async () => {
    await using home = await tempFolder();
    const before = await treeHash(home.path);
    const { code, stdout, stderr } = await typedIn(shell, line, home.path);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^[\w-]{43}\n$/);
    assert.ok(stdout.length > CONTROL_SECRET_BYTES);
    assert.equal(stderr, "");
    if (shell !== "fish") assert.equal(await treeHash(home.path), before); // fish keeps files of its own
  });
}

verifies(
  ["5:control-secret:environment-only", "5:control-secret:never-written"],
  "each call prints another secret, on standard output alone, and nothing keeps it",
  async () => {
    await using home = await tempFolder();
    const before = await treeHash(home.path);
    const told = new Set<string>();
    for (let call = 0; call < 2; call++) {
      const { stdout, stderr } = await typedIn(
        "dash",
        `${svc} dashboard secret; export ${NAME}=x`,
        home.path,
      );
      const [line, ...rest] = stdout.split("\n");
      assert.match(line!, /^export SVC_DASHBOARD_CONTROL_SECRET=[\w-]{43}$/);
      assert.deepEqual(rest, ["x", ""]);
      assert.equal(stderr, "");
      told.add(line!);
    }
    assert.equal(told.size, 2);
    assert.equal(await treeHash(home.path), before);
  },
);
