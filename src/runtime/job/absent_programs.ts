/** Finds the checks that cannot start here before a model is paid for work that they would judge. */
import { CHILD_TIMEOUT_MS } from "svc/core/bounds.ts";
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted } from "svc/core/repo_path.ts";
import { programsOf } from "svc/features/harness/candidates/candidate.ts";
import type { Manifest, ManifestCommand } from "svc/features/harness/manifest_shape.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import { childEnv } from "svc/platform/process/program.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import type { JobTree } from "./job_tree.ts";

/** Asks a shell (inside the sandbox, if there is one), since a Worker may not look at the folders of PATH. */
const LOOK = 'for name; do command -v "$name" > /dev/null || echo "$name"; done';

/** Names that svc can look up; whether other programs exist shows only when they are started. */
const NAME = /^\w[\w.+-]*$/;

export interface AbsentProgram {
  readonly check: ManifestCommand;
  readonly program: string;
}

type Tree = { readonly root: string; readonly commonDir: string };

/** The first program of each check; a program given by its path belongs to the tree. */
export async function absentPrograms(
  { processes, env, signal }: Pick<RuntimePorts, "processes" | "env" | "signal">,
  { root, commonDir }: Tree,
  { project }: Pick<Manifest, "project">,
): Promise<readonly AbsentProgram[]> {
  const named = project.checks.map((check) => ({
    check,
    programs: programsOf(check).filter((program) => NAME.test(program)),
  }));
  const names = [...new Set(named.flatMap(({ programs }) => programs))];
  if (names.length === 0) return [];
  const { stdout } = await processes.run({
    program: "sh",
    args: ["-c", LOOK, "sh", ...names],
    cwd: root,
    env: childEnv(env.all()),
    refuseUnder: [],
    timeoutMs: CHILD_TIMEOUT_MS,
    contain: { step: "checks", tree: root, commonDir },
    signal,
  });
  const absent = new Set(capturedText(stdout).split("\n"));
  return named.flatMap(({ check, programs }) => {
    const program = programs.find((name) => absent.has(name));
    return program === undefined ? [] : [{ check, program }];
  });
}

const wayOut = ({ check, program }: AbsentProgram) =>
  `Install ${program}, or take ${quoted(check.name)} out of project.checks in ${MANIFEST_PATH}`;

const cannotStart = ({ check, program }: AbsentProgram) =>
  `check "${check.name}", ${quoted(check.run.join(" "))}: PATH has no program "${program}"`;

/** How a start says it. */
export function absentNote(absent: AbsentProgram, { project }: Pick<Manifest, "project">): string {
  const unless = project.setup.length === 0 ? "" : ", unless project.setup brings it";
  return `it cannot run ${cannotStart(absent)}: tickets wait for it${unless}. ${wayOut(absent)}`;
}

/** @throws Failure `environment` for the first missing program, since the work could not be handed in */
export async function refuseAbsentPrograms(
  ports: Parameters<typeof absentPrograms>[0],
  { root, git: { commonDir }, ownBranch }: Pick<JobTree, "root" | "git" | "ownBranch">,
  manifest: Pick<Manifest, "project">,
): Promise<void> {
  if (ownBranch === undefined) return;
  const [first] = await absentPrograms(ports, { root, commonDir }, manifest);
  if (first === undefined) return;
  throw new Failure("environment", `Cannot run ${cannotStart(first)}`, {
    remedy: `${wayOut(first)}; then unblock the ticket`,
  });
}
