/** Which git is too old, and that Debian's git 2.39 tells its version beside a repo's settings. */
import assert from "node:assert/strict";
import { gitOver } from "svc/platform/git/git.ts";
import { knownVersion, tracedVersion } from "svc/platform/git/git_version.ts";
import { denoProcesses, type Run } from "svc/platform/process/process.ts";
import { tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";

async function opened(repo: TempRepo, path = PATH) {
  const real = denoProcesses();
  const asked: string[] = [];
  const run = (
    plan: Run,
  ) => (asked.push(plan.args.find((arg) => !/^--no-/.test(arg))!), real.run(plan));
  const finder = { processes: { ...real, run }, env: { PATH: path } };
  const git = gitOver(finder.processes, finder.env);
  await git.open(repo.path);
  return { git, asked, known: knownVersion(finder) };
}

/** A git that is a script; `rest` answers what is no question about the version. */
async function scriptedGit(folder: { path: string }, rest: string, version = "2.39.0") {
  const script = `#!/bin/sh\ncase "$*" in *--version) echo "git version ${version}"; exit;; esac\n`;
  await Deno.writeTextFile(`${folder.path}/git`, `${script}${rest}\n`, { mode: 0o755 });
  return `${folder.path}:${PATH}`;
}

Deno.test("the first look at a repo's settings tells the version of git besides", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  const { git, asked, known } = await opened(repo);
  assert.deepEqual(asked, ["config", "config"], "the repo's settings, and the user's");
  assert.equal(known, await git.version());
});

Deno.test("a git that writes no trace to where it is read is asked for its version", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  await using folder = await tempFolder();
  const quiet = await scriptedGit(folder, 'unset GIT_TRACE2_EVENT; exec /usr/bin/git "$@"');
  const { asked, known } = await opened(repo, quiet);
  assert.deepEqual(asked, ["config", "config", "--version"]);
  assert.equal(known, "2.39.0");
});

Deno.test("a git that is too old is refused, whether it says so in its trace or knows no such question", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  await using folder = await tempFolder();
  const line = '{"event":"version","sid":"1","evt":"3","exe":"2.38.4.windows.1"}';
  for (
    const [version, rest] of [
      ["2.38.4", `echo '${line}' >&2; exec /usr/bin/git "$@"`],
      ["2.25.1", 'echo "error: unknown option \\`show-scope\'" >&2; exit 129'],
    ] as const
  ) {
    await assert.rejects(opened(repo, await scriptedGit(folder, rest, version)), {
      code: "environment",
      message: `Cannot use git ${version}: it is older than 2.39`,
      remedy: "Install git 2.39 or newer",
    });
  }
});

Deno.test("what git complains of is told without the lines of its trace", async () => {
  await using repo = await tempRepo({ files: { a: "1" }, commit: true });
  await repo.write(".git/config", "[core\n");
  await assert.rejects(opened(repo), {
    code: "environment",
    message: /git ended with exit code 128: fatal: bad config line 1 in file/,
  });
});

Deno.test("only the first line of a trace tells a version", () => {
  const line = '{"event":"version","sid":"1","evt":"3","exe":"2.47.1"}';
  assert.equal(tracedVersion(`${line}\n{"event":"start"}\n`), "2.47.1");
  assert.equal(tracedVersion(`warning: odd\n${line}\n`), undefined);
  assert.equal(tracedVersion('{"event":"start","exe":"2.47.1"}\n'), undefined);
  assert.equal(tracedVersion(""), undefined);
});
