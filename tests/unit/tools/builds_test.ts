/**
 * The builds: `svc update tool`, which runs `make update-tool`, over an older install, and `deno compile` with and without its
 * runtime. In one file, since all of them write `dist/`.
 */
import assert from "node:assert/strict";
import { VERSION } from "svc/core/version.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const root = decodeURIComponent(new URL("../../..", import.meta.url).pathname);
async function updateTool(folder: string, home: string) {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-check", `${root}main.ts`, "update", "tool", "--json"],
      ...["--source", root, "--install-dir", folder],
    ],
    env: { SVC_BUILD: "portable", SVC_HOME: home },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

verifies(
  [
    "4.5:update-tool:reinstalls",
    "4.5:update-tool:make-target",
    "4.5:update-tool:install-dir",
    "4.5:update-tool:source",
  ],
  "update tool builds the checkout, replaces an older svc and keeps it as svc.previous",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "svc-install-" });
    try {
      const bin = `${folder}/local dir/bin`;
      await Deno.mkdir(bin, { recursive: true });
      await Deno.writeTextFile(`${bin}/svc`, "#!/bin/sh\necho svc 0.0.9\n", { mode: 0o755 });
      const { code, stdout, stderr } = await updateTool(bin, `${folder}/home`);
      assert.equal(code, 0, stderr);
      const { before, after } = JSON.parse(stdout);
      assert.deepEqual([before, after], ["svc 0.0.9", `svc ${VERSION}`]);
      const names = (await Array.fromAsync(Deno.readDir(bin))).map(({ name }) => name).sort();
      assert.deepEqual(names, ["svc", "svc.previous"]);
      const manual = await Deno.readTextFile(`${folder}/local dir/share/man/man1/svc.1`);
      assert.match(manual, /^\.TH "SVC" 1 /);
      const previous = await new Deno.Command(`${bin}/svc.previous`).output();
      assert.equal(new TextDecoder().decode(previous.stdout), "svc 0.0.9\n");
      const now = await new Deno.Command(`${bin}/svc`, {
        args: ["version"],
        env: { SVC_HOME: `${folder}/home` },
      }).output();
      assert.equal(new TextDecoder().decode(now.stdout), `svc ${VERSION}\n`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test("install leaves an svc that runs in place where the one that was built does not", async () => {
  await using folder = await tempFolder("svc-install-");
  await Deno.writeTextFile(`${folder.path}/svc`, "#!/bin/sh\necho svc 0.0.9\n", { mode: 0o755 });
  await Deno.writeTextFile(`${folder.path}/home`, "a file, into which nothing is unpacked\n");
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `${root}tools/install.ts`, folder.path],
    env: { SVC_BUILD: "portable", SVC_HOME: `${folder.path}/home` },
  }).output();
  assert.equal(code, 5);
  assert.match(
    new TextDecoder().decode(stderr),
    /does not run; svc 0\.0\.9 stays\ntry: .*dist\/svc version, /,
  );
  const names = Array.from(Deno.readDirSync(folder.path), ({ name }) => name).sort();
  assert.deepEqual(names, ["home", "svc"]);
  const { stdout } = await new Deno.Command(`${folder.path}/svc`).output();
  assert.equal(new TextDecoder().decode(stdout), "svc 0.0.9\n");
});

Deno.test("install keeps the old program where svc is a link to what the build writes, and nothing of a killed install", async () => {
  await using folder = await tempFolder("svc-install-");
  const gone = new Deno.Command("true").spawn();
  await gone.status;
  for (const name of [`svc.new-${gone.pid}`, `svc.previous-${gone.pid}`, `svc.new-${Deno.pid}`]) {
    await Deno.writeTextFile(`${folder.path}/${name}`, "#!/bin/sh\n");
  }
  // The build before has written it; other tests run it meanwhile, so its bytes stay what they are.
  await Deno.symlink(`${root}dist/svc`, `${folder.path}/svc`);
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", `${root}tools/install.ts`, folder.path],
    env: { SVC_BUILD: "portable", SVC_HOME: `${folder.path}/home` },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const { isFile, size } = await Deno.lstat(`${folder.path}/svc.previous`);
  assert.ok(isFile && size > 1_000_000, "a program of its own, no link to what was built");
  const names = Array.from(Deno.readDirSync(folder.path), ({ name }) => name).sort();
  // This process runs, so what has its number may be at work.
  assert.deepEqual(names, ["home", "svc", `svc.new-${Deno.pid}`, "svc.previous"]);
});

Deno.test("install keeps the old program on a file system without hard links, too", async () => {
  await using folder = await tempFolder("svc-install-");
  const old = "#!/bin/sh\necho svc 0.0.9\n";
  await folder.write("bin/svc", old, { executable: true });
  // As FAT answers link(2).
  const refuses = 'Deno.link = () => Promise.reject(new Deno.errors.PermissionDenied("EPERM"));\n';
  await folder.write("no_links.ts", refuses);
  const install = [`${root}tools/install.ts`, `${folder.path}/bin`];
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--preload", `${folder.path}/no_links.ts`, ...install],
    env: { SVC_BUILD: "portable", SVC_HOME: `${folder.path}/home` },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  assert.equal(await folder.read("bin/svc.previous"), old);
  assert.ok((await Deno.stat(`${folder.path}/bin/svc`)).size > 1_000_000);
});

Deno.test("make passes the folder on as it was given, whatever its name", async () => {
  await using folder = await tempFolder("svc-make-");
  // In Deno's place, so that nothing is built.
  const shown = `${folder.path}/shown`;
  await Deno.writeTextFile(shown, '#!/bin/sh\nfor word; do :; done; printf "%s" "$word"\n', {
    mode: 0o755,
  });
  const passed = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { stdout, stderr } = await new Deno.Command("make", {
      args: ["--silent", "-C", root, "-o", "build-packages", "install", `DENO=${shown}`, ...args],
      env,
    }).output();
    return new TextDecoder().decode(stdout) || new TextDecoder().decode(stderr);
  };
  const odd = "/a b/$x$$(id)`id`'\"#\\n${HOME}";
  assert.equal(await passed([`INSTALL_DIR=${odd}`]), odd);
  assert.equal(await passed([], { INSTALL_DIR: odd }), odd);
  assert.equal(await passed([], { HOME: odd }), `${odd}/.local/bin`);
});

Deno.test(
  "install refuses a folder that is not absolute, before it builds",
  async () => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", `${root}tools/install.ts`, "bin"],
    }).output();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), /not an absolute folder\ntry: make install/);
  },
);

const denort = Deno.env.get("DENORT_BIN");

async function compile(env: Record<string, string>) {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${root}tools/compile.ts`],
    env,
  }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

Deno.test("compile without a denort says so, and what to do instead", async () => {
  const { code, stderr } = await compile({ DENORT_BIN: "/nonexistent/denort" });
  assert.equal(code, 5);
  assert.match(stderr, /^Cannot compile svc: .*denort/);
  assert.match(stderr, /try: set DENORT_BIN .* make portable/);
});

Deno.test("the compiled executable runs without Deno, and knows how it was built", {
  ignore: denort === undefined,
}, async () => {
  assert.equal((await compile({})).code, 0);
  await using home = await tempFolder();
  const { stdout } = await new Deno.Command(`${root}dist/svc`, {
    args: ["version", "--json"],
    clearEnv: true,
    env: { HOME: home.path },
  }).output();
  const { version, build } = JSON.parse(new TextDecoder().decode(stdout));
  assert.deepEqual([version, build], [VERSION, "compiled"]);
});
