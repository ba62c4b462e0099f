/** A repo with real tools over it, and a database that forgets itself. */
import { REPORTED_DISPOSITIONS } from "svc/core/disposition.ts";
import { uuidV7 } from "svc/core/ids.ts";
import type { Manifest as ManifestType } from "svc/features/harness/manifest_shape.ts";
import { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { AnyTool, ToolAnswer, Workplace } from "svc/features/tools/tool.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { deskAt } from "tests/unit/features/tickets/ticket_desk.ts";

export const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  SVC_GITHUB_TOKEN: "canary-of-a-token",
  LD_PRELOAD: "/nonexistent.so",
};

export interface Site extends AsyncDisposable {
  readonly place: Workplace;
  /** Below the session's state; outside the repo. */
  readonly state: string;
  /** Calls a tool with arguments as its shape reads them. */
  call(tool: AnyTool, args?: unknown, signal?: AbortSignal): Promise<ToolAnswer>;
}

export function manifest(more: Record<string, unknown> = {}): ManifestType {
  return Manifest.parse({
    version: 1,
    project: { name: "app" },
    roles: { engineer: { prompt: "roles/engineer.md", trust: "contributor" } },
    ...more,
  });
}

/**
 * By hand unless said otherwise.
 * @param root work tree of a job beside the checkout
 */
export async function site(
  repo: Pick<TempRepo, "path">,
  more: Partial<Workplace> & { readonly root?: string } = {},
): Promise<Site> {
  const state = await tempFolder("svc-state-");
  const desk = await deskAt(repo.path);
  const other = more.root === undefined || more.root === repo.path
    ? undefined
    : await deskAt(more.root);
  const { repo: git, folder, readTree, commits, lockRepo, clock } = other ?? desk;
  const place: Workplace = {
    ...{ root: git.root, repo: git as GitRepo, folder, readTree, desk, commits, lockRepo, clock },
    manifest: undefined,
    role: "engineer",
    byHand: true,
    job: uuidV7(Date.now()),
    dispositions: REPORTED_DISPOSITIONS,
    processes: denoProcesses(),
    redact: (text) => text.replaceAll("hush-hush", "[redacted]"),
    env: ENV,
    seen: new Map(),
    artefacts: { folder: `${state.path}/outputs`, files: denoFiles() },
    ...more,
  };
  return {
    place,
    state: state.path,
    call: async (tool, args = {}, signal = new AbortController().signal) =>
      await tool.run(place, tool.args.parse(args), { signal }),
    async [Symbol.asyncDispose]() {
      other?.[Symbol.dispose]();
      desk[Symbol.dispose]();
      await state[Symbol.asyncDispose]();
    },
  };
}
