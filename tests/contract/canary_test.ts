/**
 * One secret of every kind goes into every input there is, and must come out of none of the outputs.
 * Inputs: environment, arguments, config, scanned files. Outputs: stdout, stderr, `--json`, the
 * command log, the baseline, and whatever else a command leaves under the home.
 */
import assert from "node:assert/strict";
import { report } from "svc/cli/report.ts";
import { Failure } from "svc/core/failure.ts";
import { compileRules, scanText } from "svc/features/guardrails/scan_text.ts";
import { SECRET_RULES } from "svc/features/guardrails/secret_rules/all.ts";
import { Draw } from "svc/features/guardrails/secret_rules/draw.ts";
import { capturedEntrance, svc } from "tests/kit/entrance.ts";
import { type TempFolder, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

interface Canary {
  readonly rule: string;
  readonly kind: string;
  /** A line that holds the value as people write it. */
  readonly line: string;
  readonly value: string;
}

const rules = compileRules(SECRET_RULES);

function canaries(): Canary[] {
  return SECRET_RULES.flatMap((rule, at) => {
    const line = rule.examples(new Draw(7000 + at))[0]!;
    const { hits } = scanText(line, rules, { now: () => 0 });
    const value = hits[0]?.secret;
    return value === undefined ? [] : [{ rule: rule.id, kind: rule.kind, line, value }];
  });
}

const ALL = canaries();
const PEM = (value: string) => value.includes("\n");

async function textBelow(folder: string): Promise<string> {
  let all = "";
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory) all += await textBelow(`${folder}/${name}`);
    else if (isFile) all += await Deno.readTextFile(`${folder}/${name}`);
  }
  return all;
}

function assertAbsent(canary: Canary, output: string, where: string): void {
  for (
    const form of [
      canary.value,
      btoa(String.fromCharCode(...new TextEncoder().encode(canary.value))),
    ]
  ) {
    const at = output.indexOf(form);
    assert.equal(
      at,
      -1,
      `${canary.rule} shows in ${where}: …${output.slice(Math.max(0, at - 40), at)}`,
    );
  }
}

async function ground(): Promise<{ repo: Awaited<ReturnType<typeof tempRepo>>; home: TempFolder }> {
  return { repo: await tempRepo({ files: {} }), home: await tempFolder() };
}

Deno.test("there is a canary of every rule", () => {
  assert.deepEqual(ALL.length, SECRET_RULES.length);
  assert.ok(ALL.filter(({ kind }) => kind === "structured").length >= 60);
});

Deno.test("a scanned file: no value in stdout, --json, stderr, the log or the baseline", async () => {
  const { repo, home } = await ground();
  await using _repo = repo;
  await using _home = home;
  for (const [at, { line }] of ALL.entries()) await repo.write(`file${at}.txt`, `${line}\n`);
  const env = { SVC_HOME: home.path, PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home.path };
  for (const modes of [[], ["--json"], ["--write-baseline"]]) {
    const args = ["guardrails", "secret-scan", "--repo", repo.path, ...modes];
    const { code, stdout, stderr } = await svc(args, { env });
    assert.equal(code, modes[0] === "--write-baseline" ? 0 : 1, stderr);
    for (const canary of ALL) assertAbsent(canary, stdout + stderr, `output of ${args.join(" ")}`);
  }
  const written = await textBelow(home.path) + await repo.read(".harness/secret-baseline.json");
  for (const canary of ALL) assertAbsent(canary, written, "files that the scan wrote");
});

Deno.test("an argument: a structured secret typed by mistake is not shown", async () => {
  for (const canary of ALL) {
    if (canary.kind !== "structured" || PEM(canary.value)) continue;
    const { stdout, stderr } = await svc(["version", canary.line]);
    assertAbsent(canary, stdout + stderr, "the failure about an argument");
  }
});

Deno.test("the environment and the config: a known value is not shown, whatever its shape", async () => {
  const { repo, home } = await ground();
  await using _repo = repo;
  await using _home = home;
  for (const canary of ALL) {
    if (PEM(canary.value)) continue;
    for (const place of ["env", "config"]) {
      const config = place === "config" ? `codehost_token: ${JSON.stringify(canary.value)}\n` : "";
      await home.write("config.yaml", config);
      const env = {
        SVC_HOME: home.path,
        ...(place === "env" && { SVC_TELEMETRY_TOKEN: canary.value }),
      };
      for (const args of [["scan"], ["scan", "--json"]]) {
        const { entrance, stdout, stderr } = capturedEntrance({ env });
        const cause = new Error(`raw ${canary.value}`);
        await report(entrance, args, new Failure("internal", `Cannot: ${canary.value}`, { cause }));
        assertAbsent(canary, stdout.text + stderr.text, `a failure, ${place}`);
      }
    }
  }
  await Deno.remove(`${home.path}/config.yaml`);
  const logs = await textBelow(`${home.path}/traces`);
  assert.ok(logs.includes("raw [redacted"), "the causes were logged");
  for (const canary of ALL) if (!PEM(canary.value)) assertAbsent(canary, logs, "the command log");
});
