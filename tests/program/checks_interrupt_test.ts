/** Ctrl-C during a check: all that it started ends, and nothing is recorded. */
import assert from "node:assert/strict";
import { openScoped } from "svc/store/placement.ts";
import { shareRuntime, svcCommand } from "tests/kit/script.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { ports } from "tests/unit/store/temp_store.ts";

/** A process that ended and was not yet waited for has no command line any more (proc(5)). */
const alive = (pid: string) =>
  Deno.readTextFile(`/proc/${pid}/cmdline`).then((line) => line !== "", () => false);

Deno.test("Ctrl-C ends a check and its whole tree, and records nothing", async () => {
  await using repo = await tempRepo({ commit: true });
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-home-" }));
  try {
    const [program, ...before] = svcCommand();
    const svcHome = `${home}/.svc`;
    await shareRuntime(svcHome);
    const env = { HOME: home, SVC_HOME: svcHome };
    const tree =
      "sleep 600 & echo $!; setsid sleep 600 > /dev/null 2>&1 & echo $!; echo ready; wait";
    const words = ["checks", "run", "--repo", repo.path, "--name", "long", "--json", "--"];
    const child = new Deno.Command(program, {
      args: [...before, ...words, "sh", "-c", tree],
      env,
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stdout = new Response(child.stdout).text();
    const shown = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("ready")) {
      const { value, done } = await shown.read();
      if (done) throw new Error(`svc ended early: ${text}`);
      text += value;
    }
    child.kill("SIGINT");
    await shown.cancel();
    const { code } = await child.status;
    assert.equal(code, 130);
    assert.equal(JSON.parse(await stdout).error.code, "interrupted");
    const pids = text.match(/^\d+$/mg) ?? [];
    assert.equal(pids.length, 2);
    for (const pid of pids) assert.equal(await alive(pid), false, pid);
    const homes = { db: `${svcHome}/db`, sharedDb: `${svcHome}-harness/db` };
    await using store = await openScoped({ ...ports, home: homes }, { repo: repo.path });
    assert.deepEqual(await store.db.selectFrom("checks").selectAll().execute(), []);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
});
