/** Who gets the tools of the MCP servers that the user's config names. */
import assert from "node:assert/strict";
import { uuidV7 } from "svc/core/ids.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { bad } from "tests/unit/features/tools/mcp/mcp_place.ts";
import { manifest } from "tests/unit/features/tools/session_site.ts";
import {
  type PlanAt,
  type Ports,
  sessionAt,
  sessionPorts,
} from "tests/unit/runtime/session_ports.ts";

const context = { signal: new AbortController().signal };

const MANIFEST = manifest({
  roles: {
    engineer: { prompt: "roles/e.md", trust: "contributor", tools: ["file_read"] },
    qa: { prompt: "roles/q.md", trust: "contributor", tools: ["file_read", "bad__act"] },
    scout: { prompt: "roles/s.md", trust: "observer", tools: ["file_read", "bad__act"] },
  },
});

async function withServers(ports: Ports, roles: readonly string[]): Promise<Ports> {
  const mcp = { servers: { bad: { command: bad("tells"), roles, env: ["BAD_TOKEN"] } } };
  await ports.files.makeFolder(ports.home.root);
  await ports.files.writeAtomic(ports.home.config, `mcp: ${JSON.stringify(mcp)}\n`);
  const env = { ...ports.env, all: () => ({ ...ports.env.all(), BAD_TOKEN: "token-of-bad-1" }) };
  return { ...ports, env, settings: () => Promise.resolve(Config.parse({ mcp })) };
}

async function offered(roles: readonly string[], more: Partial<PlanAt>) {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await using plain = await sessionPorts();
  const ports = await withServers(plain, roles);
  using session = await sessionAt(ports, {
    ...{ repo: repo.path, manifest: MANIFEST, role: "engineer", profile: "host", servers: true },
    job: uuidV7(Date.now()),
    ...more,
  });
  await using _servers = session;
  const names = (await session.toolbox.offered()).map((one) => one.function.name);
  const call = await session.toolbox.call("bad.act", { text: "it" }, context);
  const started = plain.started.filter(({ input }) => input !== undefined);
  return { names, call, started, servers: session.servers };
}

Deno.test("a role that the config names gets the tools, bounded and without secrets", async () => {
  const { names, call, started } = await offered(["engineer"], {});
  assert.deepEqual(names, ["file_read", "bad__act", "finish"]);
  assert.deepEqual([call.tool, call.status], ["bad__act", "ok"]);
  assert.match(call.text, /data from outside/);
  assert.match(call.text, /"BAD_TOKEN":"\[redacted\]"/);
  assert.equal(started.length, 1);
  assert.equal(started[0]!.cwd.endsWith(started[0]!.tag!), true);
});

const REFUSED: Readonly<
  Record<string, readonly [roles: readonly string[], more: Partial<PlanAt>]>
> = {
  "a role that only its repo names": [["engineer"], { role: "qa" }],
  "an observer": [["scout"], { role: "scout" }],
  "a role in observer profile": [["engineer"], { profile: "observer" }],
  "a session that is capped to observer": [["engineer"], { trust: "observer" }],
  "work that a stranger asked for": [["engineer"], {
    sourceTrust: () => Promise.resolve("observer"),
  }],
  "an MCP client of svc's own": [["engineer"], { servers: false }],
  "a session without a role": [["engineer"], { role: undefined, trust: "contributor" }],
};

for (const [who, [roles, more]] of Object.entries(REFUSED)) {
  Deno.test(`${who} gets no tool of a server, and none is started`, async () => {
    const { names, call, started } = await offered(roles, more);
    assert.equal(names.includes("bad__act"), false);
    assert.equal(call.status, "unknown");
    assert.deepEqual(started, []);
  });
}
