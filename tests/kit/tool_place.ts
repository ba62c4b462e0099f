/** A real repo with the tools of a session over it. */
import { RepoOpener } from "svc/features/repos/repo.ts";
import { mendJson } from "svc/features/tools/args/mend_json.ts";
import { outputBound } from "svc/features/tools/bound_output.ts";
import type { AnyTool, ToolOutcome, ToolSession } from "svc/features/tools/tool.ts";
import { toolbox, type ToolboxPlan, type ToolDenial } from "svc/features/tools/toolbox.ts";
import { decide } from "svc/features/trust/policy.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { type OpenFolder, openFolder } from "svc/platform/files/folder.ts";
import { commitsOver } from "svc/platform/git/commit.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";
import { openParsers } from "svc/platform/tree_sitter.ts";
import { type RepoPlan, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

const root = decodeURIComponent(new URL("../../", import.meta.url).pathname);
/** Started once for all tests of a file that ask for it. */
let started: ReturnType<typeof openParsers> | undefined;

const ENV = { PATH: "/usr/local/bin:/usr/bin:/bin" };

export interface ToolPlace extends AsyncDisposable {
  readonly repo: TempRepo;
  readonly session: ToolSession;
  /** What was denied, and what went to the log. */
  readonly denials: ToolDenial[];
  readonly logged: string[];
  /** The toolbox of a contributor in the host profile unless `plan` says otherwise. */
  box(tools: readonly AnyTool[], plan?: Partial<ToolboxPlan>): ReturnType<typeof toolbox>;
  call(tool: AnyTool, args: unknown): Promise<ToolOutcome>;
}

export interface PlacePlan extends RepoPlan {
  readonly session?: Partial<ToolSession>;
  /** In place of the work tree's own. */
  readonly folder?: OpenFolder;
  /** Other than git's usual PATH. */
  readonly env?: Readonly<Record<string, string>>;
}

/** ```ts
 * await using at = await toolPlace({ files: { "a.txt": "one\n" }, commit: true });
 * const { status, text } = await at.call(fileRead, { path: "a.txt" });
 * ```
 */
export async function toolPlace(plan: PlacePlan = {}): Promise<ToolPlace> {
  const repo = await tempRepo({ commit: true, ...plan });
  const state = await tempFolder();
  const env = plan.env ?? ENV;
  const processes = denoProcesses();
  const files = denoFiles();
  const clock = systemClock;
  const commits = commitsOver({ processes, env, files, clock });
  const signal = new AbortController().signal;
  const git = gitOver(processes, env);
  const ports = { git, folder: openFolder, readTree, files, clock, commits, lockRepo, signal };
  const opened = await new RepoOpener(ports).openAt(repo.path, { signal });
  const session: ToolSession = {
    repo: opened,
    tree: plan.folder === undefined ? opened : { ...opened, folder: plan.folder },
    processes,
    env,
    manifest: undefined,
    role: "engineer",
    job: "J-1",
    dispositions: ["submitted", "blocked"],
    redact: (text) => text,
    jsonMender: () => Promise.resolve(mendJson),
    parsers: () => started ??= openParsers({ build: "source", root }),
    seen: new Map(),
    artefacts: { folder: `${state.path}/artefacts`, files },
    ...plan.session,
  };
  const denials: ToolDenial[] = [];
  const logged: string[] = [];
  const box: ToolPlace["box"] = (tools, over = {}) =>
    toolbox({
      ...{ tools, session, decide, output: outputBound(200_000) },
      policy: {
        profile: "host",
        now: () =>
          Promise.resolve({
            roleTrust: "contributor",
            sourceTrust: "contributor",
            roleTools: undefined,
            guardrails: { denyPaths: [], denyCommands: [] },
          }),
      },
      recordDenial: (denial) => Promise.resolve(void denials.push(denial)),
      log: {
        write: (_, text, fields) =>
          void logged.push(`${text} ${Deno.inspect(fields, { depth: 6 })}`),
      },
      ...over,
    });
  return {
    ...{ repo, session, denials, logged, box },
    call: (tool, args) => box([tool]).call(tool.name, args, { signal }),
    async [Symbol.asyncDispose]() {
      opened[Symbol.dispose]();
      await state[Symbol.asyncDispose]();
      await repo[Symbol.asyncDispose]();
    },
  };
}
