/** Ctrl-C during a check: all that it started ends, and nothing is recorded. */
import assert from "node:assert/strict";
import { openScoped } from "svc/store/placement.ts";
import { svcCommand } from "tests/kit/script.ts";
import { signalled } from "tests/kit/signalled.ts";
import { tempRepo } from "tests/kit/temp_repo.ts";
import { until } from "tests/kit/until.ts";
import { ports } from "tests/unit/store/temp_store.ts";

/** A process that ended and was not yet waited for has no command line any more (proc(5)). */
function alive(pid: string): boolean {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`) !== "";
  } catch {
    return false; // it was waited for
  }
}

/** What runs until it is ended: in the command's own group, and in a session of its own. */
const TREE = "sleep 600 & echo $!; setsid sleep 600 > /dev/null 2>&1 & echo $!; echo ready; wait";

/** @param again it is interrupted until it has ended, and not once, when the check says that it is ready */
async function interrupted(script: string, { again }: { readonly again: boolean }) {
  const repo = await tempRepo({ commit: true });
  const home = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-home-" }));
  const [program, ...before] = svcCommand();
  const svcHome = `${home}/.svc`;
  const words = ["checks", "run", "--repo", repo.path, "--name", "long", "--json", "--"];
  const child = new Deno.Command(program, {
    args: [...before, ...words, "sh", "-c", script],
    env: { HOME: home, SVC_HOME: svcHome },
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
  // Two that come at once may count as one.
  const more = again ? setInterval(() => signalled(child, "SIGINT"), 20) : undefined;
  await shown.cancel();
  const { code } = await child.status.finally(() => clearInterval(more));
  assert.equal(code, 130);
  const pids = text.match(/^\d+$/mg) ?? [];
  assert.equal(pids.length, 2);
  return {
    ...{ repo, svcHome, pids, stdout: await stdout },
    async [Symbol.asyncDispose]() {
      await Deno.remove(home, { recursive: true });
      await repo[Symbol.asyncDispose]();
    },
  };
}

Deno.test("Ctrl-C ends a check and its whole tree, and records nothing", async () => {
  await using run = await interrupted(TREE, { again: false });
  assert.equal(JSON.parse(run.stdout).error.code, "interrupted");
  for (const pid of run.pids) assert.equal(alive(pid), false, pid);
  const homes = { db: `${run.svcHome}/db`, sharedDb: `${run.svcHome}-harness/db` };
  await using store = await openScoped({ ...ports, home: homes }, { repo: run.repo.path });
  assert.deepEqual(await store.db.selectFrom("checks").selectAll().execute(), []);
});

Deno.test("a second Ctrl-C leaves nothing behind either, of what is deaf to TERM", async () => {
  await using run = await interrupted(`trap '' TERM; ${TREE}`, { again: true });
  for (const pid of run.pids) {
    await until(() => !alive(pid), () => `${pid}, which was killed, lives`);
  }
});
