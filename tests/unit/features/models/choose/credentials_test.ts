import assert from "node:assert/strict";
import { findKey, keyOf } from "svc/features/models/choose/credentials.ts";
import type { ModelFault } from "svc/features/models/client/model.ts";
import {
  LOCAL_ENV_PATH,
  planLocalEnv,
  writeLocalEnv,
} from "svc/features/models/choose/local_env.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { type RepoPlan, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });
const RULES = {
  allowedKeyEnvs: ["OPENAI_API_KEY", "GEMINI_API_KEY"],
  configPath: "/home/ada/.svc/config.yaml",
};
const IGNORE = { ".gitignore": ".harness/.env.local\n" };
const KEY = "sk-test-0123456789";

async function ground(plan: RepoPlan, env: Readonly<Record<string, string>> = {}) {
  const temp = await tempRepo(plan);
  const folder = await openFolder(temp.path);
  const ports = {
    env: { get: (name: string) => env[name] },
    repo: await git.open(temp.path),
    folder,
  };
  return {
    temp,
    ports,
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

Deno.test("findKey: the environment first, then the ignored file, then nowhere", async () => {
  const files = { ...IGNORE, [LOCAL_ENV_PATH]: `OPENAI_API_KEY=${KEY}\n` };
  await using both = await ground({ files }, { OPENAI_API_KEY: "sk-env" });
  await Deno.chmod(`${both.temp.path}/${LOCAL_ENV_PATH}`, 0o600);
  assert.deepEqual(await findKey(both.ports, "OPENAI_API_KEY", RULES), {
    value: "sk-env",
    from: "environment",
    warnings: [],
  });
  const noEnv = { ...both.ports, env: { get: () => "  " } };
  assert.deepEqual(await findKey(noEnv, "OPENAI_API_KEY", RULES), {
    value: KEY,
    from: LOCAL_ENV_PATH,
    warnings: [],
  });
  assert.deepEqual(await findKey(noEnv, "GEMINI_API_KEY", RULES), {
    from: "nowhere",
    warnings: [],
  });
});

Deno.test("findKey asks neither environment nor file for a name that is not allowed", async () => {
  await using made = await ground({ files: { [LOCAL_ENV_PATH]: "SVC_TOKEN=x1\n" } });
  const { ports } = made;
  const env = { get: () => assert.fail("the environment was asked") };
  for (const name of ["AWS_SECRET_ACCESS_KEY", "MISTRAL_API_KEY"]) {
    await assert.rejects(
      findKey({ ...ports, env }, name, RULES),
      (thrown: Error & { code: string; remedy: string }) => {
        assert.equal(thrown.code, "refused");
        assert.match(thrown.remedy, /allowed_key_envs: \["OPENAI_API_KEY", "GEMINI_API_KEY", "/);
        return true;
      },
    );
  }
});

Deno.test("findKey never reads svc's own credentials, whatever its rules allow", async () => {
  await using made = await ground({ files: { [LOCAL_ENV_PATH]: "GITHUB_TOKEN=x1\n" } });
  const env = { get: () => assert.fail("the environment was asked") };
  const names = ["GITHUB_TOKEN", "GH_TOKEN", "SVC_GITHUB_TOKEN", "SVC_DASHBOARD_CONTROL_SECRET"];
  names.push("SVC_GITHUB_WEBHOOK_SECRET", "SVC_LINEAR_WEBHOOK_SECRET", "SVC_TELEMETRY_TOKEN");
  names.push("codehost_token", "github_token");
  for (const name of names) {
    const rules = { ...RULES, allowedKeyEnvs: names };
    await assert.rejects(
      findKey({ ...made.ports, env }, name, rules),
      (thrown: Error & { code: string; remedy: string }) => {
        assert.equal(thrown.code, "refused");
        assert.match(thrown.message, new RegExp(`"${name}": it is a credential of svc or of the`));
        assert.match(thrown.remedy, /a variable of its own/);
        return true;
      },
    );
  }
});

Deno.test("findKey warns of a file that git would pick up or others can read", async () => {
  await using made = await ground({
    files: { [LOCAL_ENV_PATH]: `OPENAI_API_KEY=${KEY}\n` },
  });
  const { ports, temp } = made;
  await Deno.chmod(`${temp.path}/${LOCAL_ENV_PATH}`, 0o644);
  const { value, warnings } = await findKey(ports, "OPENAI_API_KEY", RULES);
  assert.equal(value, KEY);
  assert.deepEqual(warnings.map(({ remedy }) => remedy), [
    "echo .harness/.env.local >> .gitignore",
    "chmod 600 .harness/.env.local",
  ]);
});

Deno.test("findKey takes no key from a tracked file: it is the repo's word", async () => {
  await using made = await ground({
    files: { [LOCAL_ENV_PATH]: `OPENAI_API_KEY=${KEY}\n` },
    commit: true,
  });
  const { ports } = made;
  const { value, from, warnings } = await findKey(ports, "OPENAI_API_KEY", RULES);
  assert.deepEqual([value, from], [undefined, "nowhere"]);
  assert.match(warnings[0]!.text, /tracked by git/);
});

const AT = { endpoint: "https://p.example/v1", model: "m" };

Deno.test("keyOf: none where the route names none; a failure that shows no key where it is missing", async () => {
  await using made = await ground({ files: IGNORE }, { GEMINI_API_KEY: `${KEY} two words` });
  const { ports } = made;
  assert.equal(await keyOf(ports, { ...AT, provider: "ollama" }, RULES), undefined);
  for (
    const [apiKeyEnv, why] of [["OPENAI_API_KEY", "is not set"], ["GEMINI_API_KEY", "is no key"]]
  ) {
    const route = { ...AT, provider: "p", apiKeyEnv: apiKeyEnv! };
    await assert.rejects(
      keyOf(ports, route, RULES),
      (thrown: Error & { code: string; remedy: string }) => {
        assert.equal(thrown.code, "environment");
        assert.equal(thrown.message, `Cannot use provider "p": "${apiKeyEnv}" ${why}`);
        assert.match(thrown.remedy, /write-local-env --api-key-env/);
        assert.equal((thrown.cause as ModelFault).kind, "auth");
        assert.ok(!`${thrown.message}${thrown.remedy}`.includes(KEY));
        return true;
      },
    );
  }
});

verifies(
  ["2.1:env-local:ignored-by-git", "2.1:env-local:owner-only"],
  "writeLocalEnv keeps other lines, is for the owner only, and refuses a file that git keeps",
  async () => {
    const before = `# mine\nOTHER=1\nOPENAI_API_KEY=old\n`;
    await using done = await ground({ files: { ...IGNORE, [LOCAL_ENV_PATH]: before } });
    const path = `${done.temp.path}/${LOCAL_ENV_PATH}`;
    await Deno.chmod(path, 0o644);
    const plan = await planLocalEnv(done.ports, "OPENAI_API_KEY", KEY);
    assert.equal(plan.change, "replaced");
    assert.equal(await done.temp.read(LOCAL_ENV_PATH), before);
    await writeLocalEnv(done.ports.folder, plan);
    assert.equal(await done.temp.read(LOCAL_ENV_PATH), before.replace("old", KEY));
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
    assert.equal((await planLocalEnv(done.ports, "OPENAI_API_KEY", KEY)).change, "unchanged");
    // A file that others can read is written again even when the key is the same.
    await Deno.chmod(path, 0o640);
    assert.equal((await planLocalEnv(done.ports, "OPENAI_API_KEY", KEY)).change, "replaced");
    // Somebody else wrote it between the plan and the write.
    await done.temp.write(LOCAL_ENV_PATH, "OTHER=2\n");
    await assert.rejects(writeLocalEnv(done.ports.folder, plan), { code: "conflict" });

    await using fresh = await ground({ files: IGNORE });
    const added = await planLocalEnv(fresh.ports, "OPENAI_API_KEY", KEY);
    assert.equal(added.change, "added");
    await writeLocalEnv(fresh.ports.folder, added);
    const made = await Deno.stat(`${fresh.temp.path}/${LOCAL_ENV_PATH}`);
    assert.equal(made.mode! & 0o777, 0o600);

    await using loose = await ground({ files: {} });
    await assert.rejects(planLocalEnv(loose.ports, "OPENAI_API_KEY", KEY), {
      code: "refused",
      message: /git does not ignore that file/,
    });
    await using kept = await ground({ files: { [LOCAL_ENV_PATH]: "" }, commit: true });
    await kept.temp.write(".gitignore", IGNORE[".gitignore"]);
    await assert.rejects(planLocalEnv(kept.ports, "OPENAI_API_KEY", KEY), {
      code: "refused",
      message: /git tracks that file/,
    });
  },
);

Deno.test("planLocalEnv follows no link and writes no value that is no key", async () => {
  await using made = await ground({ files: { ...IGNORE, ".harness/x": "" } });
  const { ports, temp } = made;
  await Deno.symlink("/etc/hostname", `${temp.path}/${LOCAL_ENV_PATH}`);
  await assert.rejects(planLocalEnv(ports, "OPENAI_API_KEY", KEY), { code: "refused" });
  for (const value of ["two words", `${KEY}\nX=1`, "ключ"]) {
    await assert.rejects(
      planLocalEnv(ports, "OPENAI_API_KEY", value),
      (thrown: Error & { code: string }) => {
        assert.equal(thrown.code, "usage");
        assert.ok(!thrown.message.includes(value));
        return true;
      },
    );
  }
});
