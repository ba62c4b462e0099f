/** `svc run` with MCP servers of the user's config: `@modelcontextprotocol/server-everything` of npm, and one that hangs. */
import assert from "node:assert/strict";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";
import { cannotContain } from "tests/kit/sandboxes.ts";
import { repoRoot } from "tests/kit/script.ts";
import { bad, published } from "tests/unit/features/tools/mcp/mcp_place.ts";

const SERVERS = {
  all: { command: published("everything", "stdio"), roles: ["engineer"], tools: ["echo"] },
  slow: { command: bad("hangs"), roles: ["engineer"], timeout_seconds: 1 },
  dead: { command: bad("dies-at-once"), roles: ["engineer"] },
  others: { command: bad("nothing"), roles: ["qa"] },
};

const call = (name: string, args: object) => ({ reply: { calls: [{ name, args }] } });

async function site(execution = {}) {
  const asks = [call("all.echo", { message: "from the job" }), call("slow__act", { text: "x" })];
  const engineer = [...asks, ...FIX] as typeof FIX;
  const opened = await runSite({ scenario: { roles: { engineer } } });
  const config = JSON.stringify({ mcp: { servers: SERVERS }, execution });
  await Deno.writeTextFile(`${opened.home}/config.yaml`, config);
  await opened.svc("tickets", "new", "--title", "Mend add", "--acceptance", "make test passes");
  return opened;
}

/** Names of the tools that the model was offered. */
const offered = (request: unknown) =>
  (request as { tools: { function: { name: string } }[] }).tools.map((one) => one.function.name);

Deno.test("a job uses the servers of its role in its Worker; what hangs or dies costs a call", async () => {
  await using at = await site();
  const ran = await at.run("engineer", ...HOST, "--json");
  assert.equal(ran.code, 0, ran.stderr);
  const report = ran.json();
  assert.deepEqual([report.disposition, report.checks], ["submitted", "passed"]);
  const names = offered(at.model.requests[0]!.request);
  assert.deepEqual(names.filter((name) => name.includes("__")), ["all__echo", "slow__act"]);
  const trace = (await Deno.readTextFile(report.trace)).trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  const { servers } = trace.find(({ kind }) => kind === "mcp_servers");
  assert.deepEqual(servers.map(({ name }: { name: string }) => name), ["all", "slow", "dead"]);
  assert.match(servers[2].reason, /exit code 3/);
  const outcomes = trace.filter(({ kind }) => kind === "turn").flatMap((turn) => turn.outcomes);
  const seen = outcomes.slice(0, 2).map(({ tool, status }) => [tool, status]);
  assert.deepEqual(seen, [["all__echo", "ok"], ["slow__act", "failed"]]);
  assert.match(JSON.stringify(trace), /Echo: from the job/);
  assert.match(JSON.stringify(trace), /did not answer within 1 s/);
});

Deno.test({
  name: "in a sandbox a server of npm answers where the config lets its packages be read",
  ignore: await cannotContain(),
  async fn() {
    const packages = await Deno.realPath(`${repoRoot}node_modules`);
    await using at = await site({ sandbox: "bubblewrap", toolchains: [packages] });
    const ran = await at.run("engineer", ...HOST, "--json");
    assert.equal(ran.json().disposition, "submitted", ran.stderr);
    const trace = await Deno.readTextFile(ran.json().trace);
    assert.match(trace, /Echo: from the job/);
  },
});

Deno.test("a rehearsal is offered no tool of a server, and starts none", async () => {
  await using at = await site();
  await at.run("engineer", "--json");
  for (const { request } of at.model.requests) {
    assert.deepEqual(offered(request).filter((name) => name.includes("__")), []);
  }
});
