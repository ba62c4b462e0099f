/** What is said of a remote that cannot be used: in its own words, and with a way out that names it. */
import assert from "node:assert/strict";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { remotesOver } from "svc/platform/git/remote_repo.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { plainGit, tempFolder } from "tests/kit/temp_repo.ts";
import { ENV } from "tests/unit/platform/commit_ports.ts";
import { remotePorts } from "tests/unit/platform/remote_ports.ts";

const URL = "ssh://git@git.example/ada/shop.git";

/** By git itself, with a program in the place of ssh that says this and ends as ssh does. */
async function saidOf(ssh: string): Promise<string> {
  await using home = await tempFolder();
  await Deno.mkdir(`${home.path}/bin`);
  const script = `#!/bin/sh\nprintf '${ssh}' >&2\nexit 255\n`;
  await Deno.writeTextFile(`${home.path}/bin/ssh`, script, { mode: 0o755 });
  const processes = denoProcesses();
  const remotes = remotesOver({
    ...{ processes, files: denoFiles(), clock: systemClock, ssh: {}, env: ENV },
    path: `${home.path}/bin:${ENV.PATH}`,
    scratch: `${home.path}/traces`,
    runner: { processes, env: ENV },
    clones: () => `${home.path}/repos`,
    login: () => Promise.resolve(undefined),
  });
  return await remotes.branchOf(URL).then(() => "", ({ message }) => message);
}

Deno.test("why ssh could not connect, or was not let in, is told and not git's word for all of it", async () => {
  const banner = "Welcome to git.example\\n";
  for (
    const [ssh, why] of [
      ["Host key verification failed.\\r\\n", "Host key verification failed."],
      [
        `${banner}git@git.example: Permission denied (publickey).\\r\\n`,
        "git@git.example: Permission denied (publickey).",
      ],
      ["ERROR: Repository not found.\\n", "ERROR: Repository not found."],
      ["", "fatal: Could not read from remote repository."],
      [
        "fatal: hung up\\nwarning: push negotiation failed; proceeding anyway\\nerror: broken pipe\\n",
        "error: broken pipe",
      ],
    ] as const
  ) assert.equal(await saidOf(ssh), `Cannot look at "${URL}": ${why}`);
});

Deno.test("the way out of a branch that the remote lacks names the remote", async () => {
  await using home = await tempFolder();
  await plainGit(home.path, ["init", "--quiet", "--bare", "it's.git"]);
  const url = `${home.path}/it's.git`;
  const way = `svc register --url '${home.path}/it'\\''s.git' --branch <branch> --db …`;
  await assert.rejects(
    remotePorts(home.path).branchOf(url, "trunk"),
    ({ message, remedy }: { message: string; remedy: string }) => {
      assert.equal(message, `Cannot look at "${url}": it has no branch "trunk"`);
      assert.ok(remedy.endsWith(way), remedy);
      return true;
    },
  );
});
