/** `svc mcp serve` as clients of both eras of the protocol meet it: sessions, tools and permissions. */
import assert from "node:assert/strict";
import { svcCommand, treeHash } from "tests/kit/script.ts";
import { type TempFolder, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { HOST, type McpClient, mcpClient } from "./mcp_client.ts";

interface Place extends AsyncDisposable {
  readonly repo: TempRepo;
  readonly home: TempFolder;
  start(...flags: string[]): McpClient;
}

async function place(files: Readonly<Record<string, string>> = {}): Promise<Place> {
  const repo = await tempRepo({ files: { "README.md": "# Shop\n", ...files }, commit: true });
  const home = await tempFolder();
  return {
    ...{ repo, home },
    start: (...flags) => mcpClient({ repo: repo.path, home: `${home.path}/svc`, flags }),
    async [Symbol.asyncDispose]() {
      await repo[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const names = (answer: { result?: { tools: { name: string }[] } }) =>
  answer.result!.tools.map(({ name }) => name);
const text = (answer: { result?: { content: { text: string }[] } }) =>
  answer.result!.content[0]!.text;

const READS = ["file_read", "grep", "git_status", "ticket_list"];
const CHANGES = [
  ...["file_write", "file_edit", "record_decision", "tool_create", "command_run"],
  ...["git_commit", "git_push"],
];

verifies(
  ["4.5:mcp-serve:speaks-over-stdio", "4.5:mcp-serve:repo"],
  "mcp serve serves a client of 2025: initialize, list, call, end",
  async () => {
    await using at = await place();
    await using client = at.start();
    const { result } = await client.initialize();
    assert.equal(result.protocolVersion, "2025-11-25");
    assert.equal(result.serverInfo.name, "svc");
    assert.equal(result.instructions.split("\n").length, 2);
    const list = await client.ask("tools/list");
    assert.ok(JSON.stringify(list.result).length <= 8192);
    for (const { inputSchema, annotations } of list.result.tools) {
      assert.equal(inputSchema.type, "object");
      assert.equal(inputSchema.additionalProperties, false);
      assert.equal(annotations.readOnlyHint, true);
    }
    const read = await client.call("file_read", { path: "README.md" });
    assert.match(text(read), /# Shop/);
    assert.equal(read.result.isError, undefined);
    assert.equal(read.result._meta["svc/status"], "ok");
    const { code, stderr } = await client.close();
    assert.deepEqual([code, stderr], [0, ""]);
    for (const line of client.lines) assert.equal((line as { jsonrpc: string }).jsonrpc, "2.0");
  },
);

const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};

Deno.test("mcp serve serves a client of 2026-07-28, which says its revision with each request", async () => {
  await using at = await place();
  await using client = at.start();
  const found = await client.ask("server/discover", MODERN);
  assert.deepEqual(found.result.supportedVersions, ["2026-07-28"]);
  const list = await client.ask("tools/list", MODERN);
  assert.ok(names(list).includes("file_read"));
  assert.equal(list.result._meta["io.modelcontextprotocol/serverInfo"].name, "svc");
  const read = await client.ask("tools/call", {
    ...{ name: "file_read", arguments: { path: "README.md" } },
    ...MODERN,
  });
  assert.match(text(read), /# Shop/);
  assert.equal((await client.close()).code, 0);
});

verifies(
  [
    "4.5:mcp-serve:observer-default",
    "1:execution-profile:mcp-serve-defaults-to-observer",
  ],
  "mcp serve lists nothing but reads unless both trust and the host profile allow more",
  async () => {
    await using at = await place();
    const cases: readonly (readonly [readonly string[], boolean])[] = [
      [[], false],
      [["--trust", "contributor"], false],
      [["--trust", "contributor", "--acknowledge-host-execution"], false],
      [HOST, false],
      [["--trust", "observer", ...HOST], false],
      [["--trust", "contributor", ...HOST], true],
    ];
    for (const [flags, all] of cases) {
      await using client = at.start(...flags);
      await client.initialize();
      const listed = names(await client.ask("tools/list"));
      for (const name of READS) assert.ok(listed.includes(name), `${flags} ${name}`);
      for (const name of CHANGES) assert.equal(listed.includes(name), all, `${flags} ${name}`);
      assert.ok(!listed.includes("finish"));
    }
  },
);

verifies(
  [
    "4.5:mutation:file-write-gated",
    "4.5:mutation:tool-create-gated",
    "4.5:mutation:record-decision-gated",
    "4.5:mutation:git-tools-gated",
  ],
  "a tool that is not listed is denied with a reason and the way out, and nothing changes",
  async () => {
    await using at = await place();
    const before = await treeHash(at.repo.path);
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /profile "observer" only reads[^]*--acknowledge-host-execution/],
      [["--trust", "contributor"], /profile "observer" only reads/],
      [HOST, /this session has observer trust[^]*svc mcp serve --trust contributor/],
    ];
    for (const [flags, why] of cases) {
      await using client = at.start(...flags);
      await client.initialize();
      const calls = [
        ["file_write", { path: "README.md", content: "x" }],
        ["record_decision", { title: "x", decision: "x" }],
        ["tool_create", { name: "repo_x", about: "x", argv: ["true"] }],
        ["command_run", { argv: ["touch", "README.md"] }],
        ["git_commit", { message: "fix: x", paths: ["README.md"] }],
        ["git_push", { branch: "svc/x" }],
      ] as const;
      for (const [name, args] of calls) {
        const { result } = await client.call(name, args);
        assert.equal(result.isError, true, name);
        assert.equal(result._meta["svc/status"], "denied");
        assert.match(result.content[0].text, why);
      }
      await client.close();
    }
    assert.equal(await treeHash(at.repo.path), before);
  },
);

verifies(
  ["4.5:mcp-serve:trust"],
  "contributor trust and the acknowledged host profile write and run",
  async () => {
    await using at = await place();
    await using client = at.start("--trust", "contributor", ...HOST);
    await client.initialize();
    const wrote = await client.call("file_write", { path: "new.txt", content: "made\n" });
    assert.equal(wrote.result.isError, undefined, text(wrote));
    assert.equal(await at.repo.read("new.txt"), "made\n");
    const ran = await client.call("command_run", { argv: ["cat", "new.txt"] });
    assert.match(text(ran), /made/);
    const failed = await client.call("command_run", { argv: ["false"] });
    assert.equal(failed.result.isError, true);
    assert.equal(failed.result._meta["svc/status"], "failed");
    assert.equal(failed.result._meta["svc/facts"].exit_code, 1);
  },
);

const MANIFEST = `version: 1
project: { name: shop }
roles:
  engineer: { prompt: roles/engineer.md, trust: contributor, tools: [file_read, file_write] }
`;

Deno.test("a role's trust is asked for each call, and is no more than --trust", async () => {
  await using at = await place({ ".harness/manifest.yaml": MANIFEST });
  const setTrust = async (level: string) => {
    const [program, ...args] = svcCommand();
    const words = ["trust", "set", "engineer", at.repo.path, level, "--reason", "a test"];
    const { code, stderr } = await new Deno.Command(program, {
      args: [...args, ...words],
      env: { SVC_HOME: `${at.home.path}/svc` },
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
  };
  const write = { path: "a.txt", content: "a\n" };
  await using role = at.start("--role", "engineer", "--trust", "contributor", ...HOST);
  await using capped = at.start("--role", "engineer", ...HOST);
  for (const client of [role, capped]) await client.initialize();
  assert.equal((await role.call("file_write", write)).result.isError, undefined);
  const refused = await capped.call("file_write", write);
  assert.match(text(refused), /observer trust[^]*svc mcp serve --trust contributor/);
  await setTrust("observer");
  assert.match(text(await role.call("file_write", write)), /observer trust[^]*svc trust set/);
  assert.ok(!names(await role.ask("tools/list")).includes("file_write"));
  await setTrust("contributor");
  assert.equal((await role.call("file_write", write)).result.isError, undefined);
  assert.equal(
    (await role.call("git_push", { branch: "svc/x" })).result._meta["svc/deniedBy"],
    "role_tools",
  );
});

Deno.test("wrong arguments are an answer, an unknown tool or method is an error", async () => {
  await using at = await place();
  await using client = at.start();
  await client.initialize();
  const wrong = await client.call("file_read", { pth: "README.md" });
  assert.equal(wrong.result.isError, true);
  assert.match(text(wrong), /"path" is missing/);
  assert.equal((await client.call("file_raed")).error?.code, -32602);
  assert.match((await client.call("file_raed")).error!.message, /Did you mean "file_read"/);
  assert.equal((await client.call("finish", { disposition: "approved" })).error?.code, -32602);
  assert.equal((await client.ask("tools/nope")).error?.code, -32601);
  assert.equal((await client.ask("resources/list")).error?.code, -32601);
  assert.deepEqual((await client.ask("ping")).result, {});
});

Deno.test("a commit on the default branch of the checkout is refused, with a branch as the way out", async () => {
  await using at = await place();
  const head = () => at.repo.git("rev-parse", "HEAD");
  const before = await head();
  await using client = at.start("--trust", "contributor", ...HOST);
  await client.initialize();
  await client.call("file_write", { path: "new.txt", content: "1\n" });
  const refused = await client.call("git_commit", { message: "feat: new" });
  assert.equal(refused.result.isError, true);
  assert.match(text(refused), /^Cannot commit on "main": .*git switch -c svc\/topic/);
  assert.equal(await head(), before);
  await client.call("command_run", { argv: ["git", "switch", "--quiet", "-c", "svc/topic"] });
  assert.match(
    text(await client.call("git_commit", { message: "feat: new" })),
    /^Committed 1 file/,
  );
  await client.close();
});
