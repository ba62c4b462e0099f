import assert from "node:assert/strict";
import { denoDir } from "tests/kit/script.ts";
import { PseudoTerminal } from "tests/shells/pseudo_terminal.ts";
import { tempFolder, tempRepo } from "tests/kit/temp_repo.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { type JobSign, jobSign } from "svc/platform/process/job_mark.ts";
import { WHOLE } from "svc/platform/git/worktree_mark.ts";

const PROBE = decodeURIComponent(new URL("./job_mark_probe.ts", import.meta.url).pathname);
const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent", DENO_DIR: denoDir() };
/** Words of sh: the probe, with an environment that names no job. */
const PROBED = `env -i DENO_DIR='${ENV.DENO_DIR}' '${Deno.execPath()}' run -A --quiet --no-check ` +
  `--config '${
    decodeURIComponent(new URL("../../../../deno.json", import.meta.url).pathname)
  }' '${PROBE}'`;

/** @param tag as svc starts it for a job */
async function signIn(
  script: string,
  { tag, cwd = "/", env = {} }: { tag?: string; cwd?: string; env?: Record<string, string> },
): Promise<JobSign | undefined> {
  const { stdout, stderr } = await denoProcesses().run({
    program: "/bin/sh",
    args: ["-c", script],
    cwd,
    env: { ...ENV, ...env },
    timeoutMs: 60_000,
    ...(tag !== undefined && { tag }),
  });
  const said = new TextDecoder().decode(stdout.head);
  assert.notEqual(said, "", new TextDecoder().decode(stderr.head));
  return JSON.parse(said).sign;
}

Deno.test("a program that svc starts for a job bears a mark that it cannot take off by itself", async () => {
  const tag = "job-mark";
  // In the place of what svc started, in a session of its own, and orphaned.
  const ways = [
    `exec ${PROBED}`,
    `exec env -u SVC_JOB_ID ${PROBED}`,
    `${PROBED}; true`,
    `setsid -w ${PROBED}`,
    `mkfifo "$TMPDIR/out"; (setsid ${PROBED} > "$TMPDIR/out" &); cat "$TMPDIR/out"`,
  ];
  for (const way of ways) {
    await using folder = await tempFolder("svc-mark-");
    const sign = await signIn(way, { tag, env: { TMPDIR: folder.path } });
    assert.equal(sign?.kind, "mark", way);
  }
});

Deno.test("its variable says which job, and ancestors tell where there is no mark", async () => {
  assert.deepEqual(jobSign({ variable: "a/1/b/2", cwd: "/", treeMark: WHOLE }), {
    kind: "variable",
    job: "b",
  });
  assert.notEqual(jobSign({ variable: "", cwd: "/", treeMark: WHOLE })?.kind, "variable");
  const env = { SVC_JOB_ID: "a/1" };
  const sign = await signIn(`${PROBED}; true`, { env });
  assert.equal(sign?.kind, "ancestor");
  const deep = await signIn(
    `sh -c 'env -i sh -c "setsid -w ${PROBED.replaceAll("'", "")}; true"; true'; true`,
    { env },
  );
  assert.equal(deep?.kind, "ancestor");
});

Deno.test("what has neither may still be in a job's work tree", async () => {
  await using repo = await tempRepo({ files: { "src/a.txt": "" }, commit: true });
  await using folder = await tempFolder("svc-mark-");
  const tree = `${folder.path}/tree`;
  await repo.git("worktree", "add", "-q", tree);
  assert.equal(await signIn(PROBED, { cwd: tree }), undefined);
  await Deno.writeTextFile(`${repo.path}/.git/worktrees/tree/${WHOLE}`, "");
  assert.deepEqual(await signIn(PROBED, { cwd: `${tree}/src` }), { kind: "work_tree", root: tree });
  assert.equal(await signIn(PROBED, { cwd: repo.path }), undefined);
  // A person looks at it in a terminal.
  await using terminal = new PseudoTerminal({ line: `sh -c "${PROBED}"`, cwd: tree, env: ENV });
  await terminal.seen(/\{"terminal":true\}/);
});
