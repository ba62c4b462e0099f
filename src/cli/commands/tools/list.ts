import { counted } from "svc/core/counted.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { on } from "svc/cli/flags.ts";
import { configMentions } from "svc/features/settings/config_mentions.ts";
import type { AskedServers } from "svc/runtime/session/ask_servers.ts";
import { profileOf, roleAsked, sessionFlags } from "svc/cli/profile_flags.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import {
  type CustomTools,
  customToolsOf,
  openStoredRepo,
  roleOf,
  type StoredRepo,
} from "svc/runtime/session/stored_repo.ts";
import { Failure } from "svc/core/failure.ts";
import { CAPABILITIES, type Capability, type Profile } from "svc/core/permission.ts";
import { shortened } from "svc/core/shortened.ts";
import { guardrailsOf } from "svc/features/trust/guardrails.ts";
import { decide } from "svc/features/trust/policy.ts";
import { POLICY_PARTS, type PolicyQuestion } from "svc/features/trust/policy_question.ts";
import { trustOf } from "svc/features/trust/trust_store.ts";

/** Undefined outside of a repo, unless one is named: tools are the same everywhere. */
async function storedRepoHere(
  app: App,
  { repo, db }: { readonly repo: string | undefined; readonly db: string | undefined },
): Promise<StoredRepo | undefined> {
  try {
    return await openStoredRepo(app, { repo: repo ?? app.cwd(), db });
  } catch (thrown) {
    const { code, message } = Failure.from(thrown);
    const nowhere = code === "environment" && /not in a git repo/.test(message);
    if (repo === undefined && nowhere) return undefined;
    throw thrown;
  }
}

async function questionFor(
  stored: StoredRepo | undefined,
  role: string | undefined,
  profile: Profile,
): Promise<Omit<PolicyQuestion, "tool" | "capabilities">> {
  const known = stored === undefined || role === undefined ? undefined : roleOf(stored, role);
  const level = known?.trust ?? "observer";
  const { store, id = "", manifest } = stored ?? {};
  const trust = store === undefined || role === undefined
    ? level
    : (await trustOf(store.db, id, role, level)).level;
  return {
    profile,
    roleTrust: trust,
    sourceTrust: "contributor",
    role: role ?? "none",
    ...(stored && { repo: stored.root }),
    roleTools: known?.tools,
    guardrails: guardrailsOf(manifest),
    writes: [],
    argv: [],
  };
}

/** The part of a description that somebody else wrote. */
const ABOUT_CHARS = 120;

/** None is started unless the person says so: they are programs, and other hosts. */
async function serversHere(
  app: App,
  stored: StoredRepo | undefined,
  { start, custom }: { readonly start: boolean; readonly custom: CustomTools["tools"] },
): Promise<AskedServers | undefined> {
  if (!await configMentions(app, "mcp")) return undefined;
  const { mcp } = await app.settings();
  const { askServers } = await app.load("src/runtime/session/ask_servers");
  return await askServers(app, {
    ...{ mcp, start, custom, tree: stored?.root ?? app.cwd() },
    commonDir: stored?.commonDir,
  });
}

export default command({
  about: "List the tools that agents have, and which of them may be used now",
  details:
    "Shows built-in tools, then those of the repo in .harness/tools that were approved. Whether " +
    "one may be used depends on the execution profile, the role's trust and tools, and the " +
    "guardrails; svc trust explain says which of them refuses. With --json the key `tools` holds " +
    "function definitions in the form of chat completions. MCP servers of your config are named; " +
    "with --servers they are started, and their tools listed too, as a model with a window of " +
    "128,000 tokens would be offered those of all servers; with a smaller window a role gets fewer, " +
    "and the trace of its job says which are left out (mcp_servers).",
  examples: [
    { line: "svc tools list --servers", about: "also starts the MCP servers of your config" },
    { line: "svc tools list", about: "for the role engineer, in observer profile" },
    {
      line: "svc tools list --role qa --execution-profile host --acknowledge-host-execution",
      about: "for qa, in host profile",
    },
    { line: "svc tools list --json | jq '.tools[].function.name'", about: "names, for scripts" },
  ],
  effect: "reads",
  net: { to: "ask the MCP servers of your config", withFlag: "servers" },
  givenBy: {
    who: "person",
    because: "MCP servers start with the user's own secrets",
    with: ["servers"],
  },
  modes: ["json", "plain"],
  flags: {
    ...sessionFlags,
    servers: on("Start the MCP servers of your config, and list their tools"),
  },
  result: (z) =>
    z.strictObject({
      repo: z.string().nullable(),
      role: z.string().nullable(),
      profile: z.enum(["observer", "host"]),
      tools: z.array(z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({
          name: z.string(),
          description: z.string(),
          parameters: z.record(z.string(), z.unknown()),
        }),
      })),
      policy: z.array(z.strictObject({
        name: z.string(),
        needs: z.enum(Object.keys(CAPABILITIES) as [Capability]),
        about: z.string(),
        allowed: z.boolean(),
        by: z.enum(POLICY_PARTS).nullable(),
        reason: z.string().nullable(),
      })),
      custom: z.array(z.strictObject({
        name: z.string(),
        path: z.string(),
        state: z.enum(["approved", "not_approved", "broken"]),
        reason: z.string().exactOptional(),
      })),
      servers: z.array(z.strictObject({
        name: z.string(),
        kind: z.enum(["stdio", "http"]),
        where: z.string(),
        roles: z.array(z.string()),
        state: z.enum(["not_started", "ready", "failed"]),
        reason: z.string().nullable(),
        tools: z.array(z.string()),
        left_out: z.array(z.strictObject({ name: z.string(), reason: z.string() })),
      })),
    }),

  async run(app: App, asked) {
    const profile = profileOf(asked);
    const { TOOLS } = await app.load("src/features/tools/all");
    const { definitionOf } = await app.load("src/features/tools/definitions");
    await using stored = await storedRepoHere(app, asked);
    const role = roleAsked(stored?.manifest, asked.role);
    const question = await questionFor(stored, role, profile);
    const none: CustomTools = { tools: [], listed: [] };
    const custom = stored === undefined ? none : await customToolsOf(app, stored);
    await using others = await serversHere(app, stored, {
      start: asked.servers,
      custom: custom.tools,
    });
    const outside = others?.tools ?? [];
    const given = outside.filter(({ roles }) => role !== undefined && roles.includes(role));
    const { roleTools } = question;
    const tools = [...TOOLS, ...custom.tools, ...outside];
    return {
      repo: stored?.root ?? null,
      role: role ?? null,
      profile,
      tools: tools.map(definitionOf),
      policy: tools.map(({ name, capability, about }) => {
        const verdict = decide({
          ...question,
          roleTools: roleTools && [...roleTools, ...given.map((tool) => tool.name)],
          tool: name,
          capabilities: [capability],
        });
        const { by, reason } = verdict.allowed ? { by: null, reason: null } : verdict;
        return { name, needs: capability, about, allowed: verdict.allowed, by, reason };
      }),
      custom: custom.listed,
      servers: (others?.servers ?? []).map((server) => ({
        ...server,
        roles: [...server.roles],
        tools: [...server.tools],
        left_out: [...server.left_out],
      })),
    };
  },

  show({ repo, role, profile, policy, custom, servers }, page, asked) {
    const who = role === null ? "a session without a role" : `role ${role}`;
    page.line(`${who}, ${profile} profile${repo === null ? "" : `, ${repo}`}`);
    page.table(
      ["tool", "needs", "now", "what it does"],
      policy.map(({ name, needs, allowed, by, about }) => {
        const outside = servers.some(({ tools }) => tools.includes(name));
        return [
          outside ? name.replace("__", ".") : name,
          needs,
          allowed ? page.tone("good", "yes") : page.tone("dim", `no: ${by!.replace("_", " ")}`),
          outside ? shortened(about, ABOUT_CHARS) : about,
        ];
      }),
    );
    const waiting = custom.filter(({ state }) => state !== "approved");
    for (const { name, reason } of waiting) page.line(page.tone("warn", `${name}: ${reason}`));
    for (const { name, kind, where, roles, state, reason, tools, left_out } of servers) {
      const said = state === "ready" ? counted(tools.length, "tool") : reason ?? "not started";
      const tone = state === "failed" ? "warn" : "dim";
      page.line(
        page.tone(tone, `MCP server ${name} (${kind}: ${where}; ${roles.join(", ")}): ${said}`),
      );
      for (const left of left_out) page.line(page.tone("dim", `  ${left.name}: ${left.reason}`));
    }
    if (servers.some(({ state }) => state === "not_started")) {
      page.next(`svc tools list --servers${samePlace(asked)}`);
    }
    const denied = policy.find(({ allowed }) => !allowed);
    if (denied !== undefined && role !== null) {
      page.next(`svc trust explain ${role} ${denied.name}${samePlace(asked)}`);
    }
  },
});
