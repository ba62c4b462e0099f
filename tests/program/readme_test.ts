/** Every command line of the README: those that show what they print are run, and print it. */
import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { repoRoot, svcCommand } from "tests/kit/script.ts";
import { fits, still } from "tests/kit/shown_output.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { DEMO } from "demo/model.ts";

interface Shown {
  readonly command: string;
  readonly output: readonly string[];
  /** It serves: a Ctrl-C when it has said this. */
  readonly until: string | undefined;
}

const README = await Deno.readTextFile(`${repoRoot}README.md`);
/** What the README calls the model's endpoint. */
const ENDPOINT = "http://127.0.0.1:8080/v1";

function fences(language: string): { readonly body: string; readonly until: string | undefined }[] {
  const pattern = new RegExp(
    `(?:<!-- until: (.+?) -->\\s*)?^\`\`\`${language}\\n([^]*?)^\`\`\`$`,
    "gm",
  );
  return [...README.matchAll(pattern)].map(([, until, body = ""]) => ({ body, until }));
}

function shown(): Shown[] {
  return fences("console").flatMap(({ body, until }) =>
    body.split(/^\$ /m).slice(1).map((part) => {
      const [command = "", ...output] = part.trimEnd().split("\n");
      return { command, output, until: command.startsWith("svc start") ? until : undefined };
    })
  );
}

async function run(
  { command, until }: Shown,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const child = new Deno.Command("sh", {
    args: ["-c", `${until === undefined ? "" : "exec "}${command} 2>&1`],
    ...{ cwd, env, clearEnv: true, stdin: "null", stdout: "piped" },
  }).spawn();
  let output = "";
  let asked = false;
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    if (until === undefined || asked || !output.includes(until)) continue;
    asked = true;
    child.kill("SIGINT");
  }
  await child.status;
  return output;
}

Deno.test("what the README shows is what its commands print", async () => {
  await using folder = await tempFolder("svc-readme-");
  await using model = modelEndpoint(DEMO);
  const home = folder.path;
  const cwd = `${home}/tally`;
  await Deno.mkdir(`${home}/bin`);
  const words = svcCommand().map((word) => `'${word}'`).join(" ");
  await Deno.writeTextFile(`${home}/bin/svc`, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const env = {
    ...{ HOME: home, PATH: `${home}/bin:${Deno.env.get("PATH")}`, LC_ALL: "C.UTF-8" },
    ...{ DENO_DIR: Deno.env.get("DENO_DIR") ?? "", DENO_NO_PROMPT: "1" },
    ...{ GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@example.org" },
    ...{ GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@example.org" },
  };
  const prepare = [
    `cp -r '${repoRoot}demo/sample' '${cwd}' && cd '${cwd}' && git init --quiet --initial-branch=main`,
    "git add --all && git commit --quiet --message 'feat: mean and median'",
  ].join(" && ");
  assert.equal(
    await run({ command: prepare, output: [], until: undefined }, { cwd: home, env }),
    "",
  );
  for (const one of shown()) {
    const command = one.command.replaceAll(ENDPOINT, model.url);
    const said = (await run({ ...one, command }, { cwd, env }))
      .replaceAll(model.url, ENDPOINT).replaceAll(home, "~").trimEnd();
    const actual = said === "" ? [] : still(said).split("\n");
    const expected = one.output.length === 0 ? [] : still(one.output.join("\n")).split("\n");
    assert.ok(
      fits(expected, actual),
      `$ ${one.command}\n\nThe README says:\n${expected.join("\n")}\n\nIt printed:\n${
        actual.join("\n")
      }`,
    );
  }
});

/** The other lines, by how they begin, and what proves them. */
const PROVEN: readonly (readonly [begin: string, by: string])[] = [
  ["make demo", "tests/program/demo_test.ts"],
  ["svc start ", "tests/program/start_test.ts"],
  ["make install", "tests/unit/tools/builds_test.ts"],
  ["svc path setup", "tests/unit/features/setup/shell_path_test.ts"],
  ["svc setup", "tests/program/setup_test.ts"],
  ["svc doctor", "tests/scripts/doctor.txtar"],
  ["svc models override", "tests/scripts/models_override.txtar"],
  ["svc models explain", "tests/scripts/models_explain.txtar"],
  ["svc models evaluate", "tests/program/models_evaluate_test.ts"],
  ["svc validation agent-smoke", "tests/program/agent_smoke_test.ts"],
  ['eval "$(svc dashboard secret)"', "tests/shells/dashboard_secret_shells_test.ts"],
];

Deno.test("every other command line of the README is proven by a test that is there", async () => {
  const lines = fences("sh").flatMap(({ body }) => body.split("\n")).filter((line) => line !== "");
  assert.ok(lines.length > 5);
  for (const line of lines) {
    const by = PROVEN.find(([begin]) => line.startsWith(begin))?.[1];
    assert.ok(by !== undefined, `nothing proves "${line}"`);
    await Deno.stat(`${repoRoot}${by}`);
  }
});
