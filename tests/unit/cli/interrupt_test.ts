/** Ctrl-C, TERM and a terminal that closes: the command cleans up, the exit status is 130, a second signal does not wait. */
import assert from "node:assert/strict";
import { until } from "tests/kit/until.ts";

const beside = (name: string) =>
  decodeURIComponent(new URL(`../../kit/${name}`, import.meta.url).pathname);
const program = beside("waiting_program.ts");

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function interrupted(
  args: readonly string[],
  signals: readonly Deno.Signal[],
  /** Sent when it has said something more. */
  then?: Deno.Signal,
): Promise<Ended> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", program, ...args],
    stdout: "piped",
    stderr: "piped",
    env: { SVC_HOME: "/nonexistent/svc-home" },
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const stderr = new Response(child.stderr).text();
  let stdout = (await reader.read()).value ?? ""; // "working": its handlers are in place
  for (const signal of signals) child.kill(signal);
  if (then !== undefined) {
    stdout += (await reader.read()).value ?? "";
    child.kill(then);
  }
  for (let part = await reader.read(); !part.done; part = await reader.read()) stdout += part.value;
  const { code } = await child.status;
  return { code, stdout, stderr: await stderr };
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.test(`${signal} lets the command clean up and exits 130`, async () => {
    const { code, stdout, stderr } = await interrupted(["clean"], [signal]);
    assert.deepEqual([code, stdout], [130, "working\ncleaned up\n"]);
    assert.match(stderr, /^svc: Interrupted/);
  });
}

Deno.test("what a command throws while it stops is not shown as a crash", async () => {
  const { code, stderr } = await interrupted(["throws"], ["SIGINT"]);
  assert.equal(code, 130);
  assert.ok(!stderr.includes("cut short"), stderr);
});

Deno.test("a command that does not listen is given up after the grace", async () => {
  const { code } = await interrupted(["deaf", "50"], ["SIGINT"]);
  assert.equal(code, 130);
});

Deno.test("a second signal ends a deaf command at once", async () => {
  const { code, stderr } = await interrupted(["deaf", "600000"], ["SIGINT", "SIGTERM"]);
  assert.deepEqual([code, stderr], [130, ""]);
});

/** A zombie is dead: whoever should collect it is gone. */
function isDead(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return true;
  }
}

Deno.test("a second signal leaves no program behind, also none in a session of its own", async () => {
  const { code, stdout } = await interrupted(["starts", "600000"], ["SIGINT", "SIGTERM"]);
  const pids = /^(\d+) (\d+) (\d+)$/m.exec(stdout)!.slice(1).map(Number);
  const alive = () => pids.filter((pid) => !isDead(pid));
  try {
    assert.equal(code, 130);
    await until(() => alive().length === 0, () => `${alive()} alive of ${pids}`, 20, 20_000);
  } finally {
    for (const pid of alive()) Deno.kill(pid, "SIGKILL");
  }
});

Deno.test("under --json an interrupt is an error object", async () => {
  const { code, stdout } = await interrupted(["clean", "8000", "--json"], ["SIGINT"]);
  assert.equal(code, 130);
  assert.equal(JSON.parse(stdout.split("\n").at(-2)!).error.code, "interrupted");
});

for (const signal of ["SIGTERM", "SIGHUP"] as const) {
  Deno.test(`what serves is hurried by a second signal, after ${signal}, and then ended`, async () => {
    const { code, stdout } = await interrupted(["hurried", "600000"], [signal], "SIGINT");
    assert.deepEqual([code, stdout], [130, "working\nasked\nhurries\nleft\n"]);
  });
}

Deno.test("SIGQUIT hurries what serves without a signal before it, and ends what does not serve", async () => {
  const { code, stdout } = await interrupted(["hurried", "600000"], ["SIGQUIT"]);
  assert.deepEqual([code, stdout], [130, "working\nasked\nhurries\nleft\n"]);
  const deaf = await interrupted(["deaf", "600000"], ["SIGQUIT"]);
  assert.deepEqual([deaf.code, deaf.stderr], [130, ""]);
});

Deno.test("what was started as by nohup outlives its terminal", async () => {
  const said = async (trap: string) => {
    const words = [Deno.execPath(), "run", "-A", "--quiet", beside("hang_up_program.ts")];
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", `${trap} HUP; exec "$@"`, "sh", ...words],
    }).output();
    return new TextDecoder().decode(stdout);
  };
  assert.deepEqual([await said('trap ""'), await said("trap -")], ["goes on\n", "stops\n"]);
});
