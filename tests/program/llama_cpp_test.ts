/**
 * svc on llama.cpp's own server, from Debian's package llama.cpp-tools: its HTTP, its templates, its reading of tool
 * calls. The model is a file whose weights play a script, so what it says is a fixture, and all else is real.
 */
import assert from "node:assert/strict";
import { registry } from "svc/features/models/choose/registry.ts";
import { placeBundle } from "tests/kit/bundle_file.ts";
import { processesOf } from "tests/kit/servers/llama_server.ts";
import { chatTemplates } from "tests/kit/chat_templates.ts";
import { freePort } from "tests/kit/free_port.ts";
import type { Recorded } from "tests/kit/model_endpoint.ts";
import { eventfulRun } from "tests/unit/features/agent/eventful_run.ts";
import { type LlamaServer, llamaServer, serveModel } from "tests/kit/llama/program.ts";
import { roleScenes, writeQwen } from "tests/kit/llama/qwen.ts";
import { FIX, HOST, type Ran, runSite } from "tests/kit/run_site.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { throughAllRoles, TRIVIAL, trivialSite } from "tests/kit/trivial_ticket.ts";

const program = await llamaServer();
const ignore = program === undefined;

/** An engineer's job at a server with these flags, which cannot work. */
async function refusedBy(...flags: string[]): Promise<Ran> {
  await using folder = await tempFolder("svc-llama-");
  await using site = await runSite({ scenario: { steps: [] } });
  const model = `${folder.path}/engineer.gguf`;
  await writeQwen(model, roleScenes({ engineer: FIX }));
  await using server = await serveModel(program!, model, ...flags);
  const ran = await site.svc(
    ...["run", "engineer", "--task", "Mend add.sh", "--json", ...HOST],
    ...["--model-endpoint", `${server.url}/v1`],
  );
  assert.equal(ran.code, 5, ran.stdout + ran.stderr);
  return ran;
}

Deno.test({
  name: "a ticket goes from backlog to done, through every role of the scaffold",
  ignore,
  async fn() {
    await using folder = await tempFolder("svc-llama-");
    await using site = await trivialSite();
    const model = `${folder.path}/team.gguf`;
    await writeQwen(model, roleScenes(TRIVIAL.roles));
    await using server = await serveModel(program!, model, "--ctx-size", "32768");
    assert.equal(processesOf(program!).size, 1);
    const asking = { ...site, model: { ...site.model, url: `${server.url}/v1` } };
    const turns = (await throughAllRoles(asking)).map(({ role, turns }) => `${role} ${turns}`);
    assert.deepEqual(turns, ["orchestrator 0", "engineer 6", "qa 2"]);
    assert.match(await site.repo.git("show", "HEAD:add.sh"), /\$1 \+ \$2/);
  },
});

Deno.test({
  name: "a window that is too small for the first prompt is told before any work, with its numbers",
  ignore,
  async fn() {
    const ran = await refusedBy("--ctx-size", "4096");
    assert.match(
      ran.json().evidence,
      /longer than its context window of 4096 tokens\. Use a model with a larger/,
    );
  },
});

Deno.test({
  name: "a key that the server wants is asked for in words",
  ignore,
  async fn() {
    const ran = await refusedBy("--ctx-size", "32768", "--api-key", "let-me-in");
    assert.match(
      ran.json().evidence,
      /it refused the key \(401\)\. Name the variable that holds the key/,
    );
    assert.equal(`${ran.stdout}${ran.stderr}`.includes("let-me-in"), false);
  },
});

Deno.test({
  name: "a fix on a server that svc starts and ends itself: no prompt is read twice",
  ignore,
  async fn() {
    await using site = await runSite({ scenario: { steps: [] } });
    const [bundle] = registry().bundles;
    const steps = [FIX[0]!, FIX[2]!, FIX[3]!, FIX.at(-1)!];
    await placeBundle(
      site.home,
      bundle!,
      (path) => writeQwen(path, roleScenes({ engineer: steps })),
    );
    // The first port that svc would choose is another test's, whose ended connections hold it for a minute.
    const server = { bundle: bundle!.id, port: freePort() };
    await Deno.mkdir(site.home, { recursive: true });
    await Deno.writeTextFile(`${site.home}/config.yaml`, JSON.stringify({ models: { server } }));
    const found = { ...site.env, PATH: `${program!.replace(/\/[^/]*$/, "")}:${site.env.PATH}` };
    const svc = (...args: string[]) => site.svcWith(found, ...args);
    const setup = await svc(
      ...["setup", "--inference", "local", "--local-bundle", bundle!.id, "--yes", "--json"],
    );
    assert.equal(setup.code, 0, setup.stdout + setup.stderr);
    const { model, notes } = setup.json();
    assert.equal(model.tools, "native");
    // svc chose its window: nobody is told to start another server.
    assert.deepEqual(notes.filter((note: string) => /for more/.test(note)), []);
    const ran = await svc("run", "engineer", "--task", "Mend add.sh", "--json", ...HOST);
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    const { branch, turns, disposition, checks, ...used } = ran.json();
    assert.deepEqual([turns, disposition, checks], [steps.length, "submitted", "passed"]);
    assert.match(await site.repo.git("show", `${branch}:add.sh`), /\$1 \+ \$2/);
    // Each of four prompts begins with the one before, which the server still has.
    assert.ok(used.tokens_cached > used.tokens_in * 2 / 3, JSON.stringify(used));
    assert.equal(used.tokens_estimated, false);
    assert.equal(processesOf(program!).size, 0);
  },
});

/** What the server says to requests of a run, for the first that its template refuses. */
async function refusalOf(server: LlamaServer, requests: readonly Recorded[]) {
  for (const { text } of requests) {
    const answer = await fetch(`${server.url}/apply-template`, { method: "POST", body: text });
    const said = await answer.text();
    if (!answer.ok) return said;
  }
}

Deno.test({
  name: "requests of a run pass the server's own engine for templates, natively or in text",
  ignore,
  async fn() {
    await using folder = await tempFolder("svc-llama-");
    const native = await eventfulRun(() => undefined);
    const inText = await eventfulRun(({ tools }) => tools && "this server knows no tools");
    const model = `${folder.path}/any.gguf`;
    await writeQwen(model, roleScenes({ engineer: FIX }));
    let [natively, inTextOnly] = [0, 0];
    for (const { model: name, template } of await chatTemplates()) {
      const path = `${folder.path}/template.jinja`;
      await Deno.writeTextFile(path, template);
      await using server = await serveModel(program!, model, "--chat-template-file", path);
      const why = await refusalOf(server, native.requests);
      if (why === undefined) natively++;
      else {
        assert.equal(
          await refusalOf(server, inText.requests.slice(1)),
          undefined,
          `${name}: ${why}`,
        );
        inTextOnly++;
      }
    }
    // Those of Command R want roles in turns that results of tools do not keep.
    assert.ok(natively >= 20 && inTextOnly <= 5, `${natively} natively, ${inTextOnly} in text`);
  },
});
