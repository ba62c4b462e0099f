import assert from "node:assert/strict";
import { cannotContain } from "tests/kit/sandboxes.ts";
import type { Recorded } from "tests/kit/model_endpoint.ts";
import { published } from "tests/kit/npm_package.ts";
import { BUGGY, HOST, runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";
import { call, turns } from "tests/kit/scripted_turns.ts";

const ignore = await cannotContain();

const BOXED = ["--sandbox", "bubblewrap"];

/** The text that the model was told last, after the calls. */
const answers = (requests: readonly Recorded[]) =>
  requests.map(({ request }) => request.messages.at(-1)!.content).join("\n");

Deno.test({
  name:
    "a job's commands reach neither svc nor the home nor git's folder, and its fix is committed",
  ignore,
  async fn() {
    const look = (line: string) => call("command_run", { argv: ["sh", "-c", line] });
    await using site = await runSite({
      unpacks: true,
      scenario: {
        roles: {
          engineer: turns(
            look('ls -A "$HOME" "$HOME/.svc"; cat "$HOME/.svc/config.yaml"; echo told $?'),
            look(
              "echo true > .git/hooks/pre-commit; git config a.b c; git status --short; echo told $?",
            ),
            look("svc tickets list; svc trust set engineer contributor; echo told $?"),
            call("file_edit", { path: "add.sh", old: "$1 - $2", new: "$1 + $2" }),
            call("check_run", { name: "test" }),
            call("git_commit", { message: "fix(add): add, not subtract" }),
            call("finish", { disposition: "submitted", evidence: "make test passes" }),
          ),
        },
      },
      files: BUGGY,
    });
    await Deno.writeTextFile(`${site.home}/config.yaml`, "codehost_token: not-for-jobs\n");
    const ran = await site.run("engineer", "--task", "Mend add.sh", ...HOST, ...BOXED, "--json");
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    const told = answers(site.model.requests);
    assert.doesNotMatch(told, /not-for-jobs/);
    assert.match(told, /config\.yaml: No such file/);
    assert.match(told, /hooks\/pre-commit: (?:Read-only|Directory nonexistent)/);
    assert.equal(ran.json().disposition, "submitted");
  },
});

const TESTS = ["all_bool", "bool", "dash", "long", "num", "parse", "short", "stop_early"]
  .map((name) => `test/${name}.js`);

/** Node says why it reaches no registry. */
const ASK = "fetch('https://registry.npmjs.org/tape').catch((e) => console.log(e.cause.code))";

/** The tests need tape alone, of all that its manifest names. */
const withTape = (manifest: string) => {
  const { devDependencies: { tape }, ...rest } = JSON.parse(manifest);
  const scripts = { test: "tape test/*.js" };
  return JSON.stringify({ ...rest, scripts, devDependencies: { tape } }, undefined, 2);
};

const minimist = ignore
  ? undefined
  : await published("minimist", "1.2.8", ["index.js", ...TESTS], withTape);

Deno.test({
  name:
    "npm minimist 1.2.8: its set-up reaches the registry, its tests run without a network, the job ends",
  ignore: minimist === undefined,
  async fn() {
    const right = "/^--no-.+/";
    const broken = minimist!["index.js"]!.replace(right, "/^--never-.+/");
    assert.notEqual(broken, minimist!["index.js"]);
    await using site = await runSite({
      files: { ...minimist, "index.js": broken, ".gitignore": "node_modules\n" },
      scenario: {
        roles: {
          engineer: turns(
            call("check_run", { name: "test" }),
            call("command_run", { argv: ["node", "-e", ASK] }),
            call("file_edit", { path: "index.js", old: "/^--never-.+/", new: right }),
            call("check_run", { name: "test" }),
            call("git_commit", { message: "fix: --no- negates again" }),
            call("finish", { disposition: "submitted", evidence: "npm test passes" }),
          ),
        },
      },
    });
    await Deno.writeTextFile(`${site.home}/config.yaml`, "execution:\n  sandbox: bubblewrap\n");
    const ran = await site.run("engineer", "--task", "Mend --no-", ...HOST, "--json");
    assert.equal(ran.json().disposition, "submitted", ran.stderr);
    const told = answers(site.model.requests);
    assert.match(told, /--- failed: test[\s\S]*EAI_AGAIN[\s\S]*--- passed: test/);
  },
});

/** The program in a machine that differs by these mounts or namespaces. */
async function elsewhere(...machine: readonly string[]) {
  await using site = await runSite({ scenario: {}, unpacks: true });
  const [program, ...first] = svcCommand({ unpacks: true });
  const args = ["run", "engineer", "--task", "x", "--model-endpoint", site.model.url, ...HOST];
  const before = await site.state();
  const ran = await new Deno.Command("bwrap", {
    args: [
      ...["--bind", "/", "/", "--dev", "/dev"],
      ...machine,
      program,
      ...first,
      ...args,
      ...BOXED,
    ],
    ...{ cwd: site.repo.path, env: site.env, clearEnv: true, stdin: "null" },
  }).output();
  assert.equal(await site.state(), before);
  assert.equal(site.model.requests.length, 0);
  return { code: ran.code, stderr: new TextDecoder().decode(ran.stderr) };
}

Deno.test({
  name: "where bubblewrap or user namespaces are missing, svc says so and starts nothing",
  ignore,
  async fn() {
    const missing = await elsewhere("--ro-bind", "/dev/null", "/usr/bin/bwrap");
    assert.equal(missing.code, 5, missing.stderr);
    assert.match(missing.stderr, /bubblewrap: it is not installed/);
    assert.match(missing.stderr, /sudo apt-get install bubblewrap; or start without it/);
    const forbidden = await elsewhere("--unshare-user", "--disable-userns");
    assert.equal(forbidden.code, 5, forbidden.stderr);
    assert.match(forbidden.stderr, /Cannot contain jobs in bubblewrap: .*namespace/);
  },
});

Deno.test({
  name: "svc doctor and svc internal sandbox tell that the sandbox holds",
  ignore,
  async fn() {
    await using site = await runSite({ scenario: {}, harness: false });
    const asked = await site.svc("internal", "sandbox", ...BOXED, "--json");
    assert.equal(asked.code, 0, asked.stderr + asked.stdout);
    assert.equal(asked.json().escaped, 0);
    assert.ok(asked.json().attempts.length > 55);
    await Deno.writeTextFile(`${site.home}/config.yaml`, "execution:\n  sandbox: bubblewrap\n");
    const doctor = await site.svc("doctor");
    assert.match(doctor.stdout, /sandbox: bubblewrap contains what jobs start: \d+ attempts/);
  },
});
