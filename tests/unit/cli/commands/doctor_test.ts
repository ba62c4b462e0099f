/** What `svc doctor` asks of others, against Debian's nginx, which logs each request: models, releases, drift. */
import assert from "node:assert/strict";
import { run } from "svc/cli/main.ts";
import { modelArtifact } from "svc/features/models/bundles/artifact.ts";
import { modelPath } from "svc/features/models/bundles/plan.ts";
import { registry } from "svc/features/models/choose/registry.ts";
import { capturedEntrance } from "tests/kit/entrance.ts";
import { type NginxFiles, nginxFiles } from "tests/kit/servers/nginx_files.ts";
import { RIGHT_TOKEN } from "tests/kit/servers/release_host.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

interface Finding {
  readonly probe: string;
  readonly level: string;
  readonly text: string;
  readonly fix?: string;
}

interface Examined {
  readonly code: number;
  /** Findings of one probe, as "level: text". */
  of(probe: string): readonly string[];
  fix(probe: string): string | undefined;
  /** Addresses that were asked. */
  readonly asked: readonly string[];
}

interface Ground {
  readonly host: NginxFiles;
  readonly home: string;
  doctor(config: string, ...args: string[]): Promise<Examined>;
}

const MODELS = { object: "list", data: [{ id: "tiny:1b", object: "model", owned_by: "library" }] };

const RULES = (root: string) => `
  default_type application/json;
  location = /v1/models { alias ${root}/models.json; }
  location = /old { alias ${root}/old.json; }
  location = /new { alias ${root}/new.json; }
  location = /private {
    if ($http_authorization != "Bearer ${RIGHT_TOKEN}") { return 404; }
    alias ${root}/old.json;
  }
`;

async function onGround(work: (ground: Ground) => Promise<void>): Promise<void> {
  await using folder = await tempFolder();
  const home = folder.path;
  const root = `${home}/www`;
  await Deno.mkdir(root);
  await Deno.mkdir(`${home}/.svc`, { mode: 0o700 });
  await Deno.writeTextFile(`${root}/models.json`, JSON.stringify(MODELS));
  await Deno.writeTextFile(`${root}/old.json`, '{"tag_name": "v0.0.1"}');
  await Deno.writeTextFile(`${root}/new.json`, '{"tag_name": "v9.9.9"}');
  await using host = await nginxFiles(home, root, RULES(root));
  await work({
    ...{ host, home },
    async doctor(config, ...args) {
      await Deno.writeTextFile(`${home}/.svc/config.yaml`, config, { mode: 0o600 });
      const env = { HOME: home, PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1" };
      const { entrance, stdout, stderr } = capturedEntrance({ env, cwd: home });
      const asked: string[] = [];
      const counted: typeof fetch = (input, init) => {
        const url = new URL(input instanceof Request ? input.url : String(input));
        asked.push(`${url.origin}${url.pathname}`);
        // Usual ports of model servers may be in use on this machine.
        if (url.origin !== host.origin) return Promise.reject(new TypeError("nobody is there"));
        return fetch(input, init);
      };
      const code = await run(["doctor", "--json", ...args], { ...entrance, fetch: counted });
      assert.equal(stderr.text, "");
      const { findings } = JSON.parse(stdout.text) as { readonly findings: readonly Finding[] };
      const some = (probe: string) => findings.filter((one) => one.probe === probe);
      return {
        ...{ code, asked },
        of: (probe) => some(probe).map(({ level, text }) => `${level}: ${text}`),
        fix: (probe) => some(probe).find(({ fix }) => fix !== undefined)?.fix,
      };
    },
  });
}

const chosen = ({ origin }: NginxFiles, model: string) =>
  `models: {default: {provider: mine, endpoint: "${origin}/v1", model: "${model}"}}\n`;

verifies(
  ["4.5:doctor:checks-release-access", "4.5:doctor:checks-update-drift"],
  "release access and drift are found, with the command that helps",
  () =>
    onGround(async ({ doctor, host }) => {
      const newest = await doctor(`release_url: ${host.origin}/new\n`);
      assert.deepEqual(newest.of("release-access"), [`ok: anonymous: ${host.origin}/new`]);
      assert.match(newest.of("update-drift")[0]!, /^warning: svc [\d.]+ is behind v9\.9\.9$/);
      assert.equal(newest.fix("update-drift"), "svc update tool --dry-run");
      // One answer serves both probes.
      assert.equal(newest.asked.filter((url) => url.startsWith(host.origin)).length, 1);
      const token = `codehost_token: ${RIGHT_TOKEN}\n`;
      const fork = await doctor(`release_url: ${host.origin}/private\n${token}`);
      assert.match(fork.of("release-access")[0]!, /^ok: authenticated, with codehost_token: /);
      assert.match(fork.of("update-drift")[0]!, /^ok: svc [\d.]+ is not behind v0\.0\.1$/);
      const closed = await doctor(`release_url: ${host.origin}/private\n`);
      assert.match(closed.of("release-access")[0]!, /^warning: unavailable: .*\(404\)$/);
      assert.match(closed.fix("release-access")!, /^svc auth github setup/);
      assert.equal(closed.code, 0);
    }),
);

verifies(
  ["4.5:doctor:checks-update-drift"],
  "a harness that is behind is named file by file",
  () =>
    onGround(async ({ doctor, home }) => {
      await using repo = await tempRepo({ files: { "package.json": "{}\n" }, commit: true });
      const env = { HOME: home, PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1" };
      const { entrance } = capturedEntrance({ env });
      assert.equal(await run(["init", "--repo", repo.path, "--yes"], entrance), 0);
      const fresh = await doctor("", "--skip-remote", "--repo", repo.path);
      assert.ok(fresh.of("update-drift").includes("ok: the harness is as this svc writes it"));
      await Deno.remove(`${repo.path}/.harness/README.md`);
      const { of, fix } = await doctor("", "--skip-remote", "--repo", repo.path);
      const behind = "warning: the harness is behind: .harness/README.md is missing";
      assert.ok(of("update-drift").includes(behind), of("update-drift").join());
      assert.equal(fix("update-drift"), `svc update harness --dry-run --repo ${repo.path}`);
    }),
);

verifies(
  ["4.5:doctor:checks-model-registry", "4.5:doctor:checks-models-directory"],
  "the registry, and each folder of model files with what lies there",
  () =>
    onGround(async ({ doctor, home }) => {
      const own = `${home}/.svc/models`;
      const first = await doctor("", "--skip-remote");
      assert.match(
        first.of("model-registry")[0]!,
        /^ok: the registry knows \d+ providers, \d+ bun/,
      );
      assert.match(first.of("models-directory")[0]!, /models does not exist yet/);
      await Deno.mkdir(`${own}/a`, { recursive: true });
      await Deno.writeTextFile(`${own}/a/one.gguf`, "x");
      await Deno.writeTextFile(`${own}/two.gguf.part`, "x");
      const gone = `${home}/gone`;
      const { code, of } = await doctor(`models: {folders: ["${gone}"]}\n`, "--skip-remote");
      assert.deepEqual([code, of("models-directory")], [1, [
        `ok: 1 model file in ${own}, 0.0 GB`,
        `warning: ${own}/two.gguf.part did not end`,
        `error: models.folders names ${gone}, which does not exist`,
      ]]);
    }),
);

Deno.test("a bundle's file counts where svc setup puts it, and one that did not end names its bundle", () =>
  onGround(async ({ doctor, home }) => {
    const own = `${home}/.svc/models`;
    const [whole, begun] = registry().bundles.map((bundle) =>
      modelPath(own, modelArtifact(bundle))
    ) as [string, string];
    for (const path of [whole, `${begun}.part`, `${begun}.part.etag`]) {
      await Deno.mkdir(path.replace(/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(path, "x");
    }
    const { of, fix } = await doctor("", "--skip-remote");
    assert.deepEqual(of("models-directory"), [
      `ok: 1 model file in ${own}, 0.0 GB`,
      `warning: ${begun}.part did not end`,
    ]);
    const { id } = registry().bundles[1]!;
    assert.match(fix("models-directory")!, new RegExp(`--local-bundle ${id} --download; or rm `));
  }));

verifies(
  ["4.5:doctor:checks-inference-server"],
  "the model that a role would get is asked for, at the server that would give it",
  () =>
    onGround(async ({ doctor, host, home }) => {
      const nobody = await doctor("");
      assert.deepEqual(nobody.of("role-models"), ["warning: no model is chosen yet"]);
      assert.deepEqual(nobody.of("inference-server"), [
        "ok: no model server runs at its usual address",
      ]);
      for (const port of [8080, 11434, 1234, 8000]) {
        assert.ok(
          nobody.asked.some((url) => url.startsWith(`http://127.0.0.1:${port}/`)),
          `${port}`,
        );
      }
      const there = await doctor(chosen(host, "tiny:1b"));
      assert.deepEqual(there.of("role-models"), [
        `ok: your default: tiny:1b answers at ${host.origin}/v1`,
      ]);
      const away = await doctor(chosen(host, "huge:1t"));
      assert.match(
        away.of("role-models")[0]!,
        /^error: your default: Cannot use the model "huge:1t"/,
      );
      assert.match(away.fix("role-models")!, /svc setup/);
      assert.equal(away.code, 1);
      await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
      const env = { HOME: home, PATH: "/usr/bin:/bin", GIT_CONFIG_NOSYSTEM: "1" };
      const { entrance } = capturedEntrance({ env });
      assert.equal(await run(["init", "--repo", repo.path, "--yes"], entrance), 0);
      const roles = await doctor(chosen(host, "tiny:1b"), "--repo", repo.path);
      assert.match(roles.of("role-models").join(), /^ok: ceo, .*engineer.*: tiny:1b answers at /);
      // Roles that share a model ask once.
      const models = roles.asked.filter((url) => url === `${host.origin}/v1/models`);
      assert.equal(models.length, 1);
      const unchosen = await doctor("", "--repo", repo.path);
      assert.match(
        unchosen.of("role-models").join(),
        /^warning: ceo, .*: no model is chosen\. Cannot ask the model at "http:\/\/127\.0\.0\.1:8080\/v1": /,
      );
    }),
);

verifies(
  ["4.5:doctor:skip-remote"],
  "--skip-remote asks nobody: no request reaches a server that is asked without it",
  () =>
    onGround(async ({ doctor, host }) => {
      const config = `release_url: ${host.origin}/new\n${chosen(host, "tiny:1b")}`;
      const skipped = await doctor(config, "--skip-remote");
      assert.deepEqual(skipped.asked, []);
      for (const probe of ["release-access", "role-models", "inference-server"]) {
        assert.deepEqual(skipped.of(probe), ["ok: not asked: --skip-remote"], probe);
      }
      const asked = await doctor(config);
      assert.ok(asked.asked.length >= 6);
      const log = (await host.log(2)).map((line) => line.trim()).sort();
      assert.deepEqual(log, ["200 GET /new", "200 GET /v1/models"]);
    }),
);

verifies(
  ["4.5:doctor:config", "4.5:doctor:db"],
  "a path that was named wrongly is a finding",
  () =>
    onGround(async ({ doctor, home }) => {
      const named = ["--config", `${home}/none.yaml`, "--db", `${home}/none.db`];
      const { code, of } = await doctor("", "--skip-remote", ...named);
      assert.deepEqual([code, of("config"), of("database")], [1, [
        `error: ${home}/none.yaml does not exist`,
      ], [`error: ${home}/none.db does not exist`]]);
      // What is wrong with a config is told once, though several probes read it.
      const broken = await doctor("prots: {}\n", "--skip-remote");
      const every = ["config", "models-directory", "role-models"].flatMap(broken.of);
      assert.equal(every.filter((text) => text.includes("Cannot read")).length, 1);
    }),
);
