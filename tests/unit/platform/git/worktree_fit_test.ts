/** What keeps svc from making work trees: it is said beforehand, and plain git carries out what mends it. */
import assert from "node:assert/strict";
import { shellWords } from "svc/core/shell_words.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { worktreePorts, yard } from "tests/unit/platform/worktree_ports.ts";

const plan = (home: string) => ({
  ...{ doing: "start T-0001", path: `${home}/demo/job-1` },
  ...{ branch: "svc/T-0001-one", start: "main" },
});

async function carryOut(line: string): Promise<void> {
  const read = shellWords(line);
  assert.ok("words" in read && read.words[0] === "git", line);
  const { code, stderr } = await plainGit("/", read.words.slice(1));
  assert.equal(code, 0, stderr);
}

Deno.test("a repo that is as it should be has no obstacle, and the look writes nothing", async () => {
  await using at = await yard({ files: { "a": "a\n", ".gitattributes": "* text=auto\n" } });
  const index = await Deno.stat(`${at.repo.path}/.git/index`);
  assert.deepEqual(await at.worktrees.obstacles(at.place), []);
  assert.equal((await Deno.stat(`${at.repo.path}/.git/index`)).ino, index.ino);
  const names = [...Deno.readDirSync(`${at.repo.path}/.git`)].map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name.startsWith("svc")), []);
});

Deno.test("a branch called svc is named, with the command that renames it", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  await at.repo.git("branch", "svc");
  const [obstacle] = await at.worktrees.obstacles(at.place);
  assert.match(obstacle!.why, /its branch "svc" leaves git no room for branches called svc\//);
  await carryOut(obstacle!.remedy);
  assert.deepEqual(await at.worktrees.obstacles(at.place), []);
  await at.worktrees.add(at.place, plan(at.home));
});

Deno.test("names that are not UTF-8, line ends in names and pointers of git-lfs are checked out as they are", async () => {
  await using at = await yard({ files: { a: "a\n" } });
  const latin = new Uint8Array([0x63, 0x61, 0x66, 0xe9]);
  const pointer = "version https://git-lfs.github.com/spec/v1\n" +
    `oid sha256:${"a".repeat(64)}\nsize 12345\n`;
  const script = `printf x > "$(printf 'caf\\351')"; printf y > "$(printf 'two\\nlines')"; ` +
    "printf z > ./-dash";
  await new Deno.Command("sh", { args: ["-c", script], cwd: at.repo.path }).output();
  await at.repo.commit("odd", { ".gitattributes": "*.bin filter=lfs -text\n", "x.bin": pointer });
  assert.deepEqual(await at.worktrees.obstacles(at.place), []);
  const { path } = await at.worktrees.add(at.place, plan(at.home));
  assert.equal((await plainGit(path, ["status", "--porcelain"])).stdout, "");
  assert.equal(await Deno.readTextFile(`${path}/x.bin`), pointer);
  assert.equal(await Deno.readTextFile(`${path}/two\nlines`), "y");
  const list = await new Deno.Command("ls", { args: ["-1"], cwd: path }).output();
  assert.ok(list.stdout.toHex().includes(latin.toHex()));
});

Deno.test("a filter in a name that is not UTF-8 is found", async () => {
  await using at = await yard({ files: { ".gitattributes": "caf* filter=crypt\n" } });
  const script = `printf x > "$(printf 'caf\\351')"`;
  await new Deno.Command("sh", { args: ["-c", script], cwd: at.repo.path }).output();
  await at.repo.commit("odd");
  const [obstacle] = await at.worktrees.obstacles(at.place);
  assert.match(obstacle!.why, /goes through the filter "crypt"/);
});

Deno.test("a partial clone that lacks files says so, and the remedy fetches them", async () => {
  await using origin = await tempRepo({ files: { "a": "a\n", "d/big": "big\n" }, commit: true });
  await origin.git("config", "uploadpack.allowFilter", "true");
  await using base = await tempFolder();
  const clone = `${base.path}/clone`;
  const url = `file://${origin.path}`;
  await plainGit("/", ["clone", "-q", "--no-checkout", "--filter=blob:none", url, clone]);
  await plainGit(clone, ["sparse-checkout", "set", "--no-cone", "/*", "!/d/"]);
  await plainGit(clone, ["checkout", "-q", "main"]);
  using at = await worktreePorts(clone, `${base.path}/trees`);
  const [obstacle] = await at.worktrees.obstacles(at.repo);
  assert.match(obstacle!.why, /the clone is partial and lacks 1 file of/);
  await carryOut(obstacle!.remedy);
  assert.deepEqual(await at.worktrees.obstacles(at.repo), []);
  const { path } = await at.worktrees.add(at.repo, plan(`${base.path}/trees`));
  assert.equal(await Deno.readTextFile(`${path}/d/big`), "big\n");
});
