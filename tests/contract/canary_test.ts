/**
 * One secret of every kind goes into every input there is, and must come out of none of the outputs.
 * Inputs: environment, arguments, config, scanned files. Outputs: stdout, stderr, `--json`, the
 * command log, the baseline, and whatever else a command leaves under the home. What agents and the
 * dashboard's API leave and answer: tests/program/service_api_test.ts.
 * Keys of `.harness/.env.local`: tests/program/local_keys_test.ts.
 */
import assert from "node:assert/strict";
import { report } from "svc/cli/report.ts";
import { Failure } from "svc/core/failure.ts";
import { secretRules } from "svc/features/guardrails/secret_rules/all.ts";
import { assertAbsent, CANARIES as ALL, filesBelow } from "tests/kit/canaries.ts";
import { capturedEntrance, svc } from "tests/kit/entrance.ts";
import { type TempFolder, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const PEM = (value: string) => value.includes("\n");

const textBelow = async (folder: string) => [...(await filesBelow(folder)).values()].join("\n");

async function ground(): Promise<{ repo: Awaited<ReturnType<typeof tempRepo>>; home: TempFolder }> {
  return { repo: await tempRepo({ files: {} }), home: await tempFolder() };
}

Deno.test("there is a canary of every rule", () => {
  assert.deepEqual(ALL.length, secretRules().length);
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
