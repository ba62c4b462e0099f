import assert from "node:assert/strict";
import { OVERRIDES_PATH } from "svc/features/models/choose/override_shape.ts";
import { ROUTING_PATH } from "svc/features/harness/defaults.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { openFolder } from "svc/platform/files/folder.ts";
import type { PreparationPorts } from "svc/runtime/ports.ts";
import {
  collectorHosts,
  hostsOf,
  hostsOfRepo,
  hostsOfUser,
  mcpHosts,
} from "svc/runtime/start/reachable_hosts.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { sessionPorts } from "tests/unit/runtime/session_ports.ts";

Deno.test("hostsOf names what lies beyond this machine, once", () => {
  const endpoints = [
    ...["http://127.0.0.1:8080/v1", "http://[::1]:1/v1", "http://localhost/v1", "no url"],
    ...["https://models.example/v1", "https://models.example/v2", "http://models.example:8443/v1"],
  ];
  assert.deepEqual(hostsOf(endpoints), ["models.example:443", "models.example:8443"]);
});

Deno.test("reachable_hosts looks at the files that features/models reads", async () => {
  const path = new URL("../../../../src/runtime/start/reachable_hosts.ts", import.meta.url);
  const text = await Deno.readTextFile(path);
  for (const name of [OVERRIDES_PATH, ROUTING_PATH]) assert.ok(text.includes(`"${name}"`), name);
});

Deno.test("hosts of MCP servers are reachable in host profile, and only when the config names any", async () => {
  await using ports = await sessionPorts();
  let asked = 0;
  const servers = {
    docs: { url: "https://docs.example/mcp", roles: ["qa"] },
    here: { url: "http://localhost:3001/mcp", roles: ["qa"] },
    again: { url: "http://localhost:3001/sse", roles: ["qa"] },
    literal: { url: "http://127.0.0.1:3002/mcp", roles: ["qa"] },
    program: { command: ["npx", "docs"], roles: ["qa"] },
  };
  const settings = () => {
    asked++;
    return Promise.resolve(Config.parse({ mcp: { servers } }));
  };
  const hosts = (profile: "host" | "observer") =>
    mcpHosts({ ...ports, settings } as unknown as PreparationPorts, profile);
  assert.deepEqual(await hosts("host"), []);
  await ports.files.makeFolder(ports.home.root);
  await ports.files.writeAtomic(ports.home.config, "mcp: {}\n");
  assert.deepEqual(await hosts("observer"), []);
  assert.equal(asked, 0);
  assert.deepEqual(await hosts("host"), ["docs.example:443", "localhost:3001"]);
});

Deno.test("the collector is reachable only where reporting is on, by the config or the environment", async () => {
  await using ports = await sessionPorts();
  let asked = 0;
  const telemetry = { reporting: "anonymous", endpoint: "https://collect.example/base" } as const;
  const hosts = async (said: object, env: Record<string, string> = {}) => {
    const settings = () => {
      asked++;
      return Promise.resolve(Config.parse(said));
    };
    const known = { get: (name: string) => env[name], all: () => env, forget: () => {} };
    return await collectorHosts({ ...ports, settings, env: known } as unknown as PreparationPorts);
  };
  assert.deepEqual(await hosts({ telemetry }), []);
  assert.equal(asked, 0);
  const on = { SVC_TELEMETRY_REPORTING: "anonymous", SVC_TELEMETRY_ENDPOINT: "https://c.example" };
  assert.deepEqual(await hosts({}, on), ["c.example:443"]);
  await ports.files.makeFolder(ports.home.root);
  await ports.files.writeAtomic(ports.home.config, "telemetry: {reporting: anonymous}\n");
  assert.deepEqual(await hosts({ telemetry }), ["collect.example:443"]);
  assert.deepEqual(await hosts({ telemetry }, { SVC_TELEMETRY_REPORTING: "off" }), []);
  assert.deepEqual(await hosts({ telemetry: { ...telemetry, endpoint: "http://c.example" } }), []);
  assert.deepEqual(await hosts({ telemetry: { reporting: "anonymous" } }), []);
});

Deno.test("a service that receives webhooks may ask the code host what it missed; a run and an observer may not", async () => {
  await using ports = await sessionPorts();
  await using repo = await tempRepo({ files: { "a.txt": "1\n" }, commit: true });
  const hosts = (secret: string, more: { profile?: "host" | "observer"; role?: string } = {}) =>
    hostsOfRepo(
      {
        ...ports,
        folder: openFolder,
        env: {
          ...{ all: () => ({}), forget() {} },
          get: (name: string) => name === "SVC_GITHUB_WEBHOOK_SECRET" ? secret : undefined,
        },
      } as unknown as PreparationPorts,
      repo.path,
      { modelEndpoint: undefined, profile: "host", ...more },
    );
  assert.deepEqual(await hosts("s"), ["api.github.com:443"]);
  assert.deepEqual(await hosts(""), []);
  assert.deepEqual(await hosts("s", { profile: "observer" }), []);
  assert.deepEqual(await hosts("s", { role: "qa" }), []);
});

verifies(
  "6:code-host:adopted",
  "a manifest that merges by pull request is read, however it says so; one that only mentions it is not",
  async () => {
    await using ports = await sessionPorts();
    await using repo = await tempRepo({ files: { "a.txt": "1\n" }, commit: true });
    const isRead = async (manifest: string) => {
      await repo.write(".harness/manifest.yaml", manifest);
      let loaded = false;
      const load = () => {
        loaded = true;
        return Promise.reject(new Error("not loaded in this test"));
      };
      const env = { all: () => ({}), forget() {}, get: () => undefined };
      const asked = { ...ports, folder: openFolder, env, load } as unknown as PreparationPorts;
      await hostsOfRepo(asked, repo.path, {
        ...{ modelEndpoint: undefined, profile: "host", role: "engineer" },
      });
      return loaded;
    };
    const merges = [
      "dispatch: { merge: pull_request }\n",
      "dispatch:\n  merge: pull_request # not local\n",
      "dispatch:\n  merge:\n    # how\n    pull_request\n",
      'dispatch: { mode: "a # b", merge: pull_request }\n',
      "dispatch: { mode: ' # ', merge: pull_request }\n",
      "dispatch: { mode: a#b, merge: pull_request }\n",
    ];
    for (const manifest of merges) assert.ok(await isRead(manifest), manifest);
    const mentions = [
      "dispatch:\n  merge: local # or manual, pull_request\n",
      "# pull_request\ndispatch: {}\n",
      "dispatch:\n\t# pull_request # as well\n",
    ];
    for (const manifest of mentions) assert.ok(!await isRead(manifest), manifest);
  },
);

verifies(
  "6:code-host:adopted",
  "a service on a team's database reaches the code host of repos that are registered later",
  async () => {
    await using ports = await sessionPorts();
    const load = () => Promise.reject(new Error("not loaded in this test"));
    const env = { all: () => ({}), forget() {}, get: () => undefined };
    const asked = { ...ports, folder: openFolder, env, load } as unknown as PreparationPorts;
    const hosts = (team: boolean, profile: "host" | "observer") =>
      hostsOfUser(asked, [], { modelEndpoint: undefined, profile, team });
    assert.deepEqual(await hosts(true, "host"), ["api.github.com:443"]);
    assert.deepEqual(await hosts(false, "host"), []);
    assert.deepEqual(await hosts(true, "observer"), []);
  },
);
