/** `svc models evaluate` with all its flags: scripted models over real HTTP, and OpenAI's own protocol and package. */
import assert from "node:assert/strict";
import { run } from "svc/cli/main.ts";
import { capturedEntrance, svc } from "tests/kit/entrance.ts";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { call, probedModel } from "tests/kit/probed_model.ts";
import { llamaCpp } from "tests/kit/servers/llama_cpp.ts";
import { openaiResponses } from "tests/kit/servers/openai_responses.ts";
import { openZoo } from "tests/kit/servers/zoo.ts";
import { type TempFolder, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
const envOf = (home: TempFolder) => ({ PATH, HOME: home.path, SVC_HOME: `${home.path}/.svc` });

const GROUPS = [
  ...["tool_call", "arguments", "edit", "refusal", "two_calls", "recall", "stop", "speed"],
];

const small = { models: [{ id: "small", context_length: 4_096 }] };

async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    found.push(...(isDirectory ? await filesBelow(`${folder}/${name}`) : [`${folder}/${name}`]));
  }
  return found.sort();
}

verifies(
  [
    "4.5:models-evaluate:runs-probes",
    "4.5:models-evaluate:endpoint",
    "4.5:models-evaluate:json",
    "4.5:models-evaluate:save-report",
    "1:models:fixtures-are-not-evidence",
  ],
  "svc models evaluate probes the model of an endpoint, says that it is scripted, and saves nothing unasked",
  async () => {
    await using home = await tempFolder();
    await using model = modelEndpoint(probedModel({}, small));
    const asked = ["models", "evaluate", "--endpoint", model.url];
    const { code, stdout, stderr } = await svc([...asked, "--json"], {
      env: envOf(home),
      cwd: home.path,
    });
    assert.equal(code, 0, stderr);
    const report = JSON.parse(stdout);
    assert.deepEqual([report.mode, report.evidence, report.saved], ["run", "fixture", null]);
    const [one] = report.models;
    assert.deepEqual([one.model, one.endpoint, one.evidence], ["small", model.url, "fixture"]);
    assert.deepEqual(Object.keys(one.groups), GROUPS);
    assert.deepEqual([one.verdict, one.score, one.cost_basis], ["fit", 100, "fixture"]);
    assert.equal(one.probes.length, 8);
    const prompts = one.probes.reduce(
      (sum: number, probe: { requests: number }) => sum + probe.requests,
      0,
    );
    assert.equal(prompts, model.requests.length);
    assert.deepEqual(
      (await filesBelow(home.path)).filter((path) => !path.endsWith(".log")),
      [],
    );
    const shown = await svc(asked, { env: envOf(home), cwd: home.path });
    assert.match(shown.stdout, /^FIXTURE: a scripted endpoint, no live evidence\n/);
    assert.match(shown.stdout, /^small at http.*: fit, 100 of 100$/m);
    assert.match(shown.stdout, /^speed: first words after .*, [\d.]+ tokens\/s$/m);
    assert.match(shown.stdout, /^used: +\d+ tokens in, \d+ out, .*, cost fixture$/m);
    assert.match(
      shown.stdout,
      /^next: svc validation agent-smoke --model-endpoint http:.*#small$/m,
    );
  },
);

verifies(
  ["4.5:models-evaluate:model", "4.5:models-evaluate:runs-probes"],
  "svc models evaluate compares the models that are named, in one table, and names one that is missing",
  async () => {
    await using home = await tempFolder();
    const models = ["good", "bad"].map((id) => ({ id, context_length: 4_096 }));
    const bad = (request: { readonly model: string }) =>
      request.model === "bad" ? { text: "I did it." } : call("book_room", {
        ...{ room: "Linden", nights: 3, breakfast: true, guests: ["Ada", "Grace"] },
      });
    await using model = modelEndpoint(probedModel({ tool_call: bad }, { models }));
    const asked = ["models", "evaluate", "--endpoint", model.url];
    const place = { env: envOf(home), cwd: home.path };
    const { code, stdout, stderr } = await svc(
      [...asked, "--model", "good", "--model", "bad", "--model", "gone"],
      place,
    );
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^model +evidence +verdict +score +tool_call/m);
    assert.match(stdout, /^good +fixture +fit +100 /m);
    assert.match(stdout, /^bad +fixture +unfit +\d+ +0 /m);
    assert.match(stdout, /^not evaluated: gone at .*Cannot use the model "gone"/m);
    assert.match(stdout, /^to change: It does not call tools well/m);
    assert.match(stdout, /#good$/m);
    assert.deepEqual(
      [...new Set(model.requests.map(({ request }) => request.model))],
      ["good", "bad"],
    );
    const alone = await svc([...asked, "--model", "gone"], place);
    assert.equal(alone.code, 5);
    assert.match(alone.stderr, /Cannot use the model "gone".*it has "good", "bad"/);
  },
);

verifies(
  [
    "4.5:models-evaluate:save-report",
    "4.5:models-evaluate:report-dir",
    "4.5:models-evaluate:provenance",
    "4.5:models-evaluate:provider",
    "2.1:validation-reports:directory",
  ],
  "svc models evaluate saves a live report with its provenance, in the repo or where it is told to",
  async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
    await using zoo = await openZoo(llamaCpp({ jinja: true }), probedModel());
    const stated = [
      "--revision",
      "main@5d0c1f",
      "--sha256",
      "A".repeat(64),
      "--source",
      "hf:acme|x",
    ];
    const asked = [
      ...["models", "evaluate", "--endpoint", zoo.url, "--provider", "acme"],
      ...[...stated, "--save-report", "--json"],
    ];
    const place = { env: envOf(home), cwd: repo.path };
    const { code, stdout, stderr } = await svc(asked, place);
    assert.equal(code, 0, stderr);
    const { saved, models: [one], ...report } = JSON.parse(stdout);
    assert.deepEqual([report.evidence, one.evidence, one.provider], ["live", "live", "acme"]);
    assert.equal(one.context_window, zoo.server.window);
    assert.deepEqual(await zoo.refusals(), []);
    const root = await Deno.realPath(repo.path);
    assert.match(
      saved.markdown,
      new RegExp(`^${root}/docs/validation/reports/models-evaluate-[\\d-]+-[\\w.-]+\\.md$`),
    );
    const page = await Deno.readTextFile(saved.markdown);
    assert.match(page, /^# svc models evaluate: live evidence\n/);
    assert.match(page, /^- revision: main@5d0c1f \(as stated, not looked up\)$/m);
    assert.match(page, /^- sha256: a{64} /m);
    assert.match(page, /^- source: hf:acme\\\|x /m);
    const kept = JSON.parse(await Deno.readTextFile(saved.json));
    assert.deepEqual(kept.provenance, {
      revision: "main@5d0c1f",
      sha256: "a".repeat(64),
      source: "hf:acme|x",
    });
    assert.deepEqual(kept.models[0].probes.length, one.probes.length);

    await using model = modelEndpoint(probedModel({}, small));
    const elsewhere = await svc([
      ...["models", "evaluate", "--endpoint", model.url, "--save-report"],
      ...["--report-dir", `${home.path}/made/reports`],
    ], place);
    assert.equal(elsewhere.code, 0, elsewhere.stderr);
    const there = await filesBelow(`${home.path}/made/reports`);
    assert.deepEqual(
      there.map((path) => /fixture-models-evaluate-.*-small\.(json|md)$/.exec(path)?.[1]),
      [
        "json",
        "md",
      ],
    );
    const first = (await Deno.readTextFile(there[1]!)).split("\n", 1)[0];
    assert.equal(first, "# svc models evaluate: FIXTURE, no live evidence");
    assert.equal((await filesBelow(`${root}/docs`)).length, 2);
    const unsaved = await svc(
      ["models", "evaluate", "--endpoint", model.url, "--report-dir", `${home.path}/no`],
      place,
    );
    assert.match(unsaved.stdout, /^Nothing was saved: add --save-report$/m);
    await assert.rejects(Deno.stat(`${home.path}/no`), Deno.errors.NotFound);
  },
);

verifies(
  [
    "4.5:models-evaluate:cloud",
    "4.5:models-evaluate:provider",
    "4.5:models-evaluate:repo",
    "4.5:models-evaluate:api-key-env",
  ],
  "svc models evaluate asks a cloud only with --cloud, in its own protocol, with the key that the repo keeps",
  async () => {
    await using home = await tempFolder();
    await using repo = await tempRepo({
      files: { ".gitignore": ".harness/.env.local\n" },
      commit: true,
    });
    const server = openaiResponses();
    await using zoo = await openZoo(server, probedModel());
    await repo.write(".harness/.env.local", `OPENAI_API_KEY=${server.key}\n`);
    await Deno.chmod(`${repo.path}/.harness/.env.local`, 0o600);
    await home.write(
      ".svc/config.yaml",
      "models: {allowed_key_envs: [OPENAI_API_KEY, ACME_KEY]}\n",
    );
    const reached: string[] = [];
    /** OpenAI's own address leads to its strict double of the zoo. */
    const evaluated = async (...more: string[]) => {
      const { entrance, stdout, stderr } = capturedEntrance({
        env: { ...envOf(home), OPENAI_ORG_ID: "no" },
        cwd: home.path,
      });
      const words = [
        "models",
        "evaluate",
        "--provider",
        "openai",
        "--model",
        server.model,
        ...more,
      ];
      const code = await run([...words, "--repo", repo.path, "--json"], {
        ...entrance,
        fetch: (input, init) => {
          const url = input instanceof Request ? input.url : String(input);
          reached.push(url);
          const to = url.replace("https://api.openai.com/v1", zoo.url);
          return fetch(to, input instanceof Request ? input : init);
        },
      });
      return { code, stderr: stderr.text, json: JSON.parse(stdout.text) };
    };
    const refused = await evaluated();
    assert.equal(refused.code, 4);
    assert.match(refused.json.error.message, /it is a cloud, where each probe costs/);
    assert.match(refused.json.error.remediation, /^Add --cloud/);
    assert.equal(reached.length, 0);

    const { code, json, stderr } = await evaluated("--cloud");
    assert.equal(code, 0, stderr);
    const [one] = json.models;
    assert.deepEqual([one.provider, one.protocol], ["openai", "responses"]);
    assert.equal(one.endpoint, "https://api.openai.com/v1");
    assert.deepEqual([one.verdict, one.evidence], ["fit", "live"]);
    assert.ok(
      reached.length > 10 && reached.every((url) => url.startsWith("https://api.openai.com/")),
    );
    assert.deepEqual(await zoo.refusals(), []);
    assert.equal(json.repo, await Deno.realPath(repo.path));

    // Another variable's key is refused by the vendor: it is that one which is sent.
    await repo.write(".harness/.env.local", `OPENAI_API_KEY=${server.key}\nACME_KEY=sk-wrong\n`);
    const wrong = await evaluated("--cloud", "--api-key-env", "ACME_KEY");
    assert.equal(wrong.code, 3);
    assert.match(wrong.json.error.message, /the key "ACME_KEY" would go to "https:\/\/api.openai/);
  },
);

verifies(
  "4.5:models-evaluate:api-key-env",
  "svc models evaluate takes the key from the variable that is named, and shows it nowhere",
  async () => {
    await using home = await tempFolder();
    await using model = modelEndpoint(probedModel({
      stop: () => ({ text: "your key is quiet-river-8125" }),
    }, small));
    const { origin } = new URL(model.url);
    await home.write(
      ".svc/config.yaml",
      `models: {allowed_key_envs: [ACME_TOKEN], allowed_origins: ["${origin}"]}\n`,
    );
    const env = { ...envOf(home), ACME_TOKEN: "quiet-river-8125" };
    const { code, stdout, stderr } = await svc([
      ...["models", "evaluate", "--endpoint", model.url, "--api-key-env", "ACME_TOKEN"],
      ...["--save-report", "--json"],
    ], { env, cwd: home.path });
    assert.equal(code, 0, stderr);
    for (const { headers } of [...model.probes, ...model.requests]) {
      assert.equal(headers.get("authorization"), "Bearer quiet-river-8125");
    }
    const { saved } = JSON.parse(stdout);
    const texts = await Promise.all(
      [saved.markdown, saved.json].map((path) => Deno.readTextFile(path)),
    );
    assert.match(texts[0]!, /your key is/);
    for (const text of [stdout, stderr, ...texts]) assert.ok(!text.includes("quiet-river"));
  },
);

verifies(
  "4.5:models-evaluate:timeout",
  "svc models evaluate --timeout ends the probe that takes longer, and goes on with the next",
  async () => {
    await using home = await tempFolder();
    let asked = 0;
    // The first request never gets its answer.
    const pace = () => asked++ === 0 ? new Promise<void>(() => {}) : Promise.resolve();
    await using model = modelEndpoint(probedModel({}, small), { pace });
    const { code, stdout, stderr } = await svc(
      ["models", "evaluate", "--endpoint", model.url, "--timeout", "1", "--json"],
      { env: envOf(home), cwd: home.path },
    );
    assert.equal(code, 0, stderr);
    const { models: [{ probes }], timeout_seconds } = JSON.parse(stdout);
    assert.equal(timeout_seconds, 1);
    assert.deepEqual([probes[0].status, probes[0].why], ["timed_out", "it took longer than 1 s"]);
    assert.ok(probes.slice(1).every(({ status }: { status: string }) => status === "passed"));
  },
);

Deno.test("a window that the repo's overrides declare of the endpoint bounds the long prompts", async () => {
  await using home = await tempFolder();
  await using repo = await tempRepo();
  await using model = modelEndpoint(probedModel());
  const place = { env: envOf(home), cwd: repo.path };
  assert.equal((await svc(["init", "--yes"], place)).code, 0);
  const route = ["--provider", "acme", "--endpoint", model.url, "--context-window", "6000"];
  assert.equal((await svc(["models", "override", "--tier", "deep", ...route], place)).code, 0);
  const plan = JSON.parse((await svc(["models", "evaluate", "--json"], place)).stdout);
  assert.equal(plan.mode, "plan");
  const deep = plan.routes.find(({ tier }: { tier: string }) => tier === "deep");
  assert.equal(deep.command, `svc models evaluate --provider acme --endpoint ${model.url}`);
  assert.deepEqual(model.paths, []);
  const ran = await svc([...deep.command.split(" ").slice(1), "--json"], place);
  assert.equal(ran.code, 0, ran.stderr);
  const { models: [one] } = JSON.parse(ran.stdout);
  assert.equal(one.context_window, 6_000);
  assert.equal(one.probes.at(-1).id, "recall_6k");
});
