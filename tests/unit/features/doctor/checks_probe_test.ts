import assert from "node:assert/strict";
import { examine } from "svc/features/doctor/examine.ts";
import type { ProbeContext } from "svc/features/doctor/probe.ts";
import { checks } from "svc/features/doctor/repo_probes.ts";
import { keepReport, type Verdict } from "svc/features/harness/candidates/trial_report.ts";
import { type OpenFolder, openFolder } from "svc/platform/files/folder.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { type TempFolder, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const MANIFEST = `version: 1
project:
  name: demo
  setup: [{ name: npm, run: [npm, ci] }]
  checks: [{ name: test, run: [npm, test] }, { name: lint, run: [npm, run, lint] }]
roles: { a: { prompt: roles/a.md } }
`;

const command = (name: string, run: string[], verdict: Verdict, said: string, remedy?: string) => ({
  ...{ kind: name === "npm" ? "setup" as const : "check" as const, name, run, verdict, said },
  ...{ source: "package.json", seconds: 1, chosen: true, ...(remedy !== undefined && { remedy }) },
});

const contextOf = (folder: OpenFolder, home: TempFolder, has: (name: string) => boolean) =>
  ({
    repo: { git: { root: folder.root }, folder, place: "" },
    home: () => ({ cache: `${home.path}/cache` }),
    files: denoFiles(),
    programs: { has },
  }) as unknown as ProbeContext;

Deno.test("doctor tells what came of checks in a fresh work tree, or how to find out; it runs none", async () => {
  await using repo = await tempRepo({ files: { ".harness/manifest.yaml": MANIFEST } });
  await using home = await tempFolder();
  using folder = await openFolder(repo.path);
  const context = contextOf(folder, home, (name: string) => name === "npm");
  const found = async () =>
    (await examine([checks], context)).findings
      .map(({ level, text, fix }) => `${level}: ${text}${fix === undefined ? "" : ` | ${fix}`}`);
  assert.deepEqual(await found(), [
    'warning: nobody has tried "npm ci", "npm test", "npm run lint" in a fresh work tree | svc checks try',
  ]);
  await keepReport({ files: denoFiles(), home: { cache: `${home.path}/cache` } }, folder.root, {
    commit: "0".repeat(40),
    tried_at: 1,
    commands: [
      command("npm", ["npm", "ci"], "runs", "passes"),
      command("test", ["npm", "test"], "cannot_fail", "passes although no test runs", "Name it"),
    ],
  });
  assert.deepEqual(await found(), [
    'ok: "npm ci" in a fresh work tree: passes',
    'warning: "npm test" in a fresh work tree: passes although no test runs | Name it',
    'warning: nobody has tried "npm run lint" in a fresh work tree | svc checks try',
  ]);
  await home.write(
    `cache/trials/${(await Array.fromAsync(Deno.readDir(`${home.path}/cache/trials`)))[0]!.name}`,
    "{",
  );
  assert.equal((await found()).length, 1);
});

Deno.test("doctor names what this machine cannot start, before a role's work waits for it", async () => {
  const manifest = MANIFEST.replace("run: [npm, run, lint]", "run: [ruff, check, .]");
  await using repo = await tempRepo({ files: { ".harness/manifest.yaml": manifest } });
  await using home = await tempFolder();
  using folder = await openFolder(repo.path);
  const context = contextOf(folder, home, (name: string) => name === "npm" || name === "pipx");
  const { findings } = await examine([checks], context);
  assert.deepEqual(findings.map(({ text, fix }) => `${text} | ${fix}`), [
    '"ruff check ." cannot start, and tickets wait for it: PATH has no program "ruff" | pipx install ruff',
    'nobody has tried "npm ci", "npm test" in a fresh work tree | svc checks try',
  ]);
});

Deno.test("doctor tells that checks find pointers of git-lfs, and how one gets the files", async () => {
  await using repo = await tempRepo({ files: { ".harness/manifest.yaml": MANIFEST } });
  await using home = await tempFolder();
  using folder = await openFolder(repo.path);
  const context = contextOf(folder, home, () => true);
  const found = async () =>
    (await examine([checks], context)).findings.filter(({ text }) =>
      text.startsWith("jobs find files of git-lfs")
    )
      .map(({ fix }) => fix);
  await Deno.symlink("attributes", `${repo.path}/.gitattributes`);
  assert.equal((await examine([checks], context)).counts.error, 0);
  await Deno.remove(`${repo.path}/.gitattributes`);
  await repo.write(".gitattributes", "# *.psd filter=lfs\n*.txt text\n");
  assert.deepEqual(await found(), []);
  await repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  assert.deepEqual(await found(), [
    "Let such a check get the files first, in .harness/manifest.yaml: " +
    'run: [sh, -c, "git lfs checkout && npm test"]',
  ]);
  const below = MANIFEST.replace("run: [npm, test]", 'run: [sh, -c, "cd web && npm test"]');
  await repo.write(".harness/manifest.yaml", below);
  assert.deepEqual(await found(), [
    "Let such a check get the files first, in .harness/manifest.yaml: " +
    'run: [sh, -c, "git lfs checkout && cd web && npm test"]',
  ]);
  const line = 'run: [sh, -c, "git lfs checkout && npm test"]';
  await repo.write(".harness/manifest.yaml", MANIFEST.replace("run: [npm, test]", line));
  assert.deepEqual(await found(), []);
});
