/** A repo with real tools over it, and a database that forgets itself. */
import { REPORTED_DISPOSITIONS } from "svc/core/disposition.ts";
import { uuidV7 } from "svc/core/ids.ts";
import type { Manifest as ManifestType } from "svc/features/harness/manifest_shape.ts";
import { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { AnyTool, ToolAnswer, ToolSession } from "svc/features/tools/tool.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { tempFolder, type TempRepo } from "tests/kit/temp_repo.ts";
import { RepoOpener } from "svc/features/repos/repo.ts";
import { checkoutAt, checkoutPorts } from "tests/unit/features/tickets/ticket_checkout.ts";

export const ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/nonexistent",
  SVC_GITHUB_TOKEN: "canary-of-a-token",
  LD_PRELOAD: "/nonexistent.so",
};

export interface Site extends AsyncDisposable {
  readonly session: ToolSession;
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
  { root, ...more }: Partial<ToolSession> & { readonly root?: string } = {},
): Promise<Site> {
  const state = await tempFolder("svc-state-");
  const ports = checkoutPorts();
  const opened = await new RepoOpener(ports).openAt(repo.path, ports);
  const other = root === undefined || root === repo.path ? undefined : await checkoutAt(root);
  const session: ToolSession = {
    repo: opened,
    tree: other ?? opened,
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
    session,
    state: state.path,
    call: async (tool, args = {}, signal = new AbortController().signal) =>
      await tool.run(session, tool.args.parse(args), { signal }),
    async [Symbol.asyncDispose]() {
      other?.[Symbol.dispose]();
      opened[Symbol.dispose]();
      await state[Symbol.asyncDispose]();
    },
  };
}
