import assert from "node:assert/strict";
import { checkRun } from "svc/features/tools/check_run.ts";
import { commandRun } from "svc/features/tools/command_run.ts";
import type { Check } from "svc/features/checks/check_table.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { toolPlace } from "tests/kit/tool_place.ts";
import { ENV, manifest, site } from "./session_site.ts";

const sh = (script: string, more: Record<string, unknown> = {}) => ({
  ...{ argv: [script], shell: true },
  ...more,
});

Deno.test("command_run gives output, exit code and facts, without a shell", async () => {
  await using repo = await tempRepo({ files: { "d/x": "1\n" }, commit: true });
  await using tools = await site(repo);
  const good = await tools.call(commandRun, { argv: ["printf", "%s", "$(id); *"] });
  assert.deepEqual([good.ok, good.text], [
    true,
    "--- stdout\n$(id); *\n--- ended with exit code 0",
  ]);
  const bad = await tools.call(commandRun, sh("pwd; echo no >&2; exit 3", { cwd: "./d/" }));
  assert.equal(bad.ok, false);
  assert.equal(bad.text, `--- stdout\n${repo.path}/d\n--- stderr\nno\n--- ended with exit code 3`);
  assert.deepEqual([bad.facts?.["exit_code"], bad.facts?.["survivors_killed"]], [3, 0]);
  const fed = await tools.call(commandRun, { argv: ["cat"], stdin: "in" });
  assert.match(fed.text, /^--- stdout\nin\n/);
  assert.match(
    (await tools.call(commandRun, sh("x", { argv: ["a", "b"] }))).text,
    /give one command/,
  );
});

Deno.test("command_run takes one line in place of words, and runs it without a shell", async () => {
  await using at = await toolPlace({ files: { "a b": "1\n" } });
  const ran = await at.call(commandRun, { command: `printf '%s|' "a b" c\\ d '$HOME'` });
  assert.match(ran.text, /^--- stdout\na b\|c d\|\$HOME\|\n/);
  const shell = await at.call(commandRun, { command: "cat 'a b' | wc -l", shell: true });
  assert.match(shell.text, /^--- stdout\n1\n/);
  for (
    const [args, why] of [
      [
        { command: "true && touch x" },
        /"command" is .*not run by a shell.*"&" joins.*once for each/,
      ],
      [{ command: "echo $HOME > x" }, /\$ stands for a value/],
      [{ command: "cd a" }, /"cd" is a word of the shell/],
      [{ command: "true", argv: ["false"] }, /give argv or command, not both/],
      [{ cwd: "." }, /"argv" is missing/],
    ] as const
  ) {
    const { status, text } = await at.call(commandRun, args);
    assert.equal(status, "invalid", text);
    assert.match(text, why);
  }
  await assert.rejects(Deno.stat(`${at.repo.path}/x`), Deno.errors.NotFound);
});

Deno.test("command_run is judged by the words of a line as by words", () => {
  const touched = (args: unknown) => {
    const asked = commandRun.args.parse(args);
    return [commandRun.needs!(asked), commandRun.touches!(asked)];
  };
  for (
    const [command, argv] of [
      ["git -C . push --force", ["git", "-C", ".", "push", "--force"]],
      [`bash -lc "npm test && rm x"`, ["bash", "-lc", "npm test && rm x"]],
      ["'rm' -r\\f x", ["rm", "-rf", "x"]],
    ] as const
  ) assert.deepEqual(touched({ command }), touched({ argv }), command);
  const line = { command: "rm x", shell: true };
  assert.deepEqual(touched(line), touched({ argv: ["rm x"], shell: true }));
});

Deno.test("command_run passes on nine variables, and no secret of svc; git gets no editor", async () => {
  await using repo = await tempRepo({ commit: true });
  await using tools = await site(repo);
  const { text } = await tools.call(commandRun, { argv: ["env"] });
  const names = [...text.matchAll(/^(\w+)=/gm)].map(([, name]) => name).sort();
  assert.deepEqual(names, ["GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "HOME", "PATH", "SVC_JOB_ID"]);
});

Deno.test("git waits for no editor, whichever the person has", async () => {
  await using home = await tempFolder("svc-home-");
  const person = "[user]\n\tname = Ada\n\temail = ada@example.com\n";
  await home.write(
    ".gitconfig",
    person + "[core]\n\teditor = sleep 60\n[sequence]\n\teditor = sleep 60\n",
  );
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  await repo.commit("second", { b: "1\n" });
  await using tools = await site(repo, { env: { ...ENV, HOME: home.path } });
  const git = async (...words: string[]) =>
    await tools.call(commandRun, { argv: ["git", ...words], timeout_seconds: 20 });
  for (const words of [["commit", "--amend"], ["rebase", "-i", "HEAD~1"]]) {
    assert.match((await git(...words)).text, /ended with exit code 0$/, words.join(" "));
  }
  assert.match((await git("commit", "--allow-empty")).text, /empty commit message/);
  assert.equal(await repo.git("log", "--format=%s"), "second\nfirst\n");
});

Deno.test("command_run needs the shell capability for a shell by any spelling", () => {
  const needs = (argv: string[], shell?: boolean) =>
    commandRun.needs!(commandRun.args.parse({ argv, ...(shell !== undefined && { shell }) }));
  for (const program of ["sh", "/bin/bash", "./zsh", "busybox"]) {
    assert.equal(needs([program, "-c", "x"]), "shell", program);
  }
  assert.equal(needs(["ls"], true), "shell");
  assert.equal(needs(["ls"]), undefined);
  const touches = commandRun.touches!(commandRun.args.parse({ argv: ["a | b"], shell: true }));
  assert.deepEqual(touches.argv, ["/bin/sh", "-c", "a | b"]);
});

Deno.test("command_run is refused for what a shell would read from its input", async () => {
  await using at = await toolPlace({ files: { a: "1\n" } });
  const guardrails = { denyPaths: [], denyCommands: ["rm", "git push"] };
  const standing = { roleTrust: "contributor", sourceTrust: "contributor" } as const;
  const box = at.box([commandRun], {
    policy: {
      profile: "host",
      now: () => Promise.resolve({ ...standing, roleTools: undefined, guardrails }),
    },
  });
  const run = (args: unknown) =>
    box.call("command_run", args, { signal: new AbortController().signal });
  for (
    const args of [
      { argv: ["sh"], stdin: "rm -f a; git push" },
      { argv: ["/bin/bash", "-s"], stdin: "cd . &&\ngit -C . push" },
      { argv: ["tcsh"], stdin: "rm a" },
      { argv: ["env", "sh"], stdin: "rm a" },
      { argv: ["xargs", "-I{}", "{}", "a"], stdin: "rm" },
      { argv: ["cat a | sh"], shell: true, stdin: "rm a" },
    ]
  ) {
    const { status, deniedBy } = await run(args);
    assert.deepEqual([status, deniedBy], ["denied", "guardrails"], JSON.stringify(args));
  }
  assert.equal(at.denials.length, 6);
  assert.equal((await run({ argv: ["cat"], stdin: "rm a" })).status, "ok");
  assert.equal((await run({ argv: ["cat > b"], shell: true, stdin: "rm a" })).status, "ok");
});

Deno.test("command_run stays below the root and follows no link with cwd", async () => {
  await using repo = await tempRepo({ files: { "d/x": "1\n" }, commit: true });
  await using outside = await tempFolder();
  await Deno.symlink(outside.path, `${repo.path}/link`);
  await using tools = await site(repo);
  for (
    const cwd of ["..", "/", "/proc/self/root", "d/../..", "link", "link/x", "d/x", "no", "\0"]
  ) {
    const run = Promise.resolve().then(() => tools.call(commandRun, { argv: ["pwd"], cwd }));
    await assert.rejects(run, cwd);
  }
});

Deno.test("command_run takes no program that the repo planted under a bare name", async () => {
  await using repo = await tempRepo({ commit: true });
  const plant = '#!/bin/sh\n: >"$(dirname "$0")/../fired"\n';
  await repo.write("bin/git", plant, { executable: true });
  await repo.write("bin/only-here", plant, { executable: true });
  const PATH = `:.:${repo.path}/bin:/usr/bin:/bin`;
  await using tools = await site(repo, { env: { PATH } });
  const { text } = await tools.call(commandRun, { argv: ["git", "--version"] });
  assert.match(text, /git version/);
  await assert.rejects(tools.call(commandRun, { argv: ["only-here"] }), /only inside the repo/);
  await assert.rejects(Deno.stat(`${repo.path}/fired`), Deno.errors.NotFound);
  assert.equal((await tools.call(commandRun, { argv: ["./git"], cwd: "bin" })).ok, true);
  await Deno.stat(`${repo.path}/fired`);
});

Deno.test("command_run leaves no process behind, whatever it does to stay", async () => {
  await using repo = await tempRepo({ commit: true });
  await using tools = await site(repo);
  const stay = `trap "" TERM HUP; setsid sh -c 'trap "" TERM HUP; sleep 300' & ` +
    "(nohup sleep 300 >/dev/null 2>&1 &) ; echo started";
  const left = await tools.call(commandRun, sh(stay));
  assert.match(left.text, /started/);
  assert.ok(Number(left.facts?.["survivors_killed"]) >= 2, left.text);
  assert.match(left.text, /nothing outlives a command/);
  assert.equal(await tools.session.processes.sweep(tools.session.job), 0);
});

Deno.test("command_run ends at its timeout and when the session ends", async () => {
  await using repo = await tempRepo({ commit: true });
  await using tools = await site(repo);
  const late = await tools.call(commandRun, { argv: ["sleep", "300"], timeout_seconds: 1 });
  assert.deepEqual([late.ok, late.facts?.["timed_out"]], [false, true]);
  assert.match(late.text, /stopped: it ran longer than 1\.0 s/);
  const reason = new Error("the session ends");
  await assert.rejects(
    tools.call(commandRun, { argv: ["sleep", "300"] }, AbortSignal.abort(reason)),
    reason,
  );
});

Deno.test("command_run keeps head and tail of output without end, in bounded memory", async () => {
  await using repo = await tempRepo({ commit: true });
  await using tools = await site(repo);
  const before = Deno.memoryUsage().rss;
  const { text, facts } = await tools.call(commandRun, {
    ...{ argv: ["yes", "0123456789abcdef"], timeout_seconds: 2 },
  });
  assert.ok(Number(facts?.["output_bytes"]) > 50_000_000, String(facts?.["output_bytes"]));
  assert.ok(text.length < 1_100_000, String(text.length));
  assert.match(text, /\[\d+ bytes left out\]/);
  assert.ok(Deno.memoryUsage().rss - before < 128 * 1024 * 1024);
});

Deno.test("command_run and check_run say that not all of a long output was kept", async () => {
  const yes = ["sh", "-c", "yes | head -c 3000000"];
  const known = manifest({ project: { name: "app", checks: [{ name: "test", run: yes }] } });
  await using at = await toolPlace({ session: { manifest: known } });
  for (const [tool, args] of [[commandRun, { argv: yes }], [checkRun, { name: "test" }]] as const) {
    const { text, artefact } = await at.call(tool, args);
    assert.match(text, /lines, \d+ bytes; what was kept of 3000000 bytes is in .*\.txt\]\n/);
    const { size } = await Deno.stat(artefact!);
    assert.ok(size > 1_000_000 && size < 1_100_000, String(size));
  }
  const { text } = await at.call(commandRun, { argv: ["sh", "-c", "yes | head -c 900000"] });
  assert.match(text, /bytes in all; the whole is in /);
});

Deno.test("check_run runs a check of the manifest, records it and says what failed", async () => {
  await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
  const recorded: Check[] = [];
  await using tools = await site(repo, {
    manifest: manifest({
      project: {
        name: "app",
        checks: [
          { name: "test", run: ["sh", "-c", "echo hush-hush; echo bad >&2; exit 2"] },
          { name: "lint", run: ["true"] },
        ],
      },
    }),
    recordCheck: (check) => Promise.resolve(void recorded.push(check)),
  });
  const failed = await tools.call(checkRun, { name: "test" });
  assert.equal(failed.ok, false);
  assert.match(failed.text, /bad[^]*--- failed: test ended with exit code 2$/);
  assert.doesNotMatch(failed.text, /hush-hush/);
  assert.equal((await tools.call(checkRun, { name: "lint" })).text, "--- passed: lint");
  assert.deepEqual(recorded.map(({ name, outcome, role }) => [name, outcome, role]), [
    ["test", "checks_failed", "engineer"],
    ["lint", "passed", "engineer"],
  ]);
  assert.match(recorded[0]!.log_path, /\/outputs\/.*check-test\.log$/);
  const none = await tools.call(checkRun, { name: "tset" });
  assert.match(none.text, /There is no check "tset".*Did you mean "test"\?.*test, lint/);
});

Deno.test("command_run says how to give what no argument can hold, and what a command left running", async () => {
  await using at = await toolPlace();
  const nul = await at.call(commandRun, { argv: ["echo", "a\0b"] });
  assert.match(nul.text, /holds a NUL byte\nGive data with NUL bytes by a file$/);
  const long = await at.call(commandRun, { argv: ["echo", ...Array(60).fill("x".repeat(60_000))] });
  assert.match(long.text, /are too long\nGive long data by a file or by standard input$/);
  const left = await at.call(commandRun, sh("sleep 100 >/dev/null 2>&1 & echo begun"));
  assert.match(left.text, /^It left 1 process running: ended, since nothing outlives a command$/m);
});
