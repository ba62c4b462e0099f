/** `init` and `eject` under real SIGKILLs: the next run finishes or undoes them, to the byte. */
import assert from "node:assert/strict";
import { repair } from "svc/features/harness/operate.ts";
import { svcCommand, treeHash } from "tests/kit/script.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { eject, init, siteAt } from "tests/unit/features/harness/harness_site.ts";

const FILES = { "package.json": '{"scripts": {"test": "node --test"}}', "docs/own.md": "own\n" };

const PASSED_OVER = / (?:repo\/\.git\/(?:svc\.lock|index)|home\/journal)(?: |$)|^$/;

/** The repo and the home, without svc's lock, which stays, and git's index, which holds inode numbers. */
async function look(repo: string, home: string): Promise<string> {
  const tree = `${await treeHash(repo)}\n${await treeHash(home)}`;
  return tree.replaceAll(repo, "repo").replaceAll(home, "home").split("\n")
    .filter((line) => !PASSED_OVER.test(line)).join("\n");
}

async function doomed(...args: string[]): Promise<"killed" | "done"> {
  const script = decodeURIComponent(new URL("harness_doomed.ts", import.meta.url).pathname);
  const { signal, code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--quiet", "--no-check", script, ...args],
    stdout: "null",
    stderr: "inherit",
  }).output();
  if (signal === "SIGKILL") return "killed";
  assert.equal(code, 0);
  return "done";
}

async function ground() {
  const home = await tempFolder();
  // One name, for the project is called by it.
  const parent = await tempFolder();
  const repo = await tempRepo({ files: FILES, commit: true });
  const path = `${parent.path}/demo`;
  await Deno.rename(repo.path, path);
  await Deno.mkdir(repo.path);
  return {
    path,
    home: home.path,
    async [Symbol.asyncDispose]() {
      for (const folder of [home, parent, repo]) await folder[Symbol.asyncDispose]();
    },
  };
}

async function round(verb: "init" | "eject", nth: number, wanted: { start: string; done: string }) {
  await using at = await ground();
  if (verb === "eject") {
    using site = await siteAt(at.path, at.home);
    await init(site);
  }
  const ended = await doomed(verb, at.path, at.home, String(nth), String(nth % 7));
  {
    using site = await siteAt(at.path, at.home);
    await repair(site, verb);
  }
  // A half-written journal is swept by the next one that is written there.
  const repaired = (await look(at.path, at.home)).split("\n")
    .filter((line) => !line.includes("home/journal/.svc-tmp-")).join("\n");
  const whole = repaired === wanted.done || repaired === wanted.start;
  assert.ok(whole, `${verb} killed in change ${nth} left a part:\n${repaired}`);
  if (ended === "done") assert.equal(repaired, wanted.done);
  using site = await siteAt(at.path, at.home);
  if (repaired === wanted.start) await (verb === "init" ? init : eject)(site);
  assert.equal(await look(at.path, at.home), wanted.done);
  return ended;
}

async function trees() {
  await using at = await ground();
  using site = await siteAt(at.path, at.home);
  const bare = await look(at.path, at.home);
  await init(site);
  const full = await look(at.path, at.home);
  await eject(site);
  assert.equal(await look(at.path, at.home), bare);
  return { bare, full };
}

Deno.test("init and eject survive SIGKILL in the middle of any change", async () => {
  const { bare, full } = await trees();
  let killed = 0;
  for (const nth of [1, 2, 3, 5, 8, 13, 21, 27, 34, 40, 44]) {
    if (await round("init", nth, { start: bare, done: full }) === "killed") killed++;
    if (await round("eject", nth, { start: full, done: bare }) === "killed") killed++;
  }
  assert.ok(killed >= 20, `${killed} of 22 rounds were killed`);
});

async function svc(home: string, cwd: string, ...args: string[]) {
  const [program, ...before] = svcCommand();
  const { code, stdout } = await new Deno.Command(program, {
    args: [...before, ...args, "--json"],
    cwd,
    env: { SVC_HOME: home },
    stderr: "null",
  }).output();
  return { code, result: JSON.parse(new TextDecoder().decode(stdout)) };
}

Deno.test("svc init after a kill finishes the earlier one and says so; a dry run only names it", async () => {
  const { full } = await trees();
  await using at = await ground();
  assert.equal(await doomed("init", at.path, at.home, "20", "0"), "killed");
  const cut = await look(at.path, at.home);
  const dry = await svc(at.home, at.path, "init", "--dry-run");
  assert.equal(dry.code, 6);
  assert.match(dry.result.error.message, /svc init was cut short here/);
  assert.equal(await look(at.path, at.home), cut);
  const again = await svc(at.home, at.path, "init", "--yes");
  assert.equal(again.code, 0);
  assert.deepEqual(again.result.earlier, [
    { operation: "init", outcome: "finished", edited: [] },
  ]);
  assert.equal((await look(at.path, at.home)).replace(/^folder .* home\/traces.*\n?/gm, ""), full);
});

Deno.test("two inits at once: one writes, the other finds it done", async () => {
  const { full } = await trees();
  for (let times = 0; times < 5; times++) {
    await using at = await ground();
    using one = await siteAt(at.path, at.home);
    using other = await siteAt(at.path, at.home);
    const ends = await Promise.allSettled([init(one), init(other)]);
    const refused = ends.filter((end) => end.status === "rejected");
    assert.equal(refused.length, 1);
    assert.match(String(refused[0]?.reason), /is there already/);
    assert.equal(await look(at.path, at.home), full);
  }
});
