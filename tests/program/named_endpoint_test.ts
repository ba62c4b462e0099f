import assert from "node:assert/strict";
import { modelEndpoint } from "tests/kit/model_endpoint.ts";
import { HOST, runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";

/** An address of this machine that is not loopback: as a server on the local network has it. */
const lan = Deno.networkInterfaces().find(({ family, address }) =>
  family === "IPv4" && !address.startsWith("127.")
)?.address;

const ask = {
  reply: {
    calls: [{ name: "finish", args: { disposition: "blocked", evidence: "Ada must decide" } }],
  },
};

Deno.test({
  name: "a server on the local network is used when a person names it, with a warning and no key",
  ignore: lan === undefined,
  fn: async () => {
    await using site = await runSite({ scenario: {}, harness: false });
    await using model = modelEndpoint({ steps: [ask] }, { hostname: lan! });
    const { HTTP_PROXY: _1, ALL_PROXY: _2, ...env } = site.env;
    const [program, ...first] = svcCommand();
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [
        ...[...first, "run", "engineer", "--no-init", "--task", "Look", "--json"],
        ...["--model-endpoint", model.url],
      ],
      cwd: site.repo.path,
      env: { ...env, OPENAI_API_KEY: "sk-named-canary-0001" },
      clearEnv: true,
      stdin: "null",
    }).output();
    const said = new TextDecoder().decode(stderr);
    assert.equal(code, 1, said);
    assert.equal(JSON.parse(new TextDecoder().decode(stdout)).disposition, "blocked");
    const origin = new URL(model.url).origin;
    const warnings = said.split("\n").filter((line) => line.startsWith("warning: "));
    assert.equal(warnings.length, 1, said);
    assert.ok(warnings[0]!.includes(`"${origin}" can read and change`), said);
    for (const { headers } of [...model.probes, ...model.requests]) {
      assert.equal(headers.get("authorization"), null);
    }
    assert.equal(model.requests.length, 1);
  },
});

Deno.test("the address at which a server listens is asked on this machine", async () => {
  await using site = await runSite({ scenario: { steps: [ask] }, harness: false });
  const typed = site.model.url.replace("127.0.0.1", "0.0.0.0");
  const ran = await site.svc(
    ...["run", "engineer", "--no-init", "--task", "Look", "--model-endpoint", typed],
  );
  assert.equal(ran.code, 1, ran.stderr);
  assert.match(ran.stdout, /: blocked$/m);
  assert.match(ran.stderr, /^warning: "http:\/\/0\.0\.0\.0:\d+" is where a server listens/m);
});

Deno.test("a malformed endpoint is wrong usage before anything is written, queued or started", async () => {
  await using site = await runSite({ scenario: {}, harness: false });
  const before = await site.state();
  for (
    const command of [
      ["run", "engineer", "--task", "x", ...HOST],
      ["run", "engineer", "--task", "x", "--no-init", "--dry-run"],
      ["start", ...HOST],
      ["serve"],
    ]
  ) {
    const ran = await site.svc(...command, "--json", "--model-endpoint", "nonsense");
    assert.equal(ran.code, 2, ran.stderr);
    const { ok, error } = ran.json();
    assert.deepEqual([ok, error.code], [false, "usage"]);
    assert.match(error.message, /^Cannot use --model-endpoint: it is no http or https URL$/);
  }
  assert.equal(await site.state(), before);
  await assert.rejects(Deno.stat(`${site.home}/db`), Deno.errors.NotFound);
});
