/** Disks that are full or read-only. */
import assert from "node:assert/strict";
import { denoDir, svcCommand } from "tests/kit/script.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const ignore = Deno.uid() !== 0; // mounting takes root

async function mount(at: string, options: string): Promise<AsyncDisposable> {
  const run = (program: string, ...args: string[]) =>
    new Deno.Command(program, { args, stderr: "piped" }).output();
  const { success, stderr } = await run("mount", "-t", "tmpfs", "-o", options, "tmpfs", at);
  assert.ok(success, new TextDecoder().decode(stderr));
  return { [Symbol.asyncDispose]: async () => void await run("umount", "--lazy", at) };
}

async function setup(home: string) {
  const [program, ...before] = svcCommand();
  const { code, stderr } = await new Deno.Command(program, {
    args: [...before, "path", "setup", "--shell", "bash", "--install-dir", "/opt/svc"],
    env: { HOME: home, SVC_HOME: `${home}/../svc-home`, DENO_DIR: denoDir() },
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

for (const [name, options] of [["full", "size=16k"], ["read-only", "ro"]] as const) {
  Deno.test(`a home on a ${name} disk is a clear failure, and the files there stay whole`, {
    ignore,
  }, async () => {
    await using temp = await tempFolder();
    const home = `${temp.path}/home`;
    await Deno.mkdir(home);
    await using _disk = await mount(home, options);
    if (name === "full") await fill(home);
    const before = await names(home);
    const { code, stderr } = await setup(home);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /^svc: Cannot .*\.(?:bashrc|profile)".*\ntry: ./);
    assert.deepEqual(await names(home), before);
    if (name === "full") assert.equal(await Deno.readTextFile(`${home}/.bashrc`), "# mine\n");
  });
}

async function fill(folder: string): Promise<void> {
  await Deno.writeTextFile(`${folder}/.bashrc`, "# mine\n");
  await Deno.writeTextFile(`${folder}/.profile`, "# mine\n");
  const rest = Deno.writeFile(`${folder}/rest`, new Uint8Array(64 * 1024));
  await assert.rejects(rest);
}

async function names(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name).sort();
}
