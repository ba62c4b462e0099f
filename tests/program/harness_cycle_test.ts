/** The whole life of a harness in real projects: init, scan into tickets, scan again, eject. */
import assert from "node:assert/strict";
import { denoDir, svcCommand, treeHash } from "tests/kit/script.ts";
import { FIX, HOST, runSite } from "tests/kit/run_site.ts";
import { type Files, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

/** Projects as people have them, each with gaps that a scan finds. */
const LAYOUTS: Readonly<Record<string, Files>> = {
  node: {
    "package.json": '{"name":"shop","scripts":{"test":"node --test"}}\n',
    "package-lock.json": '{"lockfileVersion":3,"name":"shop"}\n',
    "src/index.js": "export const total = (items) => items.length; // TODO: prices\n",
    "README.md": "# shop\n\nSee [the guide](docs/guide.md).\n",
  },
  python: {
    "pyproject.toml": '[project]\nname = "tool"\nversion = "1.0"\n',
    "src/tool/__init__.py": "def run():\n    return 1\n",
    "tests/test_tool.py": "def test_run():\n    assert True\n",
    ".gitignore": "__pycache__/\r\n*.pyc\r\n",
  },
  go: {
    "go.mod": "module example.org/svc-demo\n\ngo 1.22\n",
    "main.go": "package main\n\nfunc main() {}\n",
    "AGENTS.md": "# Mine\n\nBe careful.\n",
  },
  rust: {
    "Cargo.toml": '[package]\nname = "thing"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/main.rs": "fn main() {}\n",
    "docs/tickets/README.md": "# Our own tickets\n",
    VERSION: "3.2.1",
  },
  make: {
    Makefile: "test:\n\ttrue\n",
    "README.md": "# lib\n\nSee [the manual](docs/manual.md).\n",
    "CHANGELOG.md": "# Changes\n\nNo line end at the end",
    "lib/a b/ü.txt": "text\n",
  },
};

async function svc(home: string, args: readonly string[], json = true) {
  const [program, ...before] = svcCommand();
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...before, ...args, ...(json ? ["--json"] : [])],
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
      HOME: home,
      SVC_HOME: `${home}/.svc`,
      DENO_DIR: denoDir(),
      GIT_CONFIG_GLOBAL: "/dev/null",
    },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assert.equal(code, 0, `svc ${args.join(" ")}: ${text}${new TextDecoder().decode(stderr)}`);
  return JSON.parse(text);
}

/** The work tree alone: git's own folder gains the history of the tickets. */
async function workTree(path: string): Promise<string> {
  const lines = (await treeHash(path)).split("\n");
  return lines.filter((line) => !line.includes(`${path}/.git/`) && !line.endsWith("/.git")).join(
    "\n",
  );
}

for (const [name, files] of Object.entries(LAYOUTS)) {
  verifies(
    ["4.5:scan:tickets-deduplicated"],
    `init, two scans into tickets and eject leave a ${name} project byte for byte`,
    async () => {
      await using repo = await tempRepo({ files, commit: true });
      await using home = await tempFolder();
      const before = await workTree(repo.path);
      const at = ["--repo", repo.path];
      await svc(home.path, ["init", ...at, "--yes"]);
      await svc(home.path, ["guardrails", "install-hooks", ...at]);
      await repo.git("add", "--all");
      await repo.git("commit", "--quiet", "--no-verify", "--message", "harness");
      const first = await svc(home.path, ["scan", ...at, "--tickets"]);
      assert.ok(first.tickets.created.length > 0, "the scan found something to write down");
      const second = await svc(home.path, ["scan", ...at, "--tickets"]);
      assert.equal(second.tickets.created.length, 0);
      assert.ok((await svc(home.path, ["tickets", "list", ...at])).tickets.length > 0);
      const name = repo.path.slice(repo.path.lastIndexOf("/") + 1);
      await svc(home.path, ["eject", ...at, "--apply", "--confirm", name]);
      assert.equal(await workTree(repo.path), before);
      const again = await svc(home.path, ["eject", ...at]);
      assert.deepEqual(again.changes, []);
    },
  );
}

Deno.test("eject keeps a ticket that a person wrote or edited, and names it", async () => {
  await using repo = await tempRepo({ files: LAYOUTS["node"]!, commit: true });
  await using home = await tempFolder();
  const at = ["--repo", repo.path];
  await svc(home.path, ["init", ...at, "--yes"]);
  await repo.git("add", "--all");
  await repo.git("commit", "--quiet", "--message", "harness");
  await svc(home.path, ["scan", ...at, "--tickets"]);
  await svc(home.path, ["tickets", "new", ...at, "--title", "Mine"]);
  const { tickets } = await svc(home.path, ["tickets", "list", ...at]);
  const scanned = tickets.find(({ source }: { source: string }) => source.startsWith("scan:"));
  await repo.write(scanned.path, `${await repo.read(scanned.path)}\nA note of mine.\n`);
  await repo.git("commit", "--quiet", "--all", "--message", "my note");
  const name = repo.path.slice(repo.path.lastIndexOf("/") + 1);
  const { kept } = await svc(home.path, ["eject", ...at, "--apply", "--confirm", name]);
  const why = new Map(kept.map(({ path, why }: { path: string; why: string }) => [path, why]));
  assert.match(String(why.get(scanned.path)), /somebody edited it/);
  assert.ok([...why.values()].includes("a person wrote this ticket"), JSON.stringify(kept));
  assert.match(await repo.read(scanned.path), /A note of mine/);
});

Deno.test("eject leaves the work of roles where it is, and names it", async () => {
  await using site = await runSite({ scenario: { roles: { engineer: [FIX, FIX] } } });
  const { repo } = site;
  await repo.git("worktree", "add", "--quiet", `${site.home}/mine`, "-b", "mine");
  await site.svc("tickets", "new", "--title", "Mend add");
  const run = ["engineer", "--ticket", "T-0001", ...HOST, "--json"];
  const { branch } = (await site.run(...run)).json();
  const tree = async () =>
    /^worktree (.*\/worktrees\/.*)$/m.exec(await repo.git("worktree", "list", "--porcelain"))![1]!;
  await Deno.writeTextFile(`${await tree()}/notes`, "not committed\n");
  await site.run(...run);
  const work = await repo.git("for-each-ref", "refs/heads", "refs/svc");
  const name = repo.path.slice(repo.path.lastIndexOf("/") + 1);
  const { kept } = (await site.svc("eject", "--apply", "--confirm", name, "--json")).json();
  const named = kept.map(({ path }: { path: string }) => path)
    .filter((path: string) => !path.startsWith("docs/"));
  const [leftovers] = work.match(/refs\/svc\/leftovers\/\S+/)!;
  assert.deepEqual(named, [await tree(), branch, leftovers]);
  assert.equal(await repo.git("for-each-ref", "refs/heads", "refs/svc"), work);
  await Deno.stat(await tree());
});
