/** The main thread's side of a confined command: computes its permissions and brokers its repos. */
import type { App } from "svc/app.ts";
import { Failure } from "svc/core/failure.ts";
import { visibleWithout } from "svc/core/visible_text.ts";
import { configMentions, variablesOf } from "svc/features/settings/config_mentions.ts";
import { isUnmistakable, secretsOfEnv } from "svc/features/settings/known_secrets.ts";
import { HELPER_VARIABLES } from "svc/platform/git/credential.ts";
import { REACH_VARIABLES } from "svc/platform/git/reach.ts";
import { offerRepos } from "svc/platform/confined/brokered_repo.ts";
import { runInWorker } from "svc/platform/confined/confine.ts";
import { type IdleWorker, permissionsFor } from "svc/platform/confined/start_worker.ts";
import type { GitFolders } from "svc/platform/home.ts";
import { lazyRemotes } from "svc/platform/git/remotes.ts";
import type { Interrupt } from "svc/platform/process/interrupt.ts";
import { OFFERED_TERMINAL, restoreTerminal } from "svc/platform/terminal.ts";
import { hostsOfLogin } from "svc/store/server_login.ts";
import type { Confinement } from "svc/runtime/start/confinement.ts";
import type { CommandCall } from "svc/cli/perform.ts";
import { permissionLines } from "./permission_lines.ts";

export interface ConfinedMessage {
  readonly path: string;
  readonly given: CommandCall["given"];
  readonly confinement: Confinement;
  /** The Worker may not read the environment; it gets what the platform needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Secrets that the Worker has no use for: what models and tools say of them is not shown either. */
  readonly hidden: readonly string[];
  readonly cwd: string;
  /** The Worker may not look at them, nor at links that lead there. */
  readonly gitFolders: GitFolders;
}

/** Variables a confined command sees: the child allow-list, our own, how to draw, and known keys. */
const ENV_NAMES =
  /^(?:PATH|HOME|LANG|LC_.*|TZ|TERM|TMPDIR|NO_COLOR|CI|SVC_.*|GITHUB_TOKEN|(?:OPENAI|ANTHROPIC|OPENROUTER|GEMINI)_API_KEY)$/;

/** Keys of models and of code hosts, and variables of MCP servers, that the user's own config names. */
async function namedVariables(app: App): Promise<readonly string[]> {
  if (!await configMentions(app, "allowed_key_envs", "mcp", "code_hosts")) return [];
  const { models, mcp, code_hosts } = await app.settings();
  const hosts = code_hosts.flatMap(({ key_env }) => key_env ?? []);
  return [...models.allowed_key_envs, ...variablesOf(mcp), ...hosts];
}

/** Command lines of the MCP servers that the user's config lets run outside of a sandbox. */
async function serversOutside(app: App): Promise<readonly (readonly string[])[]> {
  const { mcp } = await app.settings();
  return Object.values(mcp.servers)
    .flatMap(({ sandbox, command }) => sandbox === "off" && command !== undefined ? [command] : []);
}

async function environment(app: App): Promise<Record<string, string>> {
  const allowed = await namedVariables(app);
  const seen = ([name]: readonly [string, string]) =>
    [ENV_NAMES, HELPER_VARIABLES, REACH_VARIABLES].some((known) => known.test(name)) ||
    allowed.includes(name);
  return Object.fromEntries(Object.entries(app.env.all()).filter(seen));
}

/** Secrets of the process that are not among what the Worker sees. */
function hiddenFrom(
  seen: Readonly<Record<string, string>>,
  app: Pick<App, "env">,
  { serverLogin }: Pick<Confinement, "serverLogin">,
): string[] {
  const unseen = Object.entries(app.env.all()).filter(([name]) => !Object.hasOwn(seen, name));
  const { password } = serverLogin ?? {};
  return [
    ...secretsOfEnv({ all: () => Object.fromEntries(unseen) }),
    ...(password === undefined ? [] : [password]),
  ].filter(isUnmistakable);
}

/** Variables with secrets that authenticate senders and users; only the Worker keeps them. */
const SECRETS = [
  "SVC_GITHUB_WEBHOOK_SECRET",
  "SVC_LINEAR_WEBHOOK_SECRET",
  "SVC_DASHBOARD_CONTROL_SECRET",
  "SVC_TELEMETRY_TOKEN",
];

export async function performConfined(
  call: CommandCall,
  app: App,
  interrupt: Interrupt,
  idle: IdleWorker,
): Promise<number> {
  if (call.command.confine === undefined) {
    throw new Failure("internal", `Cannot confine "svc ${call.path}": it declares no confinement`);
  }
  // Refused before anything is written or started.
  const sandboxed = await app.sandbox() && { outside: await serversOutside(app) };
  const { held, ...confinement }: Confinement = await call.command.confine(app, call.given);
  await using _held = held;
  using _orphans = app.runtime.pid === 1
    ? (await app.load("src/platform/process/orphans")).keepCollecting()
    : undefined;
  const { serverLogin } = confinement;
  // The Worker may die while it holds the terminal.
  using _terminal = { [Symbol.dispose]: restoreTerminal };
  // Jobs may run on after the first signal, and read the repo meanwhile.
  const signal = call.command.graceful ? interrupt.hurry : app.signal;
  const remotes = lazyRemotes(async () => {
    const { remotesFor } = await app.load("src/runtime/start/remotes_for");
    return remotesFor({ ...app, home: app.home, signal });
  });
  using offered = offerRepos({ ...app, remotes, signal }, { ...confinement, sandboxed });
  const env = await environment(app);
  const message: ConfinedMessage = {
    path: call.path,
    given: call.given,
    confinement: { ...confinement, sandboxed: sandboxed !== undefined },
    env,
    hidden: hiddenFrom(env, app, confinement),
    cwd: app.cwd(),
    gitFolders: { worktrees: app.home.worktrees, repos: app.home.repos },
  };
  for (const name of SECRETS) app.env.forget(name);
  app.progress.done(); // from here on the Worker says what it is at
  const grants = {
    ...confinement,
    ...(serverLogin !== undefined && { databaseHosts: hostsOfLogin(serverLogin) }),
    home: app.home,
    programRoot: app.runtime.root,
  };
  if (call.given.debug === true || call.given.trace === true) {
    const visible = visibleWithout(app.redact);
    for (const line of permissionLines(permissionsFor(grants))) {
      app.stderr.write(`${visible(line)}\n`);
    }
  }
  return await runInWorker(idle, {
    grants,
    message: { ...message },
    offered: { ...offered.objects, terminal: OFFERED_TERMINAL },
    signal: app.signal,
    hurry: interrupt.hurry,
    overdue: interrupt.overdue,
  });
}
