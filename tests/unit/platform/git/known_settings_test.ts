/** What is remembered of a repo's settings, and when git is asked anew. */
import assert from "node:assert/strict";
import { gitIn } from "svc/platform/git/call.ts";
import { knownDrivers, knownSettings } from "svc/platform/git/known_settings.ts";
import { settingsListed } from "svc/platform/git/settings.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

function countedGit(path: string) {
  const processes = denoProcesses();
  const asked: string[] = [];
  const run = (plan: Run) => (asked.push(plan.args.slice(1).join(" ")), processes.run(plan));
  const gitDir = `${path}/.git`;
  const place = { root: path, gitDir, commonDir: gitDir };
  const env = { PATH: Deno.env.get("PATH")! };
  return { git: gitIn({ processes: { ...processes, run }, env }, place), asked };
}

async function quietPlace(path: string, config: string) {
  await Deno.writeTextFile(`${path}/config`, config);
  return { root: path, gitDir: path, commonDir: path };
}

const INCLUDING = settingsListed(
  new TextEncoder().encode("local\0includeif.gitdir:x.path\nmore\0"),
);
const BARE = settingsListed(new TextEncoder().encode("local\0core.bare\nfalse\0"));

Deno.test("knownDrivers asks once while the settings stay as they are, and again when they change", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const config = `${folder.path}/config`;
  const place = await quietPlace(folder.path, "[core]\n");
  let asked = 0;
  const read = () => {
    asked++;
    return Promise.resolve({ settings: BARE, blanks: [["a", ""] as const] });
  };
  assert.deepEqual(await knownDrivers(processes, place, read), [["a", ""]]);
  assert.deepEqual(await knownDrivers(processes, place, read), [["a", ""]]);
  assert.equal(asked, 1);
  await knownDrivers(denoProcesses(), place, read);
  assert.equal(asked, 2, "another port knows nothing of it");

  // As long, with the times of before.
  const { atime, mtime } = await Deno.lstat(config);
  await Deno.writeTextFile(config, "[diff]\n");
  await Deno.utime(config, atime!, mtime!);
  await knownDrivers(processes, place, read);
  await knownDrivers(processes, place, read);
  assert.equal(asked, 3);
  // Bytes that are not UTF-8 differ, too.
  for (const byte of [0xc3, 0xe4]) {
    await Deno.writeFile(config, Uint8Array.of(byte));
    await knownDrivers(processes, place, read);
  }
  assert.equal(asked, 5);
});

Deno.test("settings that change while git reads them are not remembered", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, "[core]\n");
  await knownDrivers(processes, place, async () => {
    await Deno.writeTextFile(`${folder.path}/config`, "[diff]\n");
    return { settings: BARE, blanks: [] };
  });
  assert.equal(knownSettings(processes, place), undefined);
});

Deno.test("long settings are not remembered", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, `# ${"x".repeat(64 * 1024)}\n`);
  await knownDrivers(processes, place, () => Promise.resolve({ settings: [], blanks: [] }));
  assert.equal(knownSettings(processes, place), undefined);
});

Deno.test("a value is told from the list of settings, asked again once another program changed one", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const { git, asked } = countedGit(repo.path);
  const name = async (...flags: string[]) => {
    const args = ["config", "--local", ...flags, "--get", "user.name"];
    const { code, stdout } = await git({ doing: "read a name", args, answers: [0, 1] });
    return [code, new TextDecoder().decode(stdout.head)];
  };
  assert.deepEqual([await name(), await name()], [[1, ""], [1, ""]]);
  await repo.git("config", "user.name", "Ada");
  assert.deepEqual([await name(), await name()], [[0, "Ada\n"], [0, "Ada\n"]]);
  await repo.git("config", "user.name", "Bob");
  assert.deepEqual([await name(), await name()], [[0, "Bob\n"], [0, "Bob\n"]]);
  assert.equal(asked.filter((line) => line.endsWith("user.name")).length, 0);
  assert.equal(asked.filter((line) => line.endsWith("--list -z")).length, 3);
  // Git is to say what is missing where the caller did not expect it.
  await assert.rejects(
    git({ doing: "read a name", args: ["config", "--get", "user.none"] }),
    /Cannot read a name: git ended with exit code 1/,
  );
  // A file that it takes in may change without a trace in the repo's own.
  const more = `${repo.path}/more`;
  await Deno.writeTextFile(more, "[user]\nname = Cleo\n");
  await repo.git("config", "include.path", more);
  assert.deepEqual(await name(), [0, "Bob\n"]);
  assert.deepEqual(await name("--includes"), [0, "Cleo\n"]);
  await Deno.writeTextFile(more, "[user]\nname = Dora\n");
  assert.deepEqual(await name("--includes"), [0, "Dora\n"]);
});

Deno.test("knownDrivers asks once for all work trees that have no settings of their own", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, "[core]\n");
  let asked = 0;
  const read = () => {
    asked++;
    return Promise.resolve({ settings: BARE, blanks: [] });
  };
  const linked = { ...place, gitDir: `${folder.path}/worktrees/job` };
  await Deno.mkdir(linked.gitDir, { recursive: true });
  assert.equal(knownSettings(processes, place), undefined);
  await knownDrivers(processes, place, read);
  await knownDrivers(processes, linked, read);
  assert.equal(asked, 1);
  assert.equal(knownSettings(processes, linked), BARE);

  await Deno.writeTextFile(`${linked.gitDir}/config.worktree`, "[filter]\n");
  assert.equal(knownSettings(processes, linked), undefined);
  await knownDrivers(processes, linked, read);
  assert.equal(asked, 2, "it has settings of its own now");
  assert.equal(knownSettings(processes, place), BARE);
});

Deno.test("knownDrivers remembers nothing of settings that take in other files, or of a link", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, "[include]\n");
  let asked = 0;
  const read = () => {
    asked++;
    return Promise.resolve({ settings: INCLUDING, blanks: [] });
  };
  await knownDrivers(processes, place, read);
  await knownDrivers(processes, place, read);
  assert.equal(asked, 2);

  await Deno.rename(`${folder.path}/config`, `${folder.path}/real`);
  await Deno.symlink("real", `${folder.path}/config`);
  const plain = () => {
    asked++;
    return Promise.resolve({ settings: [], blanks: [] });
  };
  await knownDrivers(processes, place, plain);
  await knownDrivers(processes, place, plain);
  assert.equal(asked, 4);
});
