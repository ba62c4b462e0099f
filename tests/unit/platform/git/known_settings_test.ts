/** What is remembered of a repo's settings, and when git is asked anew. */
import assert from "node:assert/strict";
import { gitIn } from "svc/platform/git/call.ts";
import { knownDrivers, knownNames } from "svc/platform/git/known_settings.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

async function quietPlace(path: string, config: string) {
  await Deno.writeTextFile(`${path}/config`, config);
  return { root: path, gitDir: path, commonDir: path };
}

Deno.test("knownDrivers asks once while the settings stay as they are, and again when they change", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const config = `${folder.path}/config`;
  const place = await quietPlace(folder.path, "[core]\n");
  let asked = 0;
  const read = () => {
    asked++;
    return Promise.resolve({ names: ["core.bare"], blanks: [["a", ""] as const] });
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
    return { names: ["core.bare"], blanks: [] };
  });
  assert.equal(knownNames(processes, place), undefined);
});

Deno.test("long settings are not remembered", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, `# ${"x".repeat(64 * 1024)}\n`);
  await knownDrivers(processes, place, () => Promise.resolve({ names: [], blanks: [] }));
  assert.equal(knownNames(processes, place), undefined);
});

Deno.test("git is asked once for a value, and again once another program changed it", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const processes = denoProcesses();
  const asked: string[] = [];
  const counted = {
    ...processes,
    run: (plan: Run) => (asked.push(plan.args.slice(1).join(" ")), processes.run(plan)),
  };
  const gitDir = `${repo.path}/.git`;
  const git = gitIn({ processes: counted, env: { PATH: Deno.env.get("PATH")! } }, {
    root: repo.path,
    gitDir,
    commonDir: gitDir,
  });
  const name = async () => {
    const args = ["config", "--local", "--get", "user.name"];
    const { code, stdout } = await git({ doing: "read a name", args, answers: [0, 1] });
    return [code, new TextDecoder().decode(stdout.head)];
  };
  assert.deepEqual([await name(), await name()], [[1, ""], [1, ""]]);
  await repo.git("config", "user.name", "Ada");
  assert.deepEqual([await name(), await name()], [[0, "Ada\n"], [0, "Ada\n"]]);
  await repo.git("config", "user.name", "Bob");
  assert.deepEqual([await name(), await name()], [[0, "Bob\n"], [0, "Bob\n"]]);
  assert.equal(asked.filter((line) => line.endsWith("user.name")).length, 3);
  // A file that it takes in may change without a trace in the repo's own.
  const more = `${repo.path}/more`;
  await Deno.writeTextFile(more, "[user]\nname = Cleo\n");
  await repo.git("config", "include.path", more);
  assert.deepEqual(await name(), [0, "Bob\n"]);
  const included = async () => {
    const args = ["config", "--local", "--includes", "--get", "user.name"];
    return new TextDecoder().decode((await git({ doing: "read a name", args })).stdout.head);
  };
  assert.equal(await included(), "Cleo\n");
  await Deno.writeTextFile(more, "[user]\nname = Dora\n");
  assert.equal(await included(), "Dora\n");
});

Deno.test("knownDrivers asks once for all work trees that have no settings of their own", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, "[core]\n");
  let asked = 0;
  const read = () => {
    asked++;
    return Promise.resolve({ names: ["core.bare"], blanks: [] });
  };
  const linked = { ...place, gitDir: `${folder.path}/worktrees/job` };
  await Deno.mkdir(linked.gitDir, { recursive: true });
  assert.equal(knownNames(processes, place), undefined);
  await knownDrivers(processes, place, read);
  await knownDrivers(processes, linked, read);
  assert.equal(asked, 1);
  assert.deepEqual(knownNames(processes, linked), ["core.bare"]);

  await Deno.writeTextFile(`${linked.gitDir}/config.worktree`, "[filter]\n");
  assert.equal(knownNames(processes, linked), undefined);
  await knownDrivers(processes, linked, read);
  assert.equal(asked, 2, "it has settings of its own now");
  assert.deepEqual(knownNames(processes, place), ["core.bare"]);
});

Deno.test("knownDrivers remembers nothing of settings that take in other files, or of a link", async () => {
  await using folder = await tempFolder();
  const processes = denoProcesses();
  const place = await quietPlace(folder.path, "[include]\n");
  let asked = 0;
  const read = () => {
    asked++;
    return Promise.resolve({ names: ["includeif.gitdir:x.path"], blanks: [] });
  };
  await knownDrivers(processes, place, read);
  await knownDrivers(processes, place, read);
  assert.equal(asked, 2);

  await Deno.rename(`${folder.path}/config`, `${folder.path}/real`);
  await Deno.symlink("real", `${folder.path}/config`);
  const plain = () => {
    asked++;
    return Promise.resolve({ names: [], blanks: [] });
  };
  await knownDrivers(processes, place, plain);
  await knownDrivers(processes, place, plain);
  assert.equal(asked, 4);
});
