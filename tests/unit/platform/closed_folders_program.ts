/** Works on trees in which a program took its owner's right to write from folders; run it without the powers of root. */
import { yard } from "tests/unit/platform/worktree_ports.ts";

const BRANCH = "svc/T-0001-one";

const at = await yard({ files: { ".gitignore": "cache/\n", "src/a.txt": "a\n" } });
const path = `${at.home}/demo/job-1`;

async function make() {
  await at.worktrees.add(at.place, { doing: "start", path, branch: BRANCH, start: "main" });
}

/** As Go leaves its module cache, and a test of files its folders. */
async function close() {
  for (const folder of ["cache/mod/dep", "left", "src"]) {
    await Deno.mkdir(`${path}/${folder}`, { recursive: true });
    await Deno.writeTextFile(`${path}/${folder}/a.txt`, "edited\n");
    await Deno.chmod(`${path}/${folder}`, 0o555);
  }
  await Deno.chmod(`${path}/cache/mod`, 0o500);
}

const failed: Record<string, string> = {};

async function tried(what: string, work: () => Promise<unknown>) {
  try {
    await work();
  } catch (thrown) {
    failed[what] = String(thrown);
  }
}

const left = () => Deno.lstat(path).then(() => true, () => false);

await make();
await close();
await tried("reuse", async () => {
  const reuse = { doing: "go on", path, branch: BRANCH, holder: "job-2" };
  if (!await at.worktrees.reuse(at.place, reuse)) throw new Error("it was not used again");
  const text = await Deno.readTextFile(`${path}/src/a.txt`);
  const names = [...Deno.readDirSync(path)].map(({ name }) => name).sort();
  if (text !== "a\n") throw new Error(text);
  if (names.join() !== ".git,.gitignore,src") throw new Error(names.join());
});
await close();
await tried("put back", async () => {
  await at.worktrees.putBack(at.place, path, []);
  if (await Deno.readTextFile(`${path}/src/a.txt`) !== "a\n") throw new Error("not put back");
});
await close();
await tried("remove", async () => {
  await at.worktrees.remove(at.place, path, { discard: true });
  if (await left()) throw new Error("it is there");
});
await make();
await Deno.mkdir(`${path}/cache/mod`, { recursive: true });
await Deno.writeTextFile(`${path}/cache/mod/a.txt`, "made\n");
await Deno.chmod(`${path}/cache/mod`, 0o555);
await at.worktrees.setUp(at.place, path, "key");
await tried("retire", () => at.worktrees.retire(at.place, path));
await tried("trim the pool", async () => {
  await at.worktrees.trimPool(0);
  const pool = `${at.home}/pool`;
  const names = [...Deno.readDirSync(pool)].map(({ name }) => name);
  if (names.length > 0) throw new Error(names.join());
});
await make();
await Deno.mkdir(`${path}/cache/data`, { recursive: true });
await Deno.chmod(`${path}/cache/data`, 0);
// As a database of a container leaves its folder.
await tried("set up", () => at.worktrees.setUp(at.place, path, "key"));
await tried("set up again", async () => {
  const { setup } = await at.worktrees.mark(at.place, path);
  if (setup !== undefined) throw new Error("what nobody can look into is no set-up to keep");
  await at.worktrees.retire(at.place, path);
  if (await left()) throw new Error("it is there");
});
console.log(JSON.stringify(failed));
await at[Symbol.asyncDispose]();
