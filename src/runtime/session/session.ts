/** One session of tools on a repo: what `tools run`, MCP and an agent's job share. */
import { shellWord } from "svc/core/shell_word.ts";
import type { ReportedDisposition } from "svc/core/disposition.ts";
import { REPORTED_DISPOSITIONS } from "svc/core/disposition.ts";
import { Failure } from "svc/core/failure.ts";
import { together } from "svc/core/together.ts";
import type { Profile, TrustLevel } from "svc/core/permission.ts";
import { redactor } from "svc/core/redact.ts";
import { recordCheck } from "svc/features/checks/check_store.ts";
import { keyFinder } from "svc/features/guardrails/known_keys.ts";
import { MANIFEST_PATH } from "svc/features/harness/manifest_path.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { appSecrets } from "svc/features/models/choose/local_secrets.ts";
import { repoSecrets } from "svc/features/models/choose/repo_secrets.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { Leftovers } from "svc/platform/git/leftovers.ts";
import { codeHostPlace } from "svc/features/access/code_host_access.ts";
import { codeHostLogin } from "svc/features/access/code_host_login.ts";
import { HOST_UNKNOWN } from "svc/features/repos/remote_place.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import { roleNamed } from "svc/features/harness/role_named.ts";
import { toolsFor } from "svc/features/tools/all.ts";
import { outputBound } from "svc/features/tools/bound_output.ts";
import { customTools, type ListedCustomTool } from "svc/features/tools/custom/make.ts";
import type { ListedMcpServer } from "svc/features/tools/mcp/open_servers.ts";
import type { AnyTool, Toolbox, ToolSession } from "svc/features/tools/tool.ts";
import { approveTool, isToolApproved } from "svc/features/tools/custom/approval_store.ts";
import { toolbox } from "svc/features/tools/toolbox.ts";
import { recordDenial } from "svc/features/trust/denial_store.ts";
import { hookFolders } from "svc/features/trust/hook_folders.ts";
import { decide } from "svc/features/trust/policy.ts";
import { commitMakers, recordCommits } from "svc/features/jobs/commit_store.ts";
import { trustOf } from "svc/features/trust/trust_store.ts";
import { pushBranch } from "svc/platform/git/push.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";
import { grantedServers } from "./granted_servers.ts";
import { SessionRules } from "./session_rules.ts";

export type SessionPorts = Pick<
  RuntimePorts,
  | ("clock" | "db" | "env" | "files" | "git" | "home" | "load" | "log")
  | ("fetch" | "parsers" | "processes" | "redact" | "settings")
>;

export interface SessionPlan {
  /** The registered checkout; the caller closes it after the session. */
  readonly repo: Repo;
  readonly tree?: Checkout;
  /** Used while the checkout has no manifest; otherwise the manifest is read again for each call. */
  readonly manifest: Manifest | undefined;
  /** Undefined: a session with every tool and `trust`. */
  readonly role: string | undefined;
  /** Trust of a session without a role, default `observer`; an upper bound for a role. */
  readonly trust?: TrustLevel;
  readonly profile: Profile;
  /** Id of the job or session; tags the processes that it starts. */
  readonly job: string;
  readonly ticket?: string;
  readonly byHand?: boolean;
  readonly began?: ToolSession["began"];
  /** Trust in who asked for the work, read for each call; default `contributor`, the local user. */
  sourceTrust?(): Promise<TrustLevel>;
  readonly dispositions?: readonly ReportedDisposition[];
  readonly leftovers?: readonly Leftovers[];
  /** Its role may end with a question: the ticket waits for the answer. */
  readonly asks?: boolean;
  /** As registered; needed to push. */
  readonly remote?: Repo["place"];
  readonly windowTokens?: number;
  /** Keys that the role's model is asked with. */
  readonly keys?: readonly string[];
  /** Uses the MCP servers that the user's config gives the role. */
  readonly servers?: boolean;
  readonly signal?: AbortSignal;
  /** Shows a role the AGENTS.md of a folder when it first works there; other clients read it themselves. */
  readonly guides?: boolean;
  missing?: ToolSession["missing"];
  /** Called after each commit on a branch of svc's. */
  committed?(branch: string): Promise<void>;
}

/** Disposing it ends the servers that it started. */
export interface Session extends AsyncDisposable {
  readonly toolbox: Toolbox;
  readonly session: ToolSession;
  readonly tools: readonly AnyTool[];
  /** All tools of the repo, with why some cannot be used. */
  readonly custom: readonly ListedCustomTool[];
  readonly servers: readonly ListedMcpServer[];
}

/** Tokens, for a person at a terminal. */
const WINDOW_TOKENS = 128_000;
export const NO_ROLE = "session";

function mustNameRole({ manifest, role, repo }: SessionPlan): void {
  if (role === undefined) return;
  if (manifest !== undefined) return void roleNamed(manifest, role);
  const { root } = repo;
  throw new Failure("not_found", `Cannot find role "${role}": "${root}" has no ${MANIFEST_PATH}`, {
    remedy: `svc init --repo ${shellWord(root)}, or leave --role out`,
  });
}

/** Pushes to the registered remote alone, whatever the repo's own settings say. */
function pusher(
  ports: SessionPorts,
  { git }: Checkout,
  { host, remote }: NonNullable<SessionPlan["remote"]>,
) {
  const { processes, files, env, home } = ports;
  return async (branch: string, commit: string, signal: AbortSignal) => {
    if (host === undefined) {
      throw new Failure("conflict", `Cannot push "${branch}" to "${remote}": ${HOST_UNKNOWN}`);
    }
    const at = await codeHostPlace(ports, host);
    const login = await codeHostLogin(ports, at, { remote, refuseUnder: [git.root], signal });
    const { pushUrl, loginWay } = at;
    return await pushBranch(
      { processes, files, env: env.all(), path: env.get("PATH") ?? "", scratch: home.traces },
      git,
      { url: pushUrl(remote), branch, commit, signal, loginWay, login },
    );
  };
}

async function toolSession(
  ports: SessionPorts,
  plan: SessionPlan,
  known: readonly string[],
) {
  const { clock, db, processes, files, home } = ports;
  const { repo, tree = repo, role = NO_ROLE, job, ticket, remote } = plan;
  const [secrets, [app, hooks]] = await together(
    repoSecrets(repo),
    together(
      appSecrets(repo.folder, repo.git),
      plan.profile === "host" ? hookFolders(ports, repo.git) : Promise.resolve([]),
    ),
  );
  const redact = redactor([...secrets, ...app, ...known], ports.redact);
  const rules = new SessionRules(repo.folder, { ...plan, hookFolders: hooks });
  const session: ToolSession = {
    repo,
    tree,
    role,
    job,
    get manifest() {
      return rules.manifest;
    },
    hookFolders: hooks,
    ...(ticket !== undefined && { ticket }),
    ...(plan.byHand && { byHand: true }),
    dispositions: plan.dispositions ?? REPORTED_DISPOSITIONS,
    ...(plan.leftovers && { leftovers: plan.leftovers }),
    processes,
    redact,
    withoutKeys: keyFinder([...secrets, ...plan.keys ?? []]),
    env: ports.env.all(),
    seen: new Map(),
    ...(plan.guides && { toldGuidance: new Set<string>() }),
    artefacts: { folder: `${home.traces}/outputs/${job}`, files },
    jsonMender: async () => (await ports.load("src/features/tools/args/mend_json")).mendJson,
    ...(ports.parsers !== undefined && { parsers: ports.parsers }),
    recordCheck: (check) => recordCheck(db, check),
    // The policy allows its tool to contributors in host profile only.
    async approveTool(name, sha256) {
      const approval = { repo_id: repo.id, name, sha256, approved_by: `agent:${role}` };
      await approveTool(db, { ...approval, approved_at: clock.now() });
    },
    ...(plan.began && { began: plan.began }),
    async recordCommit(branch, commit) {
      const made = { repo_id: repo.id, branch, job_id: job, role, at: clock.now() };
      await recordCommits(db, { ...made, commits: [commit] });
      await plan.committed?.(branch);
    },
    commitMakers: (branch) => commitMakers(db, { repo_id: repo.id, branch }),
    ...(remote !== undefined && { push: pusher(ports, tree, remote) }),
    ...(plan.missing !== undefined && { missing: plan.missing }),
  };
  return { session, rules };
}

/** @throws Failure `not_found` for an unknown role */
export async function openSession(ports: SessionPorts, plan: SessionPlan): Promise<Session> {
  const { db, log } = ports;
  const { profile, role, trust } = plan;
  mustNameRole(plan);
  const { id: repo_id } = plan.repo;
  const servers = await grantedServers(ports, plan);
  const { session, rules } = await toolSession(ports, plan, servers?.secrets ?? []);
  const custom = await customTools(
    session.tree.folder,
    (name, sha256) => isToolApproved(db, { repo_id, name, sha256 }),
  );
  const more = { leftovers: (session.leftovers ?? []).length > 0, asks: plan.asks ?? false };
  const own = [...toolsFor(session.dispositions, more), ...custom.tools];
  const windowTokens = plan.windowTokens ?? WINDOW_TOKENS;
  const policy = {
    profile,
    async now() {
      const { role: known, guardrails } = await rules.now();
      const roleTrust = role === undefined || known === undefined || trust === "observer"
        ? trust ?? "observer"
        : (await trustOf(db, repo_id, role, known.trust)).level;
      const sourceTrust = await plan.sourceTrust?.() ?? "contributor";
      return { roleTrust, sourceTrust, roleTools: known?.tools, guardrails };
    },
  };
  const outside = await servers?.open({ session, own, windowTokens, policy });
  const granted = outside?.tools.map(({ name }) => name) ?? [];
  const tools = [...own.slice(0, -1), ...(outside?.tools ?? []), ...own.slice(-1)];
  const box = toolbox({
    tools,
    session,
    decide,
    log,
    output: outputBound(windowTokens),
    policy: {
      profile,
      async now() {
        const standing = await policy.now();
        const { roleTools } = standing;
        return { ...standing, roleTools: roleTools && [...roleTools, ...granted] };
      },
    },
    recordDenial: (denial) => recordDenial(db, { ...denial, repoId: repo_id }),
  });
  return {
    toolbox: box,
    session,
    tools,
    custom: custom.listed,
    servers: outside?.listed ?? [],
    [Symbol.asyncDispose]: async () => await outside?.[Symbol.asyncDispose](),
  };
}
