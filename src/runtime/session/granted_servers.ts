/** Opens the MCP servers that the user's config gives a role, but only if the policy would allow their tools. */
import { configMentions } from "svc/features/settings/config_mentions.ts";
import type { McpServers } from "svc/features/tools/mcp/open_servers.ts";
import type { AnyTool, ToolSession } from "svc/features/tools/tool.ts";
import { decide } from "svc/features/trust/policy.ts";
import type { PolicyQuestion } from "svc/features/trust/policy_question.ts";
import type { Profile } from "svc/core/permission.ts";
import type { RuntimePorts } from "svc/runtime/ports.ts";

type GrantPorts = Pick<
  RuntimePorts,
  | ("clock" | "env" | "fetch" | "files" | "home" | "load")
  | ("log" | "processes" | "settings")
>;

interface GrantPlan {
  readonly role: string | undefined;
  readonly profile: Profile;
  /** Absent: none is used, whatever the config says. */
  readonly servers?: boolean;
  readonly signal?: AbortSignal;
  /** The registered checkout. */
  readonly repo: { readonly root: string };
}

type StandingPolicy = Pick<
  PolicyQuestion,
  "guardrails" | "roleTools" | "roleTrust" | "sourceTrust"
>;

interface OpenRequest {
  readonly session: ToolSession;
  /** svc's tools and those of the repo. */
  readonly own: readonly AnyTool[];
  readonly windowTokens: number;
  readonly policy: { now(): Promise<StandingPolicy> };
}

interface GrantedServers {
  /** What they are given. */
  readonly secrets: readonly string[];
  open(request: OpenRequest): Promise<McpServers | undefined>;
}

/** Undefined if the config gives the role no server; only otherwise are the packages loaded. */
export async function grantedServers(
  ports: GrantPorts,
  { role, profile, servers: asked, signal, repo }: GrantPlan,
): Promise<GrantedServers | undefined> {
  if (!asked || role === undefined || profile !== "host") return undefined;
  if (!await configMentions(ports, "mcp")) return undefined;
  const { mcp } = await ports.settings();
  const { serversOf } = await ports.load("src/features/settings/mcp_settings");
  const granted = serversOf(mcp, role);
  if (granted.length === 0) return undefined;
  const { mcpCapability, mcpSecrets, openMcpServers } = await ports.load(
    "src/features/tools/mcp/open_servers",
  );
  return {
    secrets: mcpSecrets(granted, ports.env.all()),
    async open({ session, own, windowTokens, policy }) {
      const { tree, job, artefacts } = session;
      const standing = await policy.now();
      const servers = granted.filter((server) =>
        decide({
          ...standing,
          profile,
          role,
          repo: repo.root,
          // The config, not the manifest, gives the tool to the role.
          roleTools: [server.name],
          tool: server.name,
          capabilities: [mcpCapability(server)],
          writes: [],
          argv: server.command ?? [],
        }).allowed
      );
      if (servers.length === 0) return undefined;
      await ports.files.makeFolder(artefacts.folder);
      return await openMcpServers({ ...ports, env: ports.env.all() }, {
        servers,
        place: {
          job,
          folder: artefacts.folder,
          tree: tree.root,
          commonDir: tree.git.commonDir,
          refuseUnder: [tree.root, repo.root],
        },
        taken: new Map(own.map((tool) => [tool.name, tool])),
        redact: session.redact,
        windowTokens,
        signal: signal ?? new AbortController().signal,
      });
    },
  };
}
