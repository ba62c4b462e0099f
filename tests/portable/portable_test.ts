/** The self-extracting file: first starts that race, break, are killed or find no room. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { VERSION } from "svc/core/version.ts";
import { built, inFolder, runtimes, start } from "tests/kit/portable_start.ts";
import { svcCommand } from "tests/kit/script.ts";
import { signalled } from "tests/kit/signalled.ts";
import { exists, until } from "tests/kit/until.ts";
import { bundleFolder, calledAtStart } from "tools/bundle.ts";
import { namesAt } from "tools/eager.ts";
import { root } from "tools/modules.ts";

async function flipByte(path: string, fromEnd: number): Promise<void> {
  using file = await Deno.open(path, { read: true, write: true });
  const byte = new Uint8Array(1);
  await file.seek(fromEnd, Deno.SeekMode.End);
  await file.read(byte);
  await file.seek(fromEnd, Deno.SeekMode.End);
  await file.write(byte.map((value) => value ^ 0xff));
}

Deno.test("portable: moved elsewhere and started by a bare environment, it unpacks owner-only", () =>
  inFolder(async (folder) => {
    const moved = `${folder}/a b/svc`;
    await Deno.mkdir(`${folder}/a b`);
    await Deno.copyFile(built, moved);
    const ran = await start(moved, { HOME: folder });
    assert.deepEqual(ran, { code: 0, stdout: `svc ${VERSION}\n`, stderr: "" });
    const [hash] = await runtimes(`${folder}/.svc`);
    assert.match(hash!, /^[0-9a-f]{64}$/);
    const { mode } = await Deno.stat(`${folder}/.svc/bin/runtime/${hash}`);
    assert.equal((mode! & 0o777).toString(8), "700");
  }));

Deno.test(
  "portable: a current folder that was removed is a clear failure, whatever the shell believes",
  () =>
    inFolder(async (folder) => {
      for (const shell of ["sh", "bash"]) {
        for (const believed of ["", "export PWD=/tmp; ", "unset PWD; "]) {
          const script =
            `mkdir "$1/gone" && cd "$1/gone" && rmdir "$1/gone"; ${believed}exec "$0" version`;
          const { code, stdout, stderr } = await start(`/bin/${shell}`, { HOME: folder }, [
            ...["-c", script, built, folder],
          ]);
          assert.deepEqual([code, stdout], [5, ""], stderr);
          assert.match(stderr, /^svc: Cannot run in the current folder: it was removed\ntry: cd$/m);
        }
      }
      const moved = 'mkdir "$1/a" && cd "$1/a" && mv "$1/a" "$1/b" && exec "$0" version';
      const args = ["-c", moved, built, folder];
      assert.equal((await start("/bin/sh", { HOME: folder }, args)).stdout, `svc ${VERSION}\n`);
    }),
);

Deno.test(
  "portable: what the first start writes into a repo has the modes of the user's umask",
  () =>
    inFolder(async (folder) => {
      const repo = `${folder}/repo`;
      const script = 'umask 022; git init -q "$1" && exec "$0" init --yes --repo "$1"';
      const { code, stderr } = await start("/bin/sh", { HOME: folder }, [
        "-c",
        script,
        built,
        repo,
      ]);
      assert.equal(code, 0, stderr);
      for (const [name, mode] of [["docs", "755"], ["AGENTS.md", "644"]] as const) {
        assert.equal(((await Deno.stat(`${repo}/${name}`)).mode! & 0o777).toString(8), mode, name);
      }
    }),
);

Deno.test(
  "portable: four first starts at once leave one runtime and nothing else",
  () =>
    inFolder(async (folder) => {
      const SVC_HOME = `${folder}/home`;
      const all = await Promise.all([1, 2, 3, 4].map(() => start(built, { SVC_HOME })));
      for (const ran of all) assert.equal(ran.stdout, `svc ${VERSION}\n`, ran.stderr);
      assert.equal((await runtimes(SVC_HOME)).length, 1);
    }),
);

Deno.test(
  "portable: a damaged file is refused and leaves nothing",
  () =>
    inFolder(async (folder) => {
      const damaged = `${folder}/svc`;
      await Deno.copyFile(built, damaged);
      await flipByte(damaged, -1000);
      const { code, stderr } = await start(damaged, { SVC_HOME: `${folder}/home` });
      assert.equal(code, 5);
      assert.match(stderr, /does not match its checksum\ntry: install svc again/);
      assert.deepEqual(await runtimes(`${folder}/home`), []);
    }),
);

Deno.test(
  "portable: a first start killed half-way is finished by the next",
  () =>
    inFolder(async (folder) => {
      const SVC_HOME = `${folder}/home`;
      const child = new Deno.Command(built, {
        args: ["version"],
        env: { PATH: "/usr/bin:/bin", SVC_HOME },
        clearEnv: true,
        stdout: "null",
        stderr: "null",
      }).spawn();
      // Killed as soon as the unpacking has begun.
      await until(() => exists(`${SVC_HOME}/bin/runtime`), () => "no runtime", 1);
      signalled(child, "SIGKILL");
      await child.status;
      assert.equal((await start(built, { SVC_HOME })).stdout, `svc ${VERSION}\n`);
      assert.equal((await runtimes(SVC_HOME)).length, 1);
    }),
);

Deno.test("portable: what a power cut or a cleaner left of the runtime is unpacked again", () =>
  inFolder(async (folder) => {
    const SVC_HOME = `${folder}/home`;
    const said = () => start(built, { SVC_HOME }).then(({ code, stdout }) => [code, stdout]);
    await said();
    const [name] = await runtimes(SVC_HOME);
    const path = `${SVC_HOME}/bin/runtime/${name}`;
    await Deno.truncate(`${path}/main.js`);
    assert.deepEqual(await said(), [0, `svc ${VERSION}\n`]);
    await Deno.remove(`${path}/deno`);
    assert.deepEqual(await said(), [0, `svc ${VERSION}\n`]);
    await Deno.chmod(`${path}/deno`, 0o644);
    assert.deepEqual(await said(), [0, `svc ${VERSION}\n`]);
    await Deno.truncate(`${path}/deno`);
    const all = await Promise.all([1, 2, 3, 4].map(said));
    assert.deepEqual(all, all.map(() => [0, `svc ${VERSION}\n`]));
    assert.deepEqual(await runtimes(SVC_HOME), [name]);
  }));

Deno.test("portable: an upgrade takes away old runtimes that no process runs, but for three", () =>
  inFolder(async (folder) => {
    const SVC_HOME = `${folder}/home`;
    const made = async (digit: string, daysAgo: number) => {
      const path = `${SVC_HOME}/bin/runtime/${digit.repeat(64)}`;
      await Deno.mkdir(path, { recursive: true });
      await Deno.copyFile("/bin/sleep", `${path}/deno`);
      const at = new Date(Date.now() - daysAgo * 86_400_000);
      await Deno.utime(path, at, at);
      return path;
    };
    await made("a", 10);
    await made("b", 20);
    const old = await made("c", 30);
    const runs = await made("d", 40);
    await made("e", 50);
    await Deno.mkdir(`${SVC_HOME}/bin/runtime/mine`);
    const service = new Deno.Command(`${runs}/deno`, { args: ["1000"] }).spawn();
    try {
      assert.equal((await start(built, { SVC_HOME })).stdout, `svc ${VERSION}\n`);
      const left = (await runtimes(SVC_HOME)).map((name) => name.slice(0, 4));
      for (const stays of ["aaaa", "bbbb", "dddd", "mine"]) assert.ok(left.includes(stays), stays);
      assert.deepEqual([left.length, await exists(old)], [5, false]);
    } finally {
      service.kill("SIGKILL");
      await service.status;
    }
  }));

Deno.test(
  "portable: no home, or one that cannot be written, is a clear failure",
  () =>
    inFolder(async (folder) => {
      const none = await start(built, {});
      assert.equal(none.code, 5);
      assert.match(none.stderr, /Cannot find the svc home: HOME is "",.*\ntry: export SVC_HOME=/);
      const relative = await start(built, { HOME: folder, SVC_HOME: "here" });
      assert.equal(relative.code, 5);
      assert.match(
        relative.stderr,
        /Cannot find the svc home: SVC_HOME is "here", not an absolute/,
      );
      await Deno.writeTextFile(`${folder}/file`, "");
      const blocked = await start(built, { SVC_HOME: `${folder}/file/home` });
      assert.equal(blocked.code, 5);
      assert.match(blocked.stderr, /Cannot create .*\ntry: make the folder writable/);
    }),
);

async function mounted(at: string, options: string): Promise<boolean> {
  const { success } = await new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", options, "tmpfs", at],
    stderr: "null",
  }).output().catch(() => ({ success: false }));
  return success;
}

Deno.test("portable: a full disk is a clear failure and leaves nothing half-written", {
  ignore: Deno.uid() !== 0,
}, (t) =>
  inFolder(async (folder) => {
    if (!await mounted(folder, "size=20m")) {
      return void await t.step({ name: "no tmpfs here", ignore: true, fn() {} });
    }
    try {
      const { code, stderr } = await start(built, { SVC_HOME: `${folder}/home` });
      assert.equal(code, 5);
      assert.match(stderr, /Cannot unpack svc.*\ntry: free some space/);
      assert.deepEqual(await runtimes(`${folder}/home`), []);
    } finally {
      await new Deno.Command("umount", { args: ["--lazy", folder] }).output();
    }
  }));

Deno.test("portable: a home whose programs cannot be started is a clear failure each time", {
  ignore: Deno.uid() !== 0,
}, (t) =>
  inFolder(async (folder) => {
    if (!await mounted(folder, "noexec,size=400m")) {
      return void await t.step({ name: "no tmpfs here", ignore: true, fn() {} });
    }
    try {
      for (let time = 0; time < 2; time++) {
        const { code, stderr } = await start(built, { SVC_HOME: `${folder}/home` });
        assert.equal(code, 5);
        assert.match(stderr, /^svc: Cannot start Deno, in which svc runs: .*denied\ntry: .*noexec/);
        assert.deepEqual(await runtimes(`${folder}/home`), []);
      }
    } finally {
      await new Deno.Command("umount", { args: ["--lazy", folder] }).output();
    }
  }));

Deno.test("portable: a machine without tar is told so", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(`${folder}/bin`);
    for (const name of ["pwd", "mkdir", "gzip"]) {
      await Deno.symlink(`/bin/${name}`, `${folder}/bin/${name}`);
    }
    const { code, stderr } = await start(built, {
      SVC_HOME: `${folder}/home`,
      PATH: `${folder}/bin`,
    });
    assert.equal(code, 5);
    assert.equal(stderr, 'svc: Cannot unpack svc: there is no "tar" here\ntry: install tar\n');
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder), ({ name }) => name), ["bin"]);
  }));

Deno.test("portable: a limit of file sizes is a clear failure, and no end without a word", () =>
  inFolder(async (folder) => {
    const env = { SVC_HOME: `${folder}/home`, HOME: folder };
    const limited = (program: string) => start("/bin/sh", env, ["-c", `ulimit -f 8; ${program}`]);
    const unpacking = await limited(`exec ${built} version`);
    assert.equal(unpacking.code, 5);
    assert.match(unpacking.stderr, /Cannot unpack svc.*\ntry: .*ulimit -f/);
    assert.equal((await start(built, env)).code, 0);
    await new Deno.Command("git", { args: ["init", "--quiet", `${folder}/app`] }).output();
    const { code, stderr } = await limited(`exec ${built} init --yes --repo ${folder}/app`);
    assert.equal(code, 5);
    assert.match(stderr, /the file would grow past the limit.*\ntry: .*ulimit -f unlimited/);
  }));

Deno.test(
  "portable: the exit status and the words behind -- pass through",
  () =>
    inFolder(async (folder) => {
      const { code, stderr } = await start(built, { SVC_HOME: `${folder}/home` }, ["a b", "c'd"]);
      assert.equal(code, 2);
      assert.match(stderr, /unknown command "a b"/);
    }),
);

Deno.test("bundled: what is held for a while is let go of, as in the source", async () => {
  const held = async (path: string) =>
    (await Deno.readTextFile(path)).match(/\busing parent ?= ?/g)?.length ?? 0;
  const source = await held(`${root}src/platform/files/folder.ts`);
  assert.ok(source > 2);
  // It is in the file that those share who need it.
  const shared = [...Deno.readDirSync(bundleFolder)].filter(({ name }) => name.endsWith(".js"));
  const counts = await Promise.all(shared.map(({ name }) => held(`${bundleFolder}/${name}`)));
  assert.equal(Math.max(...counts), source);
});

Deno.test("portable: a home of a test borrows the runtime, and that of one that asks for it unpacks", () =>
  inFolder(async (folder) => {
    for (const unpacks of [false, true]) {
      const SVC_HOME = `${folder}/${unpacks}`;
      const [program, ...args] = svcCommand({ unpacks });
      const ran = await start(program, { SVC_HOME }, [...args, "version"]);
      assert.deepEqual(ran, { code: 0, stdout: `svc ${VERSION}\n`, stderr: "" });
      const { isSymlink } = await Deno.lstat(`${SVC_HOME}/bin/runtime`);
      assert.equal(isSymlink, !unpacks);
    }
  }));

Deno.test("portable: homes that borrow one runtime share what Deno compiled of it", () =>
  inFolder(async (folder) => {
    const [program, ...args] = svcCommand();
    const SVC_HOME = `${folder}/home`;
    assert.equal((await start(program, { SVC_HOME }, [...args, "version"])).code, 0);
    const [runtime] = await runtimes(SVC_HOME);
    using cache = new DatabaseSync(
      `${SVC_HOME}/bin/runtime/${runtime}/cache/v8_code_cache_v2`,
      { readOnly: true },
    );
    const kept = cache.prepare("SELECT specifier FROM codecache").all();
    assert.ok(kept.some(({ specifier }) => `${specifier}`.endsWith(`/${runtime}/main.js`)));
    assert.deepEqual(kept.filter(({ specifier }) => `${specifier}`.includes(folder)), []);
  }));

Deno.test("eight in ten functions that starts are said to call are there: if not, make called", async () => {
  const there = new Set<string>();
  for await (const { name } of Deno.readDir(bundleFolder)) {
    if (!name.endsWith(".js")) continue;
    for (const one of namesAt(await Deno.readTextFile(`${bundleFolder}/${name}`))) there.add(one);
  }
  const called = await calledAtStart();
  const found = called.intersection(there).size;
  assert.ok(found > called.size * 0.8, `${found} of ${called.size} functions are in the bundle`);
});
