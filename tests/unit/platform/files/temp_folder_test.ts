import assert from "node:assert/strict";
import { tempFolder } from "svc/platform/files/temp_folder.ts";
import { cannotMount, overlay } from "tests/kit/odd_disks.ts";

const gone = (path: string) => assert.throws(() => Deno.lstatSync(path), Deno.errors.NotFound);

Deno.test("a temporary folder is its owner's alone, and is gone with all that is in it", () => {
  let path: string;
  {
    using folder = tempFolder("test");
    path = folder.path;
    assert.equal(Deno.lstatSync(path).mode! & 0o777, 0o700);
    Deno.mkdirSync(`${path}/a/b`, { recursive: true });
    Deno.writeTextFileSync(`${path}/a/b/c`, "");
    Deno.symlinkSync("/etc", `${path}/a/link`);
  }
  gone(path);
  assert.ok(Deno.statSync("/etc").isDirectory);
});

Deno.test("what a killed process left is swept, what lives and what others named stays", () => {
  using first = tempFolder("test");
  const parent = first.path.slice(0, first.path.lastIndexOf("/"));
  // The kernel gives no such number (proc(5), pid_max).
  const dead = `${parent}/svc-test-4194305-x`;
  const others = `${parent}/svc-other-4194305-x`;
  try {
    Deno.mkdirSync(`${dead}/in`, { recursive: true });
    Deno.mkdirSync(others);
    using _second = tempFolder("test");
    gone(dead);
    assert.ok(Deno.statSync(first.path).isDirectory);
    assert.ok(Deno.statSync(others).isDirectory);
  } finally {
    Deno.removeSync(others);
  }
});

Deno.test("what a killed process left and nobody can remove keeps no other from its folder", {
  ignore: await cannotMount(),
}, async () => {
  const dead = Deno.makeTempDirSync({ prefix: "svc-test-4194305-" });
  try {
    await using _mounted = await overlay(dead);
    using folder = tempFolder("test");
    assert.ok(Deno.statSync(folder.path).isDirectory);
  } finally {
    Deno.removeSync(dead, { recursive: true });
  }
});

Deno.test("a process that ends at once removes its folder, as after a second Ctrl-C", async () => {
  const script = 'import { tempFolder } from "svc/platform/files/temp_folder.ts";\n' +
    'console.log(tempFolder("test").path); Deno.exit(130);';
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", script],
  }).output();
  const decoder = new TextDecoder();
  assert.equal(code, 130, decoder.decode(stderr));
  const path = decoder.decode(stdout).trim();
  assert.match(path, /\/svc-test-\d+-/);
  gone(path);
});
