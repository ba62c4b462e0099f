/** `svc setup` with a bundle: the plan, what is asked of the network, and a model server that svc runs itself. */
import assert from "node:assert/strict";
import { registry } from "svc/features/models/choose/registry.ts";
import { modelArtifact } from "svc/features/models/bundles/artifact.ts";
import { modelPath } from "svc/features/models/bundles/plan.ts";
import { placeBundle } from "tests/kit/bundle_file.ts";
import { freePort } from "tests/kit/free_port.ts";
import { nginxFiles } from "tests/kit/servers/nginx_files.ts";
import { badLine } from "tests/kit/servers/bad_line.ts";
import {
  buildLlamaServer,
  llamaServerMissing,
  processesOf,
} from "tests/kit/servers/llama_server.ts";
import { type RunSite, runSite } from "tests/kit/run_site.ts";
import { svcCommand } from "tests/kit/script.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { finish, turns } from "tests/unit/runtime/team.ts";

const [small] = registry().bundles;
const BUNDLE = ["--inference", "local", "--local-bundle", small!.id];

async function svc(site: RunSite, env: Record<string, string>, ...args: string[]) {
  const [program, ...first] = svcCommand();
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...first, ...args],
    cwd: site.repo.path,
    env: { ...site.env, ...env },
    clearEnv: true,
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

async function withMirror(site: RunSite, origin: string): Promise<void> {
  await Deno.mkdir(site.home, { recursive: true });
  await Deno.writeTextFile(`${site.home}/config.yaml`, `models:\n  mirror: ${origin}\n`);
}

verifies(
  [
    "4.5:setup:artifacts-identified",
    "4.5:setup:artifacts-licensed",
    "4.5:setup:json-plan-on-stderr",
    "4.5:setup:json-plan-in-result",
    "4.5:setup:json-needs-both-flags",
    "4.5:setup:non-tty-needs-both-flags",
    "4.5:setup:downloads-only-after-acknowledgement",
    "4.5:setup:no-acknowledgement-without-download",
    "4.5:setup:skip-download",
    "4.5:setup:download",
    "4.5:setup:no-attestation-persisted",
  ],
  "the plan is told before anything is asked for, and nothing is asked for without a yes",
  async () => {
    await using site = await runSite({ scenario: { steps: [] } });
    await using folder = await tempFolder();
    await using nginx = await nginxFiles(folder.path, folder.path, "return 404;");
    await withMirror(site, nginx.origin);
    const mine = await Deno.readTextFile(`${site.home}/config.yaml`);
    const setup = (...args: string[]) => svc(site, {}, "setup", ...args);

    const refusals = [
      [...BUNDLE, "--download", "--json"],
      [...BUNDLE, "--download", "--plain"],
    ];
    for (const args of refusals) {
      const { code, stdout, stderr } = await setup(...args);
      assert.equal(code, 4, stdout + stderr);
      assert.ok(stderr.includes(small!.artifact.sha256), stderr);
      assert.match(stdout + stderr, /add --yes/);
    }
    const needNone = [
      [...BUNDLE, "--yes", "--json"],
      [...BUNDLE, "--skip-download", "--yes", "--json"],
      [...BUNDLE, "--download", "--dry-run", "--json"],
      ["--test-mode", "--json"],
      ["--inference", "defer", "--json"],
    ];
    for (const args of needNone) {
      const { code, stdout, stderr } = await setup(...args);
      assert.equal(code, 0, `${args.join(" ")}: ${stdout}${stderr}`);
      const result = JSON.parse(stdout);
      assert.equal(result.download?.done ?? false, false);
      if (!args.includes("--local-bundle")) continue;
      const { plan } = JSON.parse(stderr.split("\n", 1)[0]!);
      assert.deepEqual(plan, result.download.plan);
      assert.deepEqual(plan.artifacts.map(({ bundle }: { bundle: string }) => bundle), [small!.id]);
      const { artifact: { bytes, ...identity }, license, terms_url, notice_url } = small!;
      const [planned] = plan.artifacts;
      assert.deepEqual(
        { ...planned, path: "", url: "" },
        {
          ...{ bundle: small!.id, identity, bytes, license, terms_url, notice_url, have: 0 },
          ...{ path: "", url: "" },
        },
      );
      assert.ok(planned.url.startsWith(`${nginx.origin}/${identity.repo}/resolve/`));
      assert.match(result.next[0], /llama|--download --yes/);
    }
    assert.deepEqual(await nginx.log(0), []);
    assert.equal(await Deno.readTextFile(`${site.home}/config.yaml`), mine);

    const both = await setup(...BUNDLE, "--download", "--yes", "--json");
    assert.equal(both.code, 5, both.stdout + both.stderr);
    assert.match(both.stdout, /it answered 404: this file is not there/);
    assert.ok(JSON.parse(both.stderr.split("\n", 1)[0]!).plan.bytes > 2e9);
    const [first] = await nginx.log();
    assert.ok(first!.startsWith(`404 GET /${small!.artifact.repo}/resolve/`), first);
    assert.equal(await Deno.readTextFile(`${site.home}/config.yaml`), mine);
    const kept = Array.from(Deno.readDirSync(site.home), ({ name }) => name);
    assert.deepEqual(kept.filter((name) => /legal|licen[cs]e|agree|ack/i.test(name)), []);
  },
);

/** What the stand-in reads. */
const placeWords = (site: RunSite, words: string) =>
  placeBundle(site.home, small!, (path) => Deno.writeTextFile(path, `GGUF ${words} end\n`));

verifies(
  ["7:cli:model-preflight-missing-file", "7:cli:model-preflight-remedy"],
  "svc runs a model server of its own: setup tries it, a run starts and ends it",
  { ignore: llamaServerMissing() !== undefined },
  async () => {
    await using site = await runSite({ scenario: { steps: turns(finish("no_work")) } });
    await using folder = await tempFolder();
    const program = await buildLlamaServer(folder.path);
    const env = { PATH: `${folder.path}:${site.env.PATH}` };
    const upstream = new URL(site.model.url).port;
    const path = await placeWords(site, `load=50 upstream=${upstream}`);

    const setup = await svc(site, env, "setup", ...BUNDLE, "--yes", "--json");
    assert.equal(setup.code, 0, setup.stdout + setup.stderr);
    const { model, programs, download } = JSON.parse(setup.stdout);
    assert.equal(model.bundle, small!.id);
    assert.equal(model.tools, "native");
    assert.equal(model.window, small!.context_window);
    assert.equal(download.plan.artifacts.length, 0);
    assert.equal(programs[0].found, true);
    assert.equal(processesOf(program).size, 0);
    const config = await Deno.readTextFile(`${site.home}/config.yaml`);
    const [, port] = /server:\s+bundle: local-cpu-q3\s+port: (\d+)/.exec(config) ?? [];
    assert.equal(model.endpoint, `http://127.0.0.1:${port}/v1`);

    const kept = await svc(site, env, "setup", "--yes", "--json");
    assert.equal(kept.code, 0, kept.stdout + kept.stderr);
    assert.equal(JSON.parse(kept.stdout).config.change, "unchanged");

    const words = ["run", "engineer", "--no-init", "--task", "look around", "--json"];
    const ran = await svc(site, env, ...words);
    assert.equal(ran.code, 0, ran.stdout + ran.stderr);
    assert.equal(JSON.parse(ran.stdout).model?.endpoint ?? model.endpoint, model.endpoint);
    assert.equal(processesOf(program).size, 0);
    const logs = Array.from(Deno.readDirSync(`${site.home}/traces/logs`), ({ name }) => name);
    // Those of one second share a file.
    const said = logs.filter((name) => name.endsWith("-llama-server.log"))
      .map((name) => Deno.readTextFileSync(`${site.home}/traces/logs/${name}`)).join("");
    assert.equal(said.match(/main: model loaded/g)?.length, 3);

    const asked = site.model.requests.length;
    const dry = await svc(site, env, ...words, "--dry-run");
    assert.equal(dry.code, 0, dry.stdout + dry.stderr);
    await Deno.remove(path);
    const missing = await svc(site, env, ...words);
    assert.equal(missing.code, 5, missing.stdout + missing.stderr);
    const { error } = JSON.parse(missing.stdout);
    assert.match(
      error.message,
      /Cannot run the local model "local-cpu-q3": its file .* is missing/,
    );
    assert.match(error.remediation, /svc setup .*--model-endpoint/);
    assert.equal(site.model.requests.length, asked);
    const own = await svc(site, env, ...words, "--model-endpoint", site.model.url);
    assert.notEqual(own.code, 5, own.stdout + own.stderr); // its server is not needed then
  },
);

Deno.test("a line that fails for good is said in words, and what came is kept", async () => {
  await using site = await runSite({ scenario: { steps: [] } });
  await using folder = await tempFolder();
  const at = `${folder.path}/${modelArtifact(small!).url.slice("https://huggingface.co/".length)}`;
  await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(at, "");
  await Deno.truncate(at, small!.artifact.bytes);
  await using nginx = await nginxFiles(folder.path, folder.path);
  await using refused = await nginxFiles(folder.path, folder.path, "return 403;");
  const faults = [{ cutAfter: 3_000_000 }, ...Array(50).fill({ to: refused.port })];
  await using line = badLine(nginx.port, faults);
  await withMirror(site, line.origin);
  const { code, stderr } = await svc(site, {}, "setup", ...BUNDLE, "--download", "--yes");
  assert.equal(code, 5, stderr);
  assert.match(stderr, /sha256 +9c6e0763/);
  assert.match(stderr, /^svc: Cannot download "Qwen3-4B.*: it answered 403/m);
  const path = modelPath(`${site.home}/models`, modelArtifact(small!));
  assert.ok((await Deno.stat(`${path}.part`)).size > 2_000_000);
});

verifies(
  "4.5:setup:confirms-once",
  "at a terminal the whole plan is shown and asked about once, and a no leaves everything as it was",
  async () => {
    await using site = await runSite({ scenario: { steps: [] } });
    await using folder = await tempFolder();
    await using nginx = await nginxFiles(folder.path, folder.path, "return 404;");
    await withMirror(site, nginx.origin);
    const line = [...svcCommand(), "setup", ...BUNDLE].map((word) => `'${word}'`).join(" ");
    const answered = async (answer: string, end: RegExp) => {
      const env = { ...site.env, TERM: "xterm", LANG: "C.UTF-8" };
      await using terminal = new PseudoTerminal({ line, cwd: site.repo.path, env });
      await terminal.seen(/Download 2\.1 GB under these licenses\?/);
      assert.deepEqual(await nginx.log(0), []);
      await terminal.type(answer);
      await terminal.seen(end);
      return terminal.printed;
    };
    const no = await answered("n\r", /the answer was no; nothing was written/);
    assert.match(no, new RegExp(`sha256 +${small!.artifact.sha256}`));
    assert.match(no, /license +Apache-2\.0 https:/);
    const yes = await answered("y\r", /it answered 404/);
    assert.equal(yes.match(/\[y\/N\]/g)?.length, 1, yes);
    assert.ok((await nginx.log()).length > 0);
  },
);

Deno.test({
  name: "a service holds the server that its roles ask, and both end together",
  ignore: llamaServerMissing() !== undefined,
  async fn() {
    await using site = await runSite({ scenario: { steps: turns(finish("no_work")) } });
    await using folder = await tempFolder();
    const program = await buildLlamaServer(folder.path);
    const env = { ...site.env, PATH: `${folder.path}:${site.env.PATH}` };
    const port = freePort();
    await placeWords(site, `load=50 upstream=${new URL(site.model.url).port}`);
    const endpoint = `http://127.0.0.1:${port}/v1`;
    const config = {
      models: {
        default: { provider: "llama.cpp", endpoint },
        server: { bundle: small!.id, port },
      },
    };
    await Deno.writeTextFile(`${site.home}/config.yaml`, JSON.stringify(config));
    const [svcProgram, ...first] = svcCommand();
    const listen = ["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"];
    const service = new Deno.Command(svcProgram, {
      args: [...first, "start", ...listen, "--json"],
      cwd: site.repo.path,
      env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = service.stdout.getReader();
    const { value } = await reader.read();
    const said = new TextDecoder().decode(value);
    assert.equal(JSON.parse(said.split("\n", 1)[0]!).event, "started", said);
    await site.model.asked(1);
    assert.equal(processesOf(program).size, 1);
    service.kill("SIGINT");
    while (!(await reader.read()).done);
    assert.equal((await service.status).code, 0);
    assert.equal(processesOf(program).size, 0);
  },
});
