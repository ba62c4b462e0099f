import assert from "node:assert/strict";
import { Config } from "svc/features/settings/config_file.ts";
import { unofferedTool } from "svc/runtime/session/unoffered_tool.ts";
import { sessionPorts } from "tests/unit/runtime/session_ports.ts";

const SERVERS = {
  browser: { command: ["npx", "@playwright/mcp"], roles: ["engineer", "qa"] },
  down: { command: ["npx", "down"], roles: ["engineer"] },
};
const LISTED = [
  {
    name: "browser",
    tools: ["browser__open"],
    leftOut: [{ name: "browser.click", reason: "the tools before it take all the room" }],
  },
  { name: "down", reason: 'Cannot use the server "down": it ended', tools: [], leftOut: [] },
];
const HOST = "--execution-profile host --acknowledge-host-execution";

Deno.test("a tool of a server that cannot be called is told with its reason and what helps", async () => {
  await using ports = await sessionPorts();
  await ports.files.makeFolder(ports.home.root);
  await ports.files.writeAtomic(ports.home.config, "mcp: {}\n");
  const settings = () => Promise.resolve(Config.parse({ mcp: { servers: SERVERS } }));
  const asked = {
    ...{ role: "engineer" as string | undefined, profile: "host" as "host" | "observer" },
    ...{ servers: LISTED, giveRoles: undefined as string | undefined },
  };
  const told = async (name: string, more: Partial<typeof asked> = {}) => {
    const fault = await unofferedTool({ ...ports, settings }, { ...asked, name, ...more });
    return fault && [fault.code, fault.message.replace("Cannot run ", ""), fault.remedy];
  };
  const list = `svc tools list --servers ${HOST}`;
  assert.deepEqual(await told("down.x"), [
    ...["environment", 'down.x: Cannot use the server "down": it ended', list],
  ]);
  assert.deepEqual(await told("browser__click"), [
    ...["refused", "browser__click: svc leaves it out: the tools before it take all the room"],
    'Name the tools that you need as tools of "browser" in your config',
  ]);
  assert.deepEqual(await told("browser.clik"), [
    ...["not_found", 'browser.clik: the server "browser" has no tool "clik"', list],
  ]);
  assert.deepEqual(await told("browser.open", { role: "ceo" }), [
    ...[
      "refused",
      'browser.open: your config gives the server "browser" to engineer, qa, not to the role ceo',
    ],
    "Run it as --role engineer, or --role qa",
  ]);
  const roleless = { role: undefined, giveRoles: "svc init --repo /r" };
  assert.deepEqual((await told("browser.open", roleless))?.at(-1), "svc init --repo /r");
  assert.deepEqual(await told("browser.open", { profile: "observer", servers: [] }), [
    ...["refused", "browser.open: MCP servers are used in host profile alone", `Add ${HOST}`],
  ]);
  assert.deepEqual(await told("browser.open", { servers: [] }), [
    ...["refused", 'browser.open: the policy does not let engineer use the server "browser"'],
    `See which part of the policy: ${list} --role engineer`,
  ]);
  for (const other of ["browser", "files.read", "file_read", "toString.x"]) {
    assert.equal(await told(other), undefined, other);
  }
});
