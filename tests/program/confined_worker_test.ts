/** What a confined Worker can do in a living program: read its input, run programs, be interrupted, die. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";
import { type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

function start(task: string, repo: TempRepo) {
  const script = new URL("../kit/confined_program.ts", import.meta.url).href;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script, task, repo.path],
    env: { SVC_HOME: `${repo.path}/.home` },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** The number that the program prints on its first line. */
async function numberOf(output: ReadableStreamDefaultReader<string>): Promise<number> {
  const { value = "" } = await output.read();
  return Number(/^\d+/.exec(value)?.[0]);
}

function gone(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return false;
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound;
  }
}

Deno.test("a confined Worker answers standard input line by line", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const child = start("lines", repo);
  const input = child.stdin.getWriter();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  for (const line of ["one", "two"]) {
    await input.write(new TextEncoder().encode(`${line}\n`));
    assert.equal((await output.read()).value, `got ${line}\n`);
  }
  await input.close();
  const [{ code }] = await Promise.all([child.status, output.cancel(), child.stderr.cancel()]);
  assert.equal(code, 7);
});

Deno.test("Ctrl-C ends a confined Worker that waits for input", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const child = start("waits", repo);
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await numberOf(output);
  child.kill("SIGINT");
  const { code } = await child.status;
  await Promise.all([child.stdin.close().catch(() => {}), output.cancel(), child.stderr.cancel()]);
  assert.equal(code, 130);
});

Deno.test("Ctrl-C reaches a program that a confined Worker runs", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const child = start("program", repo);
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const pid = await numberOf(output);
  child.kill("SIGINT");
  assert.equal((await output.read()).value, "cancelled true\n");
  const [{ code }] = await Promise.all([child.status, child.stdin.close(), output.cancel()]);
  await child.stderr.cancel();
  assert.deepEqual([code, gone(pid)], [130, true]);
});

Deno.test("a Worker that dies leaves neither its lock nor its programs", async () => {
  await using repo = await tempRepo({ files: { a: "a\n" }, commit: true });
  const child = start("dies", repo);
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const pid = await numberOf(output);
  const errors = new Response(child.stderr).text();
  const [{ code }] = await Promise.all([child.status, child.stdin.close()]);
  await output.cancel();
  assert.match(await errors, /The confined Worker died/);
  assert.deepEqual([code, gone(pid)], [1, true]);
  const place = { root: repo.path, commonDir: `${repo.path}/.git` };
  (await lockRepo(place, { doing: "test", clock: systemClock, waitMs: 0 }))[Symbol.dispose]();
});
