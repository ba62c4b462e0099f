import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

const git = gitOver(denoProcesses(), { PATH: "/usr/local/bin:/usr/bin:/bin" });

/** Deno removes a socket's file when its listener closes. */
const listeners: Deno.Listener[] = [];

const KINDS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  FIFO: (path) => new Deno.Command("mkfifo", { args: [path] }).output(),
  socket(path) {
    const listener = Deno.listen({ transport: "unix", path });
    return Promise.resolve(listeners.push(listener as unknown as Deno.Listener));
  },
  "link to a device": (path) => Deno.symlink("/dev/zero", path),
};

const AT_ONCE = [
  ".git/HEAD",
  ".git/config",
  ".git/commondir-of-nothing",
  ".git/config.worktree",
  ".git/index",
  ".git/index.lock",
  ".git/info/attributes",
  ".git/info/exclude",
  ".git/logs/HEAD",
  ".git/objects/info/alternates",
  ".git/packed-refs",
  ".git/refs/heads/deep/er/main",
  ".git/reftable/tables.list",
  ".git/sequencer/todo",
  ".git/shallow",
  ".gitattributes",
  ".gitignore",
  ".mailmap",
];

const ready = () => tempRepo({ files: { "a.txt": "a", "src/b.txt": "b" }, commit: true });

async function plant(repo: TempRepo, path: string, kind: string): Promise<void> {
  const at = `${repo.path}/${path}`;
  await Deno.mkdir(at.slice(0, at.lastIndexOf("/")), { recursive: true });
  await Deno.remove(at).catch(() => {});
  await KINDS[kind]!(at);
}

const names = (path: string) => (thrown: unknown) => {
  assert.ok(thrown instanceof Failure && thrown.code === "refused", String(thrown));
  assert.ok(thrown.message.includes(`"${path}" is no file`), thrown.message);
  assert.match(thrown.detail.remedy!, /rm /);
  return true;
};

for (const kind of Object.keys(KINDS)) {
  Deno.test(`a repo whose git would read a ${kind} is refused before git is started`, async () => {
    await using repo = await ready();
    const never = gitOver({
      run: () => assert.fail("git was started"),
      sweep: () => Promise.resolve(0),
    }, {});
    for (const path of AT_ONCE) {
      const at = `${repo.path}/${path}`;
      const before = await Deno.readFile(at).catch(() => undefined);
      await plant(repo, path, kind);
      await assert.rejects(() => never.open(repo.path), names(path));
      for (const listener of listeners.splice(0)) listener.close();
      await Deno.remove(at).catch(() => {});
      if (before !== undefined) await Deno.writeFile(at, before);
    }
    await git.open(repo.path);
  });
}

Deno.test("links to files of git's own and of the work tree are no obstacle", async () => {
  await using repo = await ready();
  const branch = (await repo.read(".git/HEAD")).slice("ref: ".length).trim();
  await Deno.remove(`${repo.path}/.git/HEAD`);
  await Deno.symlink(branch, `${repo.path}/.git/HEAD`);
  await Deno.symlink("a.txt", `${repo.path}/.gitignore`);
  await Deno.symlink("nowhere", `${repo.path}/.gitattributes`);
  await (await git.open(repo.path)).status();
});

Deno.test("in a linked work tree the shared folder is looked at too", async () => {
  await using repo = await ready();
  await repo.git("worktree", "add", "-q", "../linked-tree", "-b", "other");
  const tree = `${repo.path}/../linked-tree`;
  try {
    await plant(repo, ".git/info/exclude", "FIFO");
    await assert.rejects(
      () => git.open(tree),
      (thrown) => names(`${repo.path}/.git/info/exclude`)(thrown),
    );
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
});

Deno.test("a call of git that waits for a FIFO ends, and says for which", async () => {
  const below = async (path: string) => {
    await using repo = await ready();
    const opened = await git.open(repo.path);
    await plant(repo, path, "FIFO");
    await assert.rejects(() => opened.listFiles(), names(path));
  };
  const object = async () => {
    await using repo = await ready();
    const id = (await repo.git("rev-parse", "HEAD")).trim();
    const path = `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;
    const opened = await git.open(repo.path);
    await plant(repo, path, "FIFO");
    await assert.rejects(() => opened.log({ max: 1 }), names(path));
  };
  await Promise.all([below("src/.gitignore"), below("src/deep/.gitignore"), object()]);
});

Deno.test("a call of git that waits for what settings name ends, and says which settings", async () => {
  const named = async (key: string, path: string, ask: (repo: TempRepo) => Promise<unknown>) => {
    await using repo = await ready();
    await using outside = await tempFolder();
    const fifo = path.replace("OUTSIDE", outside.path);
    await KINDS["FIFO"]!(fifo.startsWith("/") ? fifo : `${repo.path}/fifo`);
    await repo.git("config", key, fifo);
    await assert.rejects(() => ask(repo), (thrown) => {
      const { code, message, detail } = thrown as Failure;
      assert.equal(code, "refused", message);
      assert.match(message, /is no file, and git would wait for it$/, key);
      assert.match(detail.remedy!, /^Take it out of ".*\/\.git\/(?:config|more)", which names it$/);
      return true;
    });
  };
  const status = async ({ path }: TempRepo) => await (await git.open(path)).status();
  const log = async ({ path }: TempRepo) => await (await git.open(path)).log({ max: 1 });
  const included = async (repo: TempRepo) => {
    await repo.write(".git/more", '[core]\n\texcludesFile = "fifo"\n');
    await repo.write(".git/config", `${await repo.read(".git/config")}[include]path=more\n`);
    return await status(repo);
  };
  await Promise.all([
    named("core.excludesFile", "OUTSIDE/fifo", status),
    named("mailmap.file", "OUTSIDE/fifo", log),
    named("include.path", "OUTSIDE/fifo", status),
    named("include.path", "../fifo", log),
    named("svc.any", "none", included),
  ]);
});
