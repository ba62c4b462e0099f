/** Each question of svc at a terminal ends at once when the person leaves it, and nothing is written. */
import assert from "node:assert/strict";
import { svcCommand } from "tests/kit/script.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";

interface Question {
  readonly of: string;
  readonly asks: RegExp;
  readonly leaves: string;
  readonly says: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

const QUESTIONS: readonly Question[] = [
  {
    of: "init",
    asks: /Try these once .*\[y\/N\] $/,
    leaves: CTRL_C,
    says: /Cannot try the checks: no answer was given/,
  },
  {
    of: "checks try",
    asks: /Try these once .*\[y\/N\] $/,
    leaves: CTRL_D,
    says: /Cannot try the checks: no answer was given/,
  },
  {
    of: "models credentials write-local-env --api-key-env OPENAI_API_KEY",
    asks: /Write OPENAI_API_KEY in .*\[y\/N\] $/,
    leaves: CTRL_C,
    says: /Cannot copy "OPENAI_API_KEY": no answer was given/,
    env: { OPENAI_API_KEY: "sk-of-nobody" },
  },
  {
    of: "auth github setup",
    asks: /Token for reading the releases .*: $/,
    leaves: CTRL_C,
    says: /svc: Interrupted/,
  },
  {
    of: "setup --plain",
    asks: /Number, or Enter for 1: $/,
    leaves: CTRL_C,
    says: /Cannot set up svc: no answer was given/,
    env: { OPENAI_API_KEY: "sk-of-nobody", ANTHROPIC_API_KEY: "sk-of-nobody" },
  },
];

for (const { of, asks, leaves, says, env: more } of QUESTIONS) {
  const key = leaves === CTRL_C ? "Ctrl-C" : "Ctrl-D";
  Deno.test(`${key} leaves the question of svc ${of}`, async () => {
    await using home = await tempFolder();
    const files = { "go.mod": "module x\n", ".gitignore": ".harness/.env.local\n" };
    await using repo = await tempRepo({ files, commit: true });
    const cache = Deno.env.get("DENO_DIR");
    const env = {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: Deno.env.get("HOME") ?? "/",
      SVC_HOME: `${home.path}/svc`,
      TERM: "xterm",
      ...(cache !== undefined && { DENO_DIR: cache }),
      ...more,
    };
    const line = `sh -c 'trap : INT; ${svcCommand().join(" ")} ${of}; echo status $?'`;
    await using terminal = new PseudoTerminal({ line, cwd: repo.path, env });
    await terminal.seen(asks);
    await terminal.type(leaves);
    await terminal.seen(says);
    await terminal.seen(/status 130/);
    const { stdout } = await new Deno.Command("git", {
      args: ["status", "--porcelain"],
      cwd: repo.path,
    }).output();
    assert.equal(new TextDecoder().decode(stdout), "");
  });
}
