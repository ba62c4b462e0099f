import { shellWord } from "svc/core/shell_word.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { required, text } from "svc/cli/flags.ts";
import { profileOf, roleAsked, sandboxFlags, sessionFlags } from "svc/cli/profile_flags.ts";
import { openStoredRepo } from "svc/runtime/session/stored_repo.ts";
import { Failure } from "svc/core/failure.ts";
import { shortened } from "svc/core/shortened.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { ToolOutcome } from "svc/features/tools/tool.ts";
import { ticketId } from "svc/features/tickets/ticket_list.ts";

/** @throws Failure `usage` for anything but one JSON object */
function argsOf(json: string): Readonly<Record<string, unknown>> {
  const refuse = (why: string) =>
    new Failure("usage", `Cannot read --args-json: ${why}`, {
      remedy: `Give one JSON object, such as --args-json '{"path": "README.md"}'`,
    });
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw refuse(`it is not valid JSON (${shortened((cause as Error).message, 120)})`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw refuse(`it is ${Array.isArray(value) ? "a list" : shortened(JSON.stringify(value), 60)}`);
}

/** How a session without a role gets more than observer trust. */
function roleRemedy(root: string, manifest: Manifest | undefined): string {
  if (manifest === undefined) return `Give the repo roles: svc init --repo ${shellWord(root)}`;
  const names = Object.keys(manifest.roles);
  return `Run it as a role of the manifest: --role ${names.join(", or --role ")}`;
}

/**
 * A tool that did not run is a failure of the command; what a tool came to is its result.
 * @param trustRemedy replaces the policy's remedy for a lack of trust
 */
function refuseUnrun(
  { tool, status, text, deniedBy }: ToolOutcome,
  trustRemedy: string | undefined,
): void {
  const lines = text.split("\n");
  const doing = `Cannot run ${tool}`;
  if (status === "denied") {
    const [reason = "", told = ""] = lines.map((line) => line.replace(/^[^:]*: /, ""));
    const remedy = deniedBy === "role_trust" ? trustRemedy ?? told : told;
    throw new Failure("refused", `${doing}: ${reason} (policy: ${deniedBy})`, { remedy });
  }
  if (status === "invalid") {
    const faults = lines.slice(1, -1).map((line) => line.replace(/^- /, "")).join("; ");
    throw new Failure("usage", `${doing}: ${faults}`, { remedy: lines.at(-1)! });
  }
  if (status === "unknown") {
    throw new Failure("not_found", `${doing}: ${lines[0]!.split(". ")[0]}`, {
      remedy: "svc tools list",
    });
  }
}

export default command({
  about: "Run one tool as an agent would",
  details:
    "The tool is held to the rules for agents: the execution profile (observer by default, which " +
    "only reads), the role's trust and tools, the guardrails, and the repo's root. It works on " +
    "the checkout itself. Every refusal is recorded. Exit status: 0 done, 1 the tool failed, 2 " +
    "wrong arguments, 3 refused by the policy.",
  examples: [
    { line: `svc tools run file_read --args-json '{"path": "README.md"}'`, about: "reads a file" },
    {
      line: "svc tools run git_status --role none",
      about: "a tool without arguments, which no role of a new harness has",
    },
    {
      line: `svc tools run check_run --args-json '{"name": "test"}' --role qa ` +
        "--execution-profile host --acknowledge-host-execution",
      about: "runs a check of the manifest, as qa",
    },
  ],
  effect: "runs_agents",
  givenBy: {
    who: "person",
    because: "it acknowledges that tools have the user's authority",
    with: ["acknowledgeHostExecution"],
  },
  modes: ["json", "plain"],
  args: { name: required(text("name", "Name of a tool; svc tools list shows them")) },
  flags: {
    ...sessionFlags,
    ...sandboxFlags,
    argsJson: text("json-object", "Arguments of the tool, as one JSON object (default: {})"),
    ticket: text("id", "Ticket that the work is for", { suggest: "tickets" }),
  },
  result: (z) =>
    z.strictObject({
      tool: z.string(),
      repo: z.string(),
      role: z.string().nullable(),
      profile: z.enum(["observer", "host"]),
      session: z.string(),
      status: z.enum(["ok", "failed"]),
      text: z.string(),
      artefact: z.string().exactOptional(),
      facts: z.record(z.string(), z.unknown()),
      duration_ms: z.int(),
    }),

  ahead: ["src/runtime/session/repo_session", "src/features/harness/manifest"],

  async confine(app: App, asked) {
    const profile = profileOf(asked);
    const repo = asked.repo ?? app.cwd();
    await using stored = await openStoredRepo(app, { repo, db: asked.db, make: true });
    const { mcpHosts } = await app.load("src/runtime/start/reachable_hosts");
    const hosts = await mcpHosts(app, profile);
    return { profile, repos: [stored.root], hosts, database: stored.store!.path };
  },

  async run(app: App, asked) {
    const { name, role: typed } = asked;
    const ticket = asked.ticket === undefined ? undefined : ticketId(asked.ticket);
    const args = argsOf(asked.argsJson ?? "{}");
    const profile = profileOf(asked);
    const { openRepoSession } = await app.load("src/runtime/session/repo_session");
    await using session = await openRepoSession(app, {
      repo: asked.repo ?? app.cwd(),
      database: app.database!,
      role: (manifest) => roleAsked(manifest, typed),
      profile,
      byHand: true,
      servers: true,
      ticket,
    });
    const { root, manifest, role } = session;
    const outcome = await session.toolbox.call(name, args, {
      signal: app.signal,
      progress: (text) => app.progress.update(text),
    });
    if (outcome.status === "unknown") {
      const { unofferedTool } = await app.load("src/runtime/session/unoffered_tool");
      const { servers } = session;
      const giveRoles = manifest === undefined ? roleRemedy(root, manifest) : undefined;
      const fault = await unofferedTool(app, { name, role, profile, servers, giveRoles });
      if (fault !== undefined) throw fault;
    }
    refuseUnrun(outcome, role === undefined ? roleRemedy(root, manifest) : undefined);
    const { status, text, artefact, facts, durationMs } = outcome;
    return {
      tool: outcome.tool,
      repo: root,
      role: role ?? null,
      profile,
      session: session.id,
      status: status === "ok" ? "ok" as const : "failed" as const,
      text,
      ...(artefact !== undefined && { artefact }),
      facts: { ...facts },
      duration_ms: Math.round(durationMs),
    };
  },

  exit: ({ status }) => status === "ok" ? 0 : 1,

  show({ text }, page) {
    page.text(text);
  },
});
