/** `svc validation agent-smoke` through the real program: scripted models, npm's aimock, and Ctrl-C in the middle. */
import assert from "node:assert/strict";
import { createServer } from "@copilotkit/aimock";
import { svc } from "tests/kit/entrance.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { HOST } from "tests/kit/run_site.ts";
import { denoDir, svcCommand } from "tests/kit/script.ts";
import { turns } from "tests/kit/scripted_turns.ts";
import { commit, edit, finish, smokeModel } from "tests/kit/smoke_model.ts";
import { type TempFolder, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const SMOKE = ["validation", "agent-smoke"];

interface SmokePlace extends AsyncDisposable {
  readonly home: TempFolder;
  readonly repo: TempRepo;
  readonly env: Readonly<Record<string, string>>;
  svc(...args: string[]): ReturnType<typeof svc>;
  /** What the system's folder for temporary files holds, which is this place's own. */
  temporary(): string[];
}

async function smokePlace(): Promise<SmokePlace> {
  const home = await tempFolder();
  const repo = await tempRepo({ files: { "a.txt": "a\n" }, commit: true });
  await Deno.mkdir(`${home.path}/tmp`);
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: home.path,
    SVC_HOME: `${home.path}/.svc`,
    DENO_DIR: denoDir(),
    TMPDIR: `${home.path}/tmp`,
  };
  return {
    ...{ home, repo, env },
    svc: (...args) => svc(args, { env, cwd: repo.path }),
    temporary: () => [...Deno.readDirSync(`${home.path}/tmp`)].map(({ name }) => name),
    async [Symbol.asyncDispose]() {
      await repo[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** The tests' own process makes the folder, where a command runs in it. */
const systemTemporary = () =>
  [...Deno.readDirSync(Deno.env.get("TMPDIR") ?? "/tmp")]
    .filter(({ name }) => name.startsWith(`svc-smoke-${Deno.pid}-`));

interface Role {
  readonly role: string;
  readonly verdict: string;
  readonly cases: readonly Readonly<Record<string, unknown>>[];
}

const KEY = "quiet-river-8125";

verifies(
  [
    "4.5:validation-agent-smoke:runs-roles",
    "4.5:validation-agent-smoke:ephemeral-targets",
    "1:models:fixtures-are-not-evidence",
  ],
  "svc validation agent-smoke has each role of the manifest do its task with its routed model, and leaves nothing",
  async () => {
    await using place = await smokePlace();
    await using model = modelEndpoint(smokeModel());
    const { origin } = new URL(model.url);
    await place.home.write(
      ".svc/config.yaml",
      `models: {allowed_key_envs: [ACME_KEY], allowed_origins: ["${origin}"]}\n`,
    );
    assert.equal((await place.svc("init", "--yes")).code, 0);
    const route = ["--provider", "acme", "--endpoint", model.url, "--api-key-env", "ACME_KEY"];
    for (const tier of ["small", "standard", "deep"]) {
      assert.equal((await place.svc("models", "override", "--tier", tier, ...route)).code, 0);
    }
    await place.repo.commit("harness");
    await place.repo.write(".harness/.env.local", `ACME_KEY=${KEY}\n`);
    await Deno.chmod(`${place.repo.path}/.harness/.env.local`, 0o600);
    const before = await place.repo.git("log", "--all", "--format=%H");

    const ran = await place.svc(...SMOKE, ...HOST, "--json");
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    const report = JSON.parse(ran.stdout);
    assert.deepEqual([report.evidence, report.harness, report.profile], [
      "fixture",
      "repo",
      "host",
    ]);
    const cases = report.roles.flatMap(({ role, cases }: Role) =>
      cases.map(({ id, status, disposition }) => [role, id, status, disposition].join(" "))
    );
    assert.deepEqual(cases, [
      "ceo plan passed planned",
      "orchestrator choose passed routed",
      "engineer mend passed submitted",
      "qa approve passed approved",
      "qa send_back passed changes_requested",
      "gardener documents passed submitted",
    ]);
    for (const { cases } of report.roles as Role[]) {
      for (const { model: used, turns, tokens_in, ms, evidence } of cases) {
        assert.equal((used as { because: string }).because.startsWith("override tier"), true);
        assert.ok(Number(turns) > 0 && Number(tokens_in) > 0 && Number(ms) > 0 && evidence !== "");
      }
    }
    assert.ok(
      model.requests.every(({ headers }) => headers.get("authorization") === `Bearer ${KEY}`),
    );
    assert.ok(!`${ran.stdout}${ran.stderr}`.includes(KEY));

    assert.equal(await place.repo.git("log", "--all", "--format=%H"), before);
    assert.equal(await place.repo.git("status", "--porcelain"), "");
    assert.deepEqual(systemTemporary(), []);
    const left = [...Deno.readDirSync(`${place.home.path}/.svc`)].map(({ name }) => name).sort();
    assert.deepEqual(
      left.filter((name) => !["config.yaml", "traces", "journal"].includes(name)),
      [],
    );
  },
);

verifies(
  ["4.5:validation-agent-smoke:runs-roles", "2.1:validation-reports:directory"],
  "roles that do wrong fail their tasks, the report in the repo says why, and what to change",
  async () => {
    await using place = await smokePlace();
    const model = modelEndpoint(smokeModel({
      // Mends the test instead of the sum.
      engineer: turns(
        edit("test.sh", "= 3", "= -1"),
        commit("fix(sum): make the test pass"),
        finish("submitted", "sh test.sh passes"),
      ),
      qa: turns(finish("approved", "looks good")),
      // Never calls.
      ceo: [{ always: true, reply: { text: "I would write three tickets." } }],
    }));
    await using _model = model;
    const roles = ["ceo", "engineer", "qa"].flatMap((role) => ["--role", role]);
    const ran = await place.svc(
      ...[...SMOKE, ...HOST, ...roles, "--model-endpoint", model.url, "--save-report"],
    );
    assert.equal(ran.code, 1, ran.stderr + ran.stdout);
    assert.match(ran.stdout, /^FIXTURE: a scripted endpoint, no live evidence\n/);
    assert.match(ran.stdout, /^0 of 3 roles passed$/m);
    const lines = [
      /^ceo +plan +failed +stuck /m,
      /^engineer +mend +failed +submitted .*(add\.sh is as wrong as before)$/m,
      /^qa +approve +passed +approved /m,
      /^qa +send_back +failed +approved .*it ended as approved: looks good$/m,
      /^to change: ceo went in circles: give it a larger model/m,
      /^to change: qa approves work that it should send back: do not let it judge alone/m,
      /^next: svc models evaluate --endpoint http/m,
    ];
    for (const line of lines) assert.match(ran.stdout, line);
    const [, path] = /^Wrote (\S+)\.md and /m.exec(ran.stdout)!;
    const root = await Deno.realPath(place.repo.path);
    assert.ok(path!.startsWith(`${root}/docs/validation/reports/fixture-agent-smoke-`), path);
    const page = await Deno.readTextFile(`${path}.md`);
    assert.match(page, /^# svc validation agent-smoke: FIXTURE, no live evidence\n/);
    assert.match(page, /^- qa, send\\_back: changes\\_requested: the change makes the test/m);
    const kept = JSON.parse(await Deno.readTextFile(`${path}.json`));
    assert.deepEqual(kept.roles.map(({ verdict }: Role) => verdict), Array(3).fill("failed"));
    assert.equal(kept.harness, "bundled");
    assert.deepEqual(systemTemporary(), []);
  },
);

Deno.test("in observer profile a role only has to look, here with a server that nobody here wrote: npm's aimock", async () => {
  await using place = await smokePlace();
  let asked = 0;
  const { server, url } = await createServer([{
    match: { endpoint: "chat" },
    response(request) {
      const prompt = Math.ceil(JSON.stringify(request.messages).length / 4);
      const usage = { prompt_tokens: prompt, completion_tokens: 20 };
      const probe = request.tools?.some((tool) => tool.function.name === "svc_probe");
      if (!probe) asked++;
      const [name, args] = probe
        ? ["svc_probe", { word: "kiwi" }]
        : asked === 1
        ? ["file_read", { path: "add.sh" }]
        : ["finish", { disposition: "blocked", evidence: "add.sh subtracts" }];
      return { toolCalls: [{ name: name as string, arguments: JSON.stringify(args) }], usage };
    },
  }], { port: 0 });
  try {
    const words = [...SMOKE, "--role", "engineer", "--model-endpoint", `${url}/v1#gpt-4o`];
    const ran = await place.svc(...words, "--json", "--save-report");
    assert.equal(ran.code, 0, ran.stderr + ran.stdout);
    const report = JSON.parse(ran.stdout);
    assert.deepEqual([report.profile, report.evidence], ["observer", "live"]);
    const [{ verdict, cases: [one] }] = report.roles;
    assert.deepEqual([verdict, one.id, one.status, one.disposition, one.turns], [
      ...["passed", "look", "passed", "blocked", 2],
    ]);
    assert.match(report.saved.markdown, /\/docs\/validation\/reports\/agent-smoke-[\d-]+\.md$/);
    const first = (await Deno.readTextFile(report.saved.markdown)).split("\n", 1)[0];
    assert.equal(first, "# svc validation agent-smoke: live evidence");
  } finally {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  }
});

Deno.test("a model that is away is no verdict on a role: nothing ran, and the way out is said", async () => {
  await using place = await smokePlace();
  const words = [...SMOKE, "--role", "qa", "--model-endpoint", "http://127.0.0.1:9/v1"];
  const ran = await place.svc(...words);
  assert.equal(ran.code, 5, ran.stderr);
  assert.match(ran.stdout, /^qa +look +not_run +– .*127\.0\.0\.1:9/m);
  assert.match(ran.stdout, /^to change: qa could not run: .*svc setup/m);
  const unknown = await place.svc(...SMOKE, "--role", "tester");
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /"tester"/);
  const unacknowledged = await place.svc(...SMOKE, "--execution-profile", "host");
  assert.equal(unacknowledged.code, 4);
  assert.deepEqual(systemTemporary(), []);
});

verifies(
  "4.5:validation-agent-smoke:ephemeral-targets",
  "Ctrl-C in the middle of a task ends it, and repos, work trees and programs are gone; so is what a killed one left",
  async () => {
    await using place = await smokePlace();
    const never = new Promise<void>(() => {});
    await using model = modelEndpoint(smokeModel(), { pace: () => never });
    // Its process is long gone: the kernel gives no such number.
    await Deno.mkdir(`${place.home.path}/tmp/svc-smoke-4194305-killed/targets`, {
      recursive: true,
    });
    const [program, ...first] = svcCommand();
    const child = new Deno.Command(program, {
      args: [...first, ...SMOKE, ...HOST, "--role", "engineer", "--model-endpoint", model.url],
      cwd: place.repo.path,
      env: place.env,
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    await model.asked(1);
    const during = place.temporary();
    assert.deepEqual(during.map((name) => name.replace(/-[^-]+$/, "")), [`svc-smoke-${child.pid}`]);
    const targets = `${place.home.path}/tmp/${during[0]}/targets`;
    assert.deepEqual([...Deno.readDirSync(targets)].map(({ name }) => name), ["engineer-mend"]);
    child.kill("SIGINT");
    const { code, stderr } = await child.output();
    assert.equal(code, 130, new TextDecoder().decode(stderr));
    assert.deepEqual(place.temporary(), []);
    const running = [...Deno.readDirSync("/proc")].filter(({ name }) => /^\d+$/.test(name))
      .filter(({ name }) => {
        try {
          return Deno.readTextFileSync(`/proc/${name}/cmdline`).includes(`/${during[0]}/`);
        } catch {
          return false; // it has just ended
        }
      });
    assert.deepEqual(running, []);
  },
);
