/** What is unpacked where a home is shared: by containers, by users, with a power cut. */
import assert from "node:assert/strict";
import { VERSION } from "svc/core/version.ts";
import { built, inFolder, runtimes, start } from "tests/kit/portable_start.ts";

/** Containers may forbid root their own. */
const hasNamespaces = () =>
  new Deno.Command("unshare", { args: ["--fork", "--pid", "--mount-proc", "true"] }).outputSync()
    .success;

Deno.test(
  "portable: a first start that was killed as process 1 of a container leaves the next one free",
  {
    ignore: Deno.uid() !== 0 || !hasNamespaces(),
  },
  () =>
    inFolder(async (folder) => {
      const SVC_HOME = `${folder}/home`;
      const left = `${SVC_HOME}/bin/runtime/.unpack-`;
      // The names of this svc and of earlier ones; the last is one of another container, at work.
      for (const name of ["1", "1-1", "1-2"]) {
        await Deno.mkdir(`${left}${name}`, { recursive: true });
      }
      const hoursAgo = new Date(Date.now() - 7_200_000);
      for (const name of ["1", "1-1"]) await Deno.utime(`${left}${name}`, hoursAgo, hoursAgo);
      const args = ["--fork", "--pid", "--mount-proc", built, "version"];
      const { code, stdout, stderr } = await start("unshare", { SVC_HOME }, args);
      assert.deepEqual([code, stdout], [0, `svc ${VERSION}\n`], stderr);
      assert.deepEqual(
        (await runtimes(SVC_HOME)).map((name) => name.slice(0, 11)).filter((name) =>
          name[0] === "."
        ),
        [".unpack-1-2"],
      );
    }),
);

Deno.test("portable: what is unpacked is on the disk before it has its name", () =>
  inFolder(async (folder) => {
    const SVC_HOME = `${folder}/home`;
    await Deno.mkdir(`${folder}/bin`);
    const noted = `ls -a "$SVC_HOME/bin/runtime" >"${folder}/seen"; exec /bin/sync "$@"`;
    await Deno.writeTextFile(`${folder}/bin/sync`, `#!/bin/sh\n${noted}\n`, { mode: 0o755 });
    const ran = await start(built, { SVC_HOME, PATH: `${folder}/bin:/usr/bin:/bin` });
    assert.equal(ran.code, 0, ran.stderr);
    const seen = await Deno.readTextFile(`${folder}/seen`);
    assert.match(seen, /^\.unpack-/m);
    assert.doesNotMatch(seen, /^[0-9a-f]{64}$/m);
  }));

Deno.test(
  "portable: a home or runtime of another user is named with the way out that its user has",
  {
    ignore: Deno.uid() !== 0,
  },
  () =>
    inFolder(async (folder) => {
      await Deno.chmod(folder, 0o755);
      const program = `${folder}/svc`; // where the checkout lies the other user may not look
      await Deno.copyFile(built, program);
      const user = { uid: 4242, gid: 4242 };
      const asUser = async (home: string) => {
        const { code, stderr } = await new Deno.Command(program, {
          args: ["version"],
          env: { PATH: "/usr/bin:/bin", SVC_HOME: home },
          cwd: "/",
          clearEnv: true,
          ...user,
        }).output();
        return { code, stderr: new TextDecoder().decode(stderr) };
      };
      // Root's, as sudo leaves it where it keeps HOME.
      const roots = `${folder}/roots`;
      assert.equal((await start(program, { SVC_HOME: roots })).code, 0);
      assert.deepEqual(await asUser(roots), {
        code: 5,
        stderr: `svc: Cannot use "${roots}": it belongs to another user\n` +
          `try: sudo chown -R 4242 "${roots}", or set SVC_HOME to a folder of your own\n`,
      });
      const theirs = `${folder}/theirs`;
      await Deno.mkdir(`${theirs}/bin/runtime`, { recursive: true });
      const [hash] = await runtimes(roots);
      const runtime = `${theirs}/bin/runtime/${hash}`;
      await Deno.rename(`${roots}/bin/runtime/${hash}`, runtime);
      for (const path of ["", "/bin", "/bin/runtime"]) {
        await Deno.chown(theirs + path, user.uid, user.gid);
      }
      assert.deepEqual(await asUser(theirs), {
        code: 5,
        stderr:
          `svc: Cannot run "${runtime}": it belongs to another user\ntry: sudo rm -r "${runtime}"\n`,
      });
      await Deno.chown(runtime, user.uid, user.gid);
      const { code, stderr } = await start(program, { SVC_HOME: theirs });
      assert.equal(code, 5);
      assert.match(stderr, /belongs to another user\ntry: run svc as that user, or set SVC_HOME/);
    }),
);
