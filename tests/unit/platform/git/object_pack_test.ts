/** Many files are stored by one process of git, as git itself would store them. */
import assert from "node:assert/strict";
import { ObjectPack } from "svc/platform/git/object_pack.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, repoIn, tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { commitPorts } from "tests/unit/platform/commit_ports.ts";

const random = (length: number) => {
  const bytes = new Uint8Array(length);
  for (let from = 0; from < length; from += 65_536) {
    crypto.getRandomValues(bytes.subarray(from, from + 65_536));
  }
  return bytes;
};

async function emptyRepo(format: string): Promise<TempRepo> {
  const folder = await tempFolder();
  const args = ["init", "--quiet", "--initial-branch=main", `--object-format=${format}`];
  assert.equal((await plainGit(folder.path, args)).code, 0);
  const repo = repoIn(folder);
  await repo.git("config", "user.name", "Ada");
  await repo.git("config", "user.email", "ada@example.org");
  return repo;
}

for (const [format, length] of [["sha1", 40], ["sha256", 64]] as const) {
  Deno.test(`git unpacks contents of all sizes, and names them by ${format} as svc does`, async () => {
    await using repo = await emptyRepo(format);
    const sizes = [0, 1, 15, 16, 17, 2_047, 2_048, 5_552, 65_535, 65_536, 131_070, 300_000];
    const contents = [...sizes.map(random), new Uint8Array(0), new Uint8Array(70_000).fill(255)];
    const pack = new ObjectPack("a".repeat(length));
    const ids: string[] = [];
    for (const content of contents) ids.push(await pack.add("blob", content));
    const bytes = await pack.bytes();
    const { code, stderr } = await denoProcesses().run({
      ...{ program: "git", args: ["unpack-objects", "--strict", "-q"], cwd: repo.path },
      ...{ env: { PATH: "/usr/bin:/bin" }, stdin: bytes },
    });
    assert.equal(code, 0, JSON.stringify(stderr));
    for (const [nth, content] of contents.entries()) {
      await Deno.writeFile(`${repo.path}/content`, content);
      const named = await repo.git("hash-object", "--no-filters", "content");
      assert.equal(ids[nth], named.trim(), `${content.length} bytes`);
      assert.equal(await repo.git("cat-file", "-s", ids[nth]!), `${content.length}\n`);
    }
    await repo.git("fsck", "--strict");
  });

  Deno.test(`a commit of odd files is what git's own is, the first one too (${format})`, async () => {
    const files: Readonly<Record<string, string | Uint8Array>> = {
      ".gitattributes": [
        "*.md text",
        "*.id ident",
        "*.utf16 text working-tree-encoding=UTF-16LE",
        "*.crlf eol=crlf",
        "*.raw -text",
        "",
      ].join("\n"),
      ...{ "plain": "one\n", "again": "one\n", "empty": "", "empty too": "", "no end": "x" },
      ...{ "a.md": "a\r\nb\r\n", "b.md": "a\nb\n", "c.crlf": "a\r\nb\r\n", "d.crlf": "a\nb\n" },
      ...{ "e.raw": "a\r\nb\n", "f.raw": new Uint8Array([0, 13, 10, 255]), "g": random(70_000) },
      ...{ "h.id": "$Id: 0123 $\n", "i.id": "$Idle\n", "j": "$Id: 0123 $\n", "k": "$HOME\n" },
      ...{ "l.utf16": new Uint8Array([104, 0, 10, 0]), "m/n/ö": "name\n", "o p": "space\n" },
      ...{ "p.auto": "a\r\n" },
    };
    for (const autocrlf of ["false", "input"]) {
      await using mine = await emptyRepo(format);
      await using own = await emptyRepo(format);
      for (const repo of [mine, own]) {
        await repo.git("config", "core.autocrlf", autocrlf);
        await repo.write(".gitattributes", files[".gitattributes"]!);
        for (const [path, content] of Object.entries(files)) await repo.write(path, content);
      }
      const asked: string[] = [];
      const real = denoProcesses();
      const processes: typeof real = {
        ...real,
        run: (command) => (asked.push(command.args[1]!), real.run(command)),
      };
      using ports = await commitPorts(mine.path, { processes });
      const plan = { doing: "test", message: "chore: one" };
      const commit = (...paths: string[]) =>
        ports.commits.commitPaths(ports.repo, ports.folder, { ...plan, paths });
      await commit(...Object.keys(files));
      const trees = async () => {
        await own.commit("chore: one");
        return [
          await mine.git("ls-tree", "-r", "-t", "HEAD"),
          await own.git("ls-tree", "-r", "-t", "HEAD"),
        ];
      };
      const [first, asGit] = await trees();
      assert.equal(first, asGit);
      assert.equal(await mine.git("status", "--porcelain"), "");
      assert.equal(asked.filter((verb) => verb === "unpack-objects").length, 1);
      // They hold a CR or $Id, or have an encoding.
      assert.equal(asked.filter((verb) => verb === "hash-object").length, 10);
      for (const repo of [mine, own]) {
        for (const path of ["plain", "again", "k"]) await repo.write(path, `${path} anew\n`);
        await Deno.remove(`${repo.path}/empty`);
      }
      await commit("plain", "again", "k", "empty");
      const [second, secondAsGit] = await trees();
      assert.equal(second, secondAsGit);
      assert.equal(asked.filter((verb) => verb === "unpack-objects").length, 2);
      for (const repo of [mine, own]) await Deno.remove(`${repo.path}/m`, { recursive: true });
      await commit("m/n/ö");
      const [third, thirdAsGit] = await trees();
      assert.equal(third, thirdAsGit, "a commit that only removes");
      assert.equal(await mine.git("status", "--porcelain"), "");
      await mine.git("fsck", "--strict");
    }
  });
}
