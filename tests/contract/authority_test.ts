/** What each command gives up before it reads anything of a repo; `give_up_test.ts` proves what that means. */
import assert from "node:assert/strict";
import { authorityOf } from "svc/cli/command.ts";
import { run } from "svc/cli/main.ts";
import { TREE } from "svc/cli/tree.gen.ts";
import { isServerAddress } from "svc/core/server_address.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import { capturedEntrance } from "tests/kit/entrance.ts";
import { words } from "tests/kit/script.ts";
import { BUGGY, runSite } from "tests/kit/run_site.ts";

/** By hand, so that no declaration widens what a command keeps unseen. */
const WHOLE = [
  "auth github check",
  "checks run",
  "checks try",
  "doctor",
  "init",
  "internal confinement",
  "internal sandbox",
  "mcp serve",
  "models evaluate",
  "models list",
  "run",
  "serve",
  "setup",
  "start",
  "telemetry collect",
  "telemetry send",
  "tools run",
  "update check",
  "update tool",
  "validation agent-smoke",
];
/** With the flag alone. */
const ASKED = { "tickets edit": "editor", "tools list": "servers" };
/** The kernel refuses it the network with this flag. */
const NOT_ASKED = { "update check": "skipRemote" };
const OUTPUT = ["completion", "dashboard secret", "version"];

const expected = (path: string) =>
  WHOLE.includes(path) ? "whole" : OUTPUT.includes(path) ? "output" : "offline";

/** The first example of its reference page, as words; without what widens it, with a person's word. */
function exampleOf(path: string): string[] {
  const { examples: [first], givenBy, modes } = TREE.commands[path]!;
  const line = first!.line.replace(/^(?:source <|eval "\$)\((.*)\)"?$/, "$1").replace("~", "/tmp");
  const typed = words(line, {}).slice(1).filter((word, at, all) =>
    word !== "--servers" && !(word === "--db" && isServerAddress(all[at + 1]!)) &&
    !(all[at - 1] === "--db" && isServerAddress(word))
  );
  const word = givenBy.asks && modes.includes("yes");
  return word ? [...typed, "--yes"] : typed;
}

Deno.test("each command keeps what its effect needs, and no more", () => {
  const paths = Object.keys(TREE.commands);
  assert.deepEqual(
    paths.map((path) => [path, authorityOf(TREE.commands[path]!, {})]),
    paths.map((path) => [path, expected(path)]),
  );
  for (const [path, flag] of Object.entries(ASKED)) {
    assert.equal(authorityOf(TREE.commands[path]!, { [flag]: true }), "whole");
  }
  for (const [path, flag] of Object.entries(NOT_ASKED)) {
    assert.equal(authorityOf(TREE.commands[path]!, { [flag]: true }), "offline");
  }
});

Deno.test("a database server widens it to the network, its socket does not", () => {
  const list = TREE.commands["jobs list"]!;
  const db = (address: string) => authorityOf(list, { db: address });
  assert.equal(db("postgres://ada@db/svc"), "whole");
  assert.equal(db("postgres:///svc?user=ada&host=/run/postgresql"), "offline");
  assert.equal(db("postgres:///svc?host=%2Frun"), "offline");
  assert.equal(db("postgres://db/svc?user=host=/x"), "whole");
  assert.equal(db("/data/svc.db"), "offline");
});

/** Whatever reads or starts anything throws until the rest is given up. */
function jealous(asked: string[]): Entrance {
  const { entrance } = capturedEntrance();
  const early = () => assert.fail("it did something before it gave up what it does not need");
  return {
    ...entrance,
    fetch: early,
    readInput: early,
    input: early,
    async load(module) {
      if (module === "src/wire" || module === "src/platform/files/files") early();
      return await entrance.load(module);
    },
    giveUp(authority) {
      asked.push(authority);
      throw new Error("given up");
    },
  };
}

for (const path of Object.keys(TREE.commands).filter((path) => !WHOLE.includes(path))) {
  Deno.test(`svc ${path} gives up the rest before it does anything`, async () => {
    const asked: string[] = [];
    await run(exampleOf(path), jealous(asked));
    assert.deepEqual(asked, [expected(path)]);
  });
}

Deno.test("completion gives up the network before it looks for values", async () => {
  const asked: string[] = [];
  await run(["__complete", "--", "tickets", "show", ""], jealous(asked));
  assert.deepEqual(asked, ["offline"]);
});

Deno.test({
  name: "git, as each command starts it, reaches no network",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using site = await runSite({ scenario: {}, files: BUGGY });
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response(""),
    );
    const bin = `${site.home}-bin`;
    const log = `${bin}/log`;
    const git = (await new Deno.Command("sh", { args: ["-c", "command -v git"] }).output()).stdout;
    await Deno.mkdir(bin);
    const line = `(exec 3<>/dev/tcp/127.0.0.1/${server.addr.port}) 2>/dev/null`;
    await Deno.writeTextFile(
      `${bin}/git`,
      `#!/bin/bash\nif ${line}; then echo reached; else echo cut; fi >>${log}\n` +
        `exec ${new TextDecoder().decode(git).trim()} "$@"\n`,
      { mode: 0o755 },
    );
    const said = async (args: readonly string[]) => {
      await Deno.writeTextFile(log, "");
      await site.svc(...args);
      return new Set((await Deno.readTextFile(log)).split("\n").filter((text) => text !== ""));
    };
    (site.env as Record<string, string>).PATH = `${bin}:${site.env.PATH}`;
    assert.deepEqual(await said(["tools", "list", "--servers"]), new Set(["reached"]));
    const silent: string[] = [];
    for (const path of Object.keys(TREE.commands)) {
      if (WHOLE.includes(path)) continue;
      const answers = await said(exampleOf(path));
      assert.ok(!answers.has("reached"), path);
      if (answers.size === 0) silent.push(path);
    }
    // They start no program here; write-local-env misses its variable.
    assert.deepEqual(silent, [
      ...["auth github clear-local", "auth github setup", "completion", "dashboard secret"],
      ...["db copy", "jobs limit"],
      ...["models credentials write-local-env", "models eligible"],
      // Without a server they are refused.
      ...["nodes", "nodes drain", "nodes forget", "nodes pause", "nodes resume", "nodes stop"],
      "path setup",
      ...["prune", "version"],
    ]);
  },
});
