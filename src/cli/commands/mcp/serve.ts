import { visibleWithout } from "svc/core/visible_text.ts";
import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { choice, database, on, otherwise, path, repo, text } from "svc/cli/flags.ts";
import { checkLogFile } from "svc/cli/log_file.ts";
import { profileFlags, profileOf, sandboxFlags } from "svc/cli/profile_flags.ts";
import { TRUST_LEVELS } from "svc/core/permission.ts";
import type { Toolbox } from "svc/features/tools/tool.ts";
import { findPlace } from "svc/platform/git/place.ts";

interface ServerRequest {
  /** A folder in the repo; absolute. */
  readonly repo: string;
  readonly role: string | undefined;
  readonly trust: typeof TRUST_LEVELS[number];
  readonly profile: ReturnType<typeof profileOf>;
}

/** Opened after `initialize`, which needs none of it, so that a client has its first answer soon. */
async function openTools(app: App, { role, trust, ...request }: ServerRequest) {
  const { openRepoSession } = await app.load("src/runtime/session/repo_session");
  const session = await openRepoSession(app, {
    ...request,
    database: app.database!,
    role: () => role,
    trust,
  });
  const { toolbox } = session;
  return {
    ...session,
    toolbox: role !== undefined && trust === "observer" ? capped(toolbox) : toolbox,
    async endAll() {
      if (request.profile === "host") await app.processes.sweep(session.id);
    },
  };
}

/** Replaces the remedy of a denial that the server's own trust causes: raising the role's would not help. */
function capped(toolbox: Toolbox): Toolbox {
  const remedy = "Start the session with contributor trust: svc mcp serve --trust contributor";
  return {
    ...toolbox,
    async call(...asked) {
      const outcome = await toolbox.call(...asked);
      if (outcome.deniedBy !== "role_trust") return outcome;
      const text = outcome.text.replace(/^(What would change it: ).*/m, `$1${remedy}`);
      return { ...outcome, text };
    },
  };
}

function instructionsFor({ repo, role, trust, profile }: ServerRequest): string {
  const who = role === undefined ? "" : ` as role ${role}`;
  return [
    `Tools on the git repo ${repo}${who}, in ${profile} profile with at most ${trust} trust.`,
    "A denied call says what would change it; that is for the user to decide, so do not work around it.",
  ].join("\n");
}

export default command({
  about: "Serve the tools to an MCP client over standard input and output",
  details:
    "For programs that speak the Model Context Protocol, such as Claude Code, Codex or an editor; " +
    "they start this command themselves (docs/mcp.md). The tools are those of agents, and the " +
    "same policy judges each call. By default they only read: changes need --trust contributor " +
    "and the acknowledged host profile. The command ends when its input does.",
  examples: [
    { line: "svc mcp serve --repo ~/code/shop", about: "tools that read, for the repo shop" },
    {
      line: "svc mcp serve --trust contributor --execution-profile host " +
        "--acknowledge-host-execution",
      about: "all tools, with the full authority of your user",
    },
    {
      line: "claude mcp add svc -- svc mcp serve --repo ~/code/shop",
      about: "tells Claude Code to start it",
    },
  ],
  effect: "serves",
  givenBy: {
    who: "person",
    because: "it acknowledges that tools have the user's authority",
    with: ["acknowledgeHostExecution"],
  },
  modes: [],
  flags: {
    repo,
    trust: otherwise(
      choice(TRUST_LEVELS, "The highest trust that a call may have"),
      "observer",
    ),
    role: text("role", "Act as this role of the manifest, with its tools and its own trust", {
      suggest: "roles",
    }),
    db: database("Database that holds trust and approvals (default: the repo's own)"),
    logFile: path("file", "Where to write the command log, outside every repo"),
    debug: on("Write the log to standard error too"),
    ...profileFlags,
    ...sandboxFlags,
  },
  result: (z) => z.strictObject({ calls: z.int(), faults: z.int() }),

  ahead: ["src/mcp/serve", "src/runtime/session/repo_session"],

  async confine(app: App, { repo = app.cwd(), role, db, logFile, ...asked }) {
    const profile = profileOf(asked);
    await checkLogFile({ logFile });
    // Finds the root without git, since a client waits for its first answer; git checks the repo later.
    const { root } = await findPlace(
      repo,
      async () => (await app.git.open(repo, { signal: app.signal })).root,
    );
    const { openFollowed } = await app.load("src/features/repos/follow_move");
    if (role !== undefined) {
      const { manifestOf } = await app.load("src/runtime/start/prepare_repo");
      const { roleOf } = await app.load("src/runtime/session/stored_repo");
      roleOf({ root, manifest: await manifestOf(app, root) }, role);
    }
    await using store = await openFollowed(app, { repo: root, db });
    return {
      profile,
      repos: [root],
      hosts: [],
      database: store.path,
      ...(logFile !== undefined && { logFile }),
    };
  },

  async run(app: App, { role, trust, debug, ...asked }) {
    const profile = profileOf(asked);
    const request: ServerRequest = { repo: asked.repo ?? app.cwd(), role, trust, profile };
    const note: App["log"]["write"] = (level, text, fields = {}) => {
      app.log.write(level, text, fields);
      if (!debug) return;
      const line = `${level} ${text} ${JSON.stringify(fields)}`;
      app.stderr.write(`svc: ${visibleWithout(app.redact)(line)}\n`);
    };
    note("info", "Serving", { ...request, role: role ?? "none" });
    const { serveMcp } = await app.load("src/mcp/serve");
    const open = () => openTools(app, request);
    return await serveMcp(app, { instructions: instructionsFor(request), open, note });
  },

  // Standard output belongs to the client.
  show() {},
});
