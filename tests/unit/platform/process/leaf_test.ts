/** Programs that start no others, and run in svc's own session. */
import assert from "node:assert/strict";
import { hasTerminal } from "svc/platform/process/foreground.ts";
import { alive, processes, sh, text } from "tests/kit/shell_run.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { until } from "tests/kit/until.ts";

const linux = Deno.build.os === "linux";

/** Field 6 of proc(5)'s stat, which cat reads of itself. */
const sessionOf = (stat: string) => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3];
const own = () => sessionOf(Deno.readTextFileSync("/proc/self/stat"));
const CAT = { program: "cat", args: ["/proc/self/stat"] };

/** Says where it is: struck by a signal in svc's session, whole in its own. */
const STRUCK = '[ "$(cut -d" " -f6 /proc/$$/stat)" = $$ ] || kill -INT $$; echo "in a session"';

Deno.test(
  "a program that starts no others has no session of its own",
  { ignore: !linux },
  async () => {
    const leaf = await sh("", { ...CAT, leaf: true });
    assert.equal(sessionOf(text(leaf.stdout)), own());
    assert.notEqual(sessionOf(text((await sh("", CAT)).stdout)), own());
  },
);

Deno.test(
  "a script has one, since it may start the program that it stands for",
  { ignore: !linux },
  async () => {
    await using folder = await tempFolder();
    const program = `${folder.path}/git`;
    await Deno.writeTextFile(program, "#!/bin/sh\ncat /proc/$$/stat\n", { mode: 0o700 });
    const { stdout } = await sh("", { program, args: [], leaf: true });
    assert.notEqual(sessionOf(text(stdout)), own());
  },
);

Deno.test("one that a signal from elsewhere ends is run again, in a session", async () => {
  const ended = await sh(STRUCK, { leaf: true });
  assert.deepEqual([ended.code, text(ended.stdout)], [0, "in a session\n"]);
  const given: string[] = [];
  const told = await sh(STRUCK, {
    leaf: true,
    onOutput: (chunk) => void given.push(new TextDecoder().decode(chunk)),
  });
  assert.deepEqual([told.code, given.join("")], [0, "in a session\n"]);
});

Deno.test("not once a part of its output was given: nobody gets that twice", async () => {
  let given = "";
  const ended = await sh(`echo begin; ${STRUCK}`, {
    leaf: true,
    onOutput: (chunk) => void (given += new TextDecoder().decode(chunk)),
  });
  if (!linux || hasTerminal()) assert.equal(given, "begin\nin a session\n");
  else assert.deepEqual([given, ended.signal], ["begin\n", "SIGINT"]);
});

Deno.test("one that is cancelled or takes too long is ended, and is not run again", async () => {
  await using folder = await tempFolder();
  const runs = async () => (await Deno.readTextFile(`${folder.path}/runs`)).trim().split("\n");
  const script = `echo $$ >>${folder.path}/runs; exec sleep 100`;
  const late = await sh(script, { leaf: true, timeoutMs: 300 });
  assert.deepEqual([late.timedOut, late.signal], [true, "SIGTERM"]);
  assert.equal((await runs()).length, 1);
  const abort = new AbortController();
  const cancelled = sh(script, { leaf: true, signal: abort.signal });
  await until(async () => (await runs()).length === 2, () => "it has not started");
  abort.abort();
  assert.equal((await cancelled).cancelled, true);
  const pids = await runs();
  assert.equal(pids.length, 2);
  assert.deepEqual(pids.map(Number).filter(alive), []);
});

Deno.test("one that ignores TERM is killed", async () => {
  const stubborn = await sh("trap '' TERM; while :; do :; done", { leaf: true, timeoutMs: 200 });
  assert.deepEqual([stubborn.timedOut, stubborn.signal], [true, "SIGKILL"]);
});

Deno.test("a missing program is told as it is with a session", async () => {
  const run = (leaf: boolean) =>
    processes.run({
      ...{ program: "/gone/git", args: [], cwd: "/", env: {} },
      ...(leaf && { leaf }),
    });
  for (const leaf of [true, false]) {
    await assert.rejects(run(leaf), /it, or the interpreter it names, does not exist/);
  }
});

Deno.test("hasTerminal tells a controlling terminal from none", { ignore: !linux }, async () => {
  const module = new URL("../../../../src/platform/process/foreground.ts", import.meta.url).href;
  const code = `import { hasTerminal } from "${module}"; console.log(String(hasTerminal()));`;
  const config = new URL("../../../../deno.json", import.meta.url).pathname;
  await using folder = await tempFolder();
  const program = `${folder.path}/ask.ts`;
  await Deno.writeTextFile(program, code);
  const deno = [Deno.execPath(), "run", "-A", "--no-check", "--config", config, program];
  const said = async (command: string, args: readonly string[]) => {
    const { stdout } = await new Deno.Command(command, { args: [...args], stdin: "null" }).output();
    return new TextDecoder().decode(stdout).trim();
  };
  assert.equal(await said("setsid", ["--wait", ...deno]), "false");
  assert.equal(await said("script", ["-qec", deno.join(" "), "/dev/null"]), "true");
});
