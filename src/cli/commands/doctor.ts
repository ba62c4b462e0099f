import type { App } from "svc/app.ts";
import { command } from "svc/cli/command.ts";
import { database, on, path, repo } from "svc/cli/flags.ts";
import { doctorLooks } from "svc/cli/doctor_looks.ts";
import { repoAtHand } from "svc/cli/repo_at_hand.ts";
import { samePlace } from "svc/cli/typed_line.ts";
import { triedSandbox } from "svc/cli/tried_sandbox.ts";
import { Failure } from "svc/core/failure.ts";
import { examine, PROBES } from "svc/features/doctor/examine.ts";
import { movedFrom } from "svc/features/repos/follow_move.ts";
import type { ProbeContext } from "svc/features/doctor/probe.ts";
import { readConfig } from "svc/features/settings/config_file.ts";
import { configMentions } from "svc/features/settings/config_mentions.ts";
import { saidByEnvironment } from "svc/features/settings/reporting.ts";
import { peekLanes } from "svc/features/jobs/peek_lanes.ts";
import { diskFree } from "svc/platform/files/disk_space.ts";
import type { OpenFolder } from "svc/platform/files/folder.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { programsOn } from "svc/platform/process/program.ts";
import { cutDatabase } from "svc/store/database_file.ts";
import { checkDatabase, openToRead, peekStrangeness, walStateOf } from "svc/store/open.ts";

/**
 * No repo if the current folder is in none. A repo that is named must open; a problem with the current one is
 * reported.
 */
async function openRepo(
  app: App,
  named: string | undefined,
): Promise<{ readonly opened?: GitRepo | undefined; readonly fault?: Failure }> {
  try {
    return { opened: await repoAtHand(app, named) };
  } catch (thrown) {
    const fault = Failure.from(thrown);
    if (named === undefined && ["environment", "refused"].includes(fault.code)) return { fault };
    throw thrown;
  }
}

async function databasesOf(app: App, named: string | undefined): Promise<string[]> {
  if (named !== undefined) return [named];
  const shared = `${app.home.sharedDb}/svc.db`;
  if (await app.files.stat(app.home.db) === undefined) return [shared];
  const { entries } = await app.files.list(app.home.db);
  return [...entries.map(({ name }) => `${app.home.db}/${name}/svc.db`), shared];
}

async function serversOf(
  app: App,
  { config, servers: start }: { readonly config: string | undefined; readonly servers: boolean },
  repo: GitRepo | undefined,
) {
  const path = config ?? app.home.config;
  if (!await configMentions({ ...app, home: { config: path } }, "mcp")) return [];
  const { mcp } = await readConfig(app.files, path);
  const { askServers } = await app.load("src/runtime/session/ask_servers");
  await using asked = await askServers(app, {
    ...{ mcp, start, tree: repo?.root ?? app.cwd() },
    commonDir: repo?.commonDir,
  });
  return asked.servers;
}

const MARKS = { ok: ["good", "✓"], warning: ["warn", "!"], error: ["bad", "✗"] } as const;

export default command({
  about: "Check the machine, the configuration and a repo, with a fix for each finding",
  details:
    "Checks, and changes nothing. Exit status 1 means that something is broken; with warnings " +
    "alone it is 0. It asks model servers whether the models of your roles are there, and the " +
    "code host for the newest release; with --skip-remote it makes no request. It starts no " +
    "program of yours, unless --servers says so. It tries the sandbox if your config asks for " +
    "one.",
  examples: [
    { line: "svc doctor", about: "the machine, and the repo of the current folder" },
    { line: "svc doctor --repo ~/work/app --json", about: "for scripts" },
  ],
  effect: "reads",
  net: {
    to:
      "ask models, the code host and the MCP servers of your config, and try the sandbox, whose " +
      "network it makes",
  },
  givenBy: {
    who: "person",
    because: "MCP servers start with the user's own secrets",
    with: ["servers"],
  },
  modes: ["json", "plain"],
  flags: {
    repo,
    db: database("Database to check (default: those under ~/.svc)"),
    config: path("file", "Config file to check (default: ~/.svc/config.yaml)"),
    servers: on("Start the MCP servers of your config, and ask for their tools"),
    skipRemote: on("Ask no model server and no code host"),
  },
  result: (z) =>
    z.strictObject({
      findings: z.array(z.strictObject({
        probe: z.string(),
        level: z.enum(["ok", "warning", "error"]),
        text: z.string(),
        fix: z.string().exactOptional(),
      })),
      counts: z.strictObject({ ok: z.int(), warning: z.int(), error: z.int() }),
    }),

  async run(app: App, asked) {
    const { opened, fault } = await openRepo(app, asked.repo);
    using folder: OpenFolder | undefined = opened && await app.folder(opened.root);
    const context: ProbeContext = {
      files: app.files,
      git: app.git,
      home: () => app.home,
      configPath: () => asked.config ?? app.home.config,
      reportingSaid: () => saidByEnvironment(app.env),
      runtime: app.runtime,
      repo: opened && folder
        ? {
          git: opened,
          folder,
          place: samePlace({ repo: asked.repo }),
          obstacles: () => app.worktrees.obstacles(opened),
          movedFrom: async () => (await movedFrom(app, { repo: opened.root, db: asked.db }))?.from,
        }
        : undefined,
      repoFault: fault,
      programs: programsOn(app.env.get("PATH") ?? ""),
      diskFree,
      examineServer: async (address) => {
        const { examineServer } = await app.load("src/store/postgres/examine");
        const server = await examineServer(app, await app.servers.login(address));
        const { teamFindings } = await app.load("src/runtime/doctor/team_findings");
        await using store = await openToRead(app, address);
        const { clock } = app;
        return [
          ...server,
          ...store === undefined ? [] : await teamFindings({ db: store.db, clock }),
        ];
      },
      checkDatabase: async (path) => checkDatabase(path, await walStateOf(app.files, path)),
      strangeness: async (path) =>
        await cutDatabase(app.files, path) ??
          peekStrangeness(path, await walStateOf(app.files, path)),
      heldBack: async (path) => peekLanes(path, await walStateOf(app.files, path), app.clock.now()),
      mcpServers: () => serversOf(app, asked, opened),
      sandbox: () => triedSandbox(app, "escapes"),
      databases: () => databasesOf(app, asked.db),
      named: { config: asked.config !== undefined, database: asked.db !== undefined },
      ...doctorLooks(app, {
        config: asked.config ?? app.home.config,
        db: asked.db,
        skipRemote: asked.skipRemote,
        repo: opened && folder && { git: opened, folder },
      }),
    };
    return await examine(PROBES, context);
  },

  exit: ({ counts }) => counts.error > 0 ? 1 : 0,

  show({ findings, counts }, page) {
    for (const { probe, level, text, fix } of findings) {
      const [tone, mark] = MARKS[level];
      page.line(`${page.tone(tone, mark)} ${page.tone("dim", `${probe}:`)} ${text}`);
      if (fix !== undefined) page.line(`    ${page.tone("dim", "try:")} ${fix}`);
    }
    page.line();
    page.line(`${counts.ok} fine, ${counts.warning} to look at, ${counts.error} broken`);
  },
});
