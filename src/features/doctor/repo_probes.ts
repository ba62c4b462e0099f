/** Probes of the target repo: guardrails, operating model and the state of its checkout. */
import { LOOSE_OBJECTS } from "svc/core/bounds.ts";
import { counted } from "svc/core/counted.ts";
import { Failure } from "svc/core/failure.ts";
import { readBaseline } from "svc/features/guardrails/baseline.ts";
import { installedHooks } from "svc/features/guardrails/hooks.ts";
import { readManifest, unknownKeys } from "svc/features/harness/manifest.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { MANIFEST_BYTES, MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { readJournal } from "svc/platform/git/commit_journal.ts";
import { leftOutFault } from "svc/platform/git/index_flags.ts";
import { wayOutOf } from "svc/platform/git/operation.ts";
import { keptSetUps, POOL } from "svc/platform/git/worktree_pool.ts";
import { quoted, READ_FOLDERS } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { absentIn } from "svc/features/harness/candidates/candidate.ts";
import { installHint } from "svc/features/harness/candidates/install_hints.ts";
import { shellLine } from "svc/features/harness/candidates/in_folder.ts";
import { readReport, triedAs } from "svc/features/harness/candidates/trial_report.ts";
import type { Folder } from "svc/platform/files/folder.ts";
import { error, ok, type Probe, type ProbeContext, type ProbeFinding, warning } from "./probe.ts";

const ATTRIBUTES = ".gitattributes";
const ATTRIBUTES_BYTES = 64 * 1024;

const guardrails: Probe = {
  id: "guardrails",
  about: "git hooks and the secret baseline",
  async run({ repo, files, git, programs }) {
    if (repo === undefined) return [];
    const installed = await installedHooks(
      files,
      repo.git,
      await git.userSetting("core.hooksPath"),
    );
    const missing = installed.filter(({ present }) => !present).map(({ hook }) => hook);
    const baseline = await readBaseline(repo.folder);
    return [
      missing.length > 0
        ? warning(
          `no secret scan in ${missing.join(" and ")}`,
          `svc guardrails install-hooks${repo.place}`,
        )
        : programs.has("svc")
        ? ok("the git hooks are installed")
        : warning(
          "the git hooks are installed and check nothing: svc is not on PATH",
          "svc path setup",
        ),
      ...(baseline === undefined
        ? []
        : [ok(`the secret baseline accepts ${counted(baseline.findings.length, "finding")}`)]),
    ];
  },
};

export async function manifestText(folder: Folder): Promise<string | undefined> {
  try {
    const { bytes } = await folder.read(MANIFEST_PATH, { maxBytes: MANIFEST_BYTES });
    return new TextDecoder().decode(bytes);
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.code === "not_found") return undefined;
    throw thrown;
  }
}

const operatingModel: Probe = {
  id: "operating-model",
  about: "manifest, roles and prompts",
  async run({ repo }) {
    if (repo === undefined) return [];
    const out = await repo.git.leftOut(READ_FOLDERS);
    if (out.length > 0) {
      const { why, remedy } = leftOutFault(repo.git.root, out);
      return [error(why, remedy)];
    }
    const text = await manifestText(repo.folder);
    if (text === undefined) return [warning("this repo has no harness", `svc init${repo.place}`)];
    const { roles, project, dispatch } = readManifest(text);
    const findings: ProbeFinding[] = [];
    for (const [role, { prompt }] of Object.entries(roles)) {
      const path = `.harness/${prompt}`;
      if (await repo.folder.stat(path) === undefined) {
        findings.push(
          error(
            `role "${role}" has no prompt: ${path} is missing`,
            `svc update harness${repo.place}`,
          ),
        );
      }
    }
    for (const key of unknownKeys(text)) {
      findings.push(
        warning(`svc does not know the key "${key}"`, `Edit ${MANIFEST_PATH}: correct or drop it`),
      );
    }
    if (project.checks.length === 0) {
      findings.push(
        warning(
          "no checks: a submission would rest on an agent's word",
          `Edit ${MANIFEST_PATH}: add project.checks`,
        ),
      );
      if (dispatch.merge === "local") {
        findings.push(
          warning(
            "dispatch.merge is local: approved work waits for a person's word, or is merged unchecked once it is given",
            `Add project.checks, or give the word: svc checks waive${repo.place}`,
          ),
        );
      }
    }
    return [ok(`${counted(Object.keys(roles).length, "role")} in ${MANIFEST_PATH}`), ...findings];
  },
};

/** Jobs find pointers (decision 0036); what a check itself rewrites is put back behind it. */
async function lfsFindings(
  folder: Folder,
  { checks }: Manifest["project"],
): Promise<ProbeFinding[]> {
  // Git follows no link there either (gitattributes(5)).
  if ((await folder.stat(ATTRIBUTES))?.kind !== "file") return [];
  const { bytes } = await folder.read(ATTRIBUTES, { maxBytes: ATTRIBUTES_BYTES });
  const uses = new TextDecoder().decode(bytes).split("\n")
    .some((line) => !line.startsWith("#") && /\sfilter=lfs\b/.test(line));
  const lines = checks.map(({ run }) => run.join(" "));
  if (!uses || lines.length === 0 || lines.some((line) => /\bgit[ -]lfs\b/.test(line))) return [];
  const said =
    "jobs find files of git-lfs as pointers: a check that needs what is in them is red, " +
    "whatever a role does";
  const line = quoted(`git lfs checkout && ${shellLine(checks[0]!.run)}`);
  return [
    warning(
      said,
      `Let such a check get the files first, in ${MANIFEST_PATH}: run: [sh, -c, ${line}]`,
    ),
  ];
}

export const checks: Probe = {
  id: "checks",
  about: "what came of set-up and checks in a fresh work tree",
  async run({ repo, home, files, programs }) {
    const text = repo && await manifestText(repo.folder);
    if (repo === undefined || text === undefined) return [];
    const { project } = readManifest(text);
    const report = await readReport({ files, home: home() }, repo.git.root);
    const trial = `svc checks try${repo.place}`;
    const findings: ProbeFinding[] = [];
    const untried: string[] = [];
    for (const [kind, commands] of [["setup", project.setup], ["check", project.checks]] as const) {
      for (const command of commands) {
        const line = quoted(command.run.join(" "));
        const tried = triedAs(report, kind, command);
        const absent = absentIn(command, programs);
        if (absent !== undefined && tried?.verdict !== "missing_program") {
          const said =
            `${line} cannot start, and tickets wait for it: PATH has no program "${absent}"`;
          findings.push(warning(said, installHint(absent, programs)));
        } else if (tried === undefined || tried.verdict === "not_tried") untried.push(line);
        else {
          const said = `${line} in a fresh work tree: ${tried.said}`;
          findings.push(tried.verdict === "runs" ? ok(said) : warning(said, tried.remedy ?? trial));
        }
      }
    }
    findings.push(...await lfsFindings(repo.folder, project));
    if (untried.length === 0) return findings;
    const said = `nobody has tried ${untried.join(", ")} in a fresh work tree`;
    return [...findings, warning(said, trial)];
  },
};

/** As git itself tells when it is time (`gc.auto`): by one of 256 folders. svc's own commits pack nothing. */
async function looseObjects(
  files: ProbeContext["files"],
  { commonDir, root }: { readonly commonDir: string; readonly root: string },
): Promise<ProbeFinding[]> {
  const sample = `${commonDir}/objects/17`;
  if (await files.stat(sample) === undefined) return [];
  const about = 256 * (await files.list(sample)).entries.length;
  if (about <= LOOSE_OBJECTS) return [];
  return [
    warning(
      `some ${about} objects of ${root} lie loose: git becomes slow`,
      `git -C ${shellWord(root)} gc`,
    ),
  ];
}

/** Only the manifest knows how the repo calls its branch. */
async function wayToBranch({ git, folder }: NonNullable<ProbeContext["repo"]>): Promise<string> {
  const inRepo = `git -C ${shellWord(git.root)}`;
  try {
    const { project } = readManifest(await manifestText(folder) ?? "");
    return `${inRepo} switch ${shellWord(project.default_branch)}`;
  } catch {
    return `${inRepo} branch, which lists them; then ${inRepo} switch <branch>`;
  }
}

export const workflow: Probe = {
  id: "workflow",
  about: "state of the checkout, and worktrees left over",
  async run({ repo, repoFault, home, files }) {
    const findings: ProbeFinding[] = [];
    if (repoFault !== undefined) findings.push(error(repoFault.message, repoFault.remedy));
    if (repo !== undefined) {
      const { operation, branch, root } = repo.git;
      if (operation !== undefined) {
        findings.push(error(`a ${operation} is under way in ${root}`, wayOutOf(operation, root)));
      }
      if (branch === undefined) {
        findings.push(warning(`HEAD of ${root} is detached`, await wayToBranch(repo)));
      }
      const from = await repo.movedFrom();
      if (from !== undefined) {
        const along = `svc start --repo ${
          shellWord(root)
        }: registration, jobs and scores come along`;
        findings.push(warning(`the repo was moved here from ${from}`, along));
      }
      if (await readJournal(files, repo.git) !== undefined) {
        // For moments of a running svc, too.
        const finish =
          `svc start${repo.place}, which finishes it first, as any commit of svc there does`;
        findings.push(warning(`a commit of svc in ${root} is half made`, finish));
      }
      if (findings.length === 0) findings.push(ok(`on branch ${branch}`));
      findings.push(...await looseObjects(files, repo.git));
    }
    return [...findings, ...await treesBelow(files, home().worktrees)];
  },
};

/** Work trees by repo, and what a finished one left for the next. */
async function treesBelow(
  files: ProbeContext["files"],
  worktrees: string,
): Promise<ProbeFinding[]> {
  if (await files.stat(worktrees) === undefined) return [];
  const names = (await files.list(worktrees)).entries.filter(({ kind }) => kind === "folder")
    .map(({ name }) => name);
  const busy: string[] = [];
  for (const name of names) {
    const inside = name === POOL ? [] : (await files.list(`${worktrees}/${name}`)).entries;
    if (inside.length > 0) busy.push(name);
  }
  const kept = await keptSetUps(worktrees);
  const megabytes = Math.ceil(kept.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6);
  return [
    ...(busy.length === 0 ? [] : [
      warning(
        `worktrees of ${counted(busy.length, "repo")} lie in ${worktrees}`,
        `ls ${shellWord(worktrees)}`,
      ),
    ]),
    ...(kept.length === 0
      ? []
      : [ok(`${counted(kept.length, "set-up")} kept for the next work tree, ${megabytes} MB`)]),
  ];
}

const workTrees: Probe = {
  id: "work-trees",
  about: "whether jobs can have work trees of the repo",
  async run({ repo }) {
    if (repo === undefined) return [];
    const obstacles = await repo.obstacles();
    if (obstacles.length === 0) return [ok("jobs can have work trees of this repo")];
    return obstacles.map(({ why, remedy }) => error(`no job can have a work tree: ${why}`, remedy));
  },
};

export const REPO_PROBES: readonly Probe[] = [
  guardrails,
  operatingModel,
  checks,
  workflow,
  workTrees,
];
