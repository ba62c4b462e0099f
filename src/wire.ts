/** Builds the App from the real platform; a confined Worker gets the parts that touch repos from its broker. */
import type { App } from "svc/app.ts";
import { showableScreen } from "svc/cli/ascii_output.ts";
import { progressLine, progressLines, silent } from "svc/cli/page/progress.ts";
import { chosenSandbox, type SandboxWish } from "svc/cli/chosen_sandbox.ts";
import { redaction } from "svc/cli/redaction.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { gitOver } from "svc/platform/git/git.ts";
import { commitsOver } from "svc/platform/git/commit.ts";
import { keepingHooks } from "svc/platform/git/kept_hooks.ts";
import { type GitFolders, type Home, homeOf } from "svc/platform/home.ts";
import type { Interrupt } from "svc/platform/process/interrupt.ts";
import { commandLog } from "svc/platform/log.ts";
import { identities } from "svc/platform/process/identity.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { terminalPrompt } from "svc/platform/prompt.ts";
import { lockRepo } from "svc/platform/git/repo_lock.ts";
import { terminalOver } from "svc/platform/terminal.ts";
import type { ServerLogin } from "svc/store/server_login.ts";
import type { Servers } from "svc/store/store.ts";
import { readTree } from "svc/platform/files/tree_reader.ts";
import { lazyRemotes } from "svc/platform/git/remotes.ts";
import { lazyWorktrees } from "svc/platform/git/worktrees.ts";

type BrokeredPart =
  | "commits"
  | "confinement"
  | "database"
  | "diskFree"
  | "files"
  | "folder"
  | "git"
  | "identities"
  | "lockRepo"
  | "node"
  | "processes"
  | "readTree"
  | "remotes"
  | "removeOwn"
  | "serverLogin"
  | "terminal"
  | "worktrees";

/** Opens the parser at the first call; after a failure the next call tries again. */
function lazyParsers(entrance: Entrance): App["parsers"] {
  let opened: ReturnType<App["parsers"]> | undefined;
  const open = async () => {
    const { openParsers } = await entrance.load("src/platform/tree_sitter");
    return await openParsers(entrance.runtime);
  };
  return () => {
    opened ??= open().catch((thrown) => {
      opened = undefined;
      throw thrown;
    });
    return opened;
  };
}

/** PostgreSQL: nothing of it is loaded before an address asks for it. */
function lazyServers(
  { load, env }: Entrance,
  { clock, files, home }: Pick<App, "clock" | "files"> & { home(): Home },
  known: ServerLogin | undefined,
): Servers {
  const login = async (address: string) => {
    if (known?.shown === address) return known;
    const { serverLogin } = await load("src/store/postgres/login");
    return await serverLogin({ env, files }, address);
  };
  return {
    login,
    async open(address) {
      const { openServer } = await load("src/store/postgres/open");
      return await openServer({ clock, clones: home().repos }, await login(address));
    },
    async openToRead(address, options) {
      const { openServerToRead } = await load("src/store/postgres/open");
      const ports = { clock, clones: home().repos };
      return await openServerToRead(ports, await login(address), options);
    },
  };
}

interface Wiring {
  readonly command: string;
  readonly logFile?: string;
  /** Says nothing of what it is at, since the output is for a program. */
  readonly quiet: boolean;
  /** Says it in lines. */
  readonly plain: boolean;
  readonly interrupt: Interrupt;
  readonly wish?: SandboxWish;
  /** What this thread may not look for itself. */
  readonly gitFolders?: GitFolders;
  /** Values that no output shows, besides those that this thread's environment and the config tell of. */
  readonly hidden?: readonly string[];
  /** Parts from the broker, which this thread may not build itself. */
  readonly reached?: Partial<Pick<App, BrokeredPart>>;
}

export async function wire(entrance: Entrance, wiring: Wiring): Promise<App> {
  const files = denoFiles();
  const clock = systemClock;
  const { command, logFile, interrupt, reached = {} } = wiring;
  let known: Home | undefined;
  const home = () => known ??= homeOf(entrance.env, wiring.gitFolders);
  const settings = async () => {
    const { readConfig } = await entrance.load("src/features/settings/config_file");
    return await readConfig(files, home().config);
  };
  const own = {
    ...entrance,
    files,
    settings,
    get home() {
      return home();
    },
  };
  const sandbox = chosenSandbox(own, wiring.wish ?? {}, denoProcesses());
  const processes = reached.processes ?? keepingHooks(denoProcesses({}, sandbox), files);
  const redact = await redaction(entrance.env, files, wiring.hidden);
  const log = commandLog({
    folder: () => home().logs,
    ...(logFile !== undefined && { file: logFile }),
    command,
    clock,
    redact,
  });
  const drawn = entrance.stderr.terminal && entrance.env.get("TERM") !== "dumb";
  const { stderr } = entrance;
  const inLines = wiring.plain || !drawn;
  const shown = inLines ? progressLines(stderr, clock) : progressLine(stderr, clock);
  const progress = wiring.quiet ? silent : shown;
  const commits = commitsOver({ processes, env: entrance.env.all(), files, clock });
  const folder: App["folder"] = async (root) => {
    const { openFolder } = await entrance.load("src/platform/files/folder");
    return await openFolder(root);
  };
  return {
    ...entrance,
    get home() {
      return home();
    },
    clock,
    files,
    servers: lazyServers(entrance, { clock, files, home }, reached.serverLogin),
    processes,
    sandbox,
    identities: identities(),
    readTree,
    git: gitOver(processes, entrance.env.all()),
    commits,
    lockRepo,
    worktrees: lazyWorktrees(async () => {
      const { worktreesOver } = await entrance.load("src/platform/git/worktree");
      const env = entrance.env.all();
      const of = { processes, env, files, clock, commits, openFolder: folder };
      return worktreesOver({ ...of, home: () => home().worktrees });
    }),
    remotes: lazyRemotes(async () => {
      const { remotesFor } = await entrance.load("src/runtime/start/remotes_for");
      return remotesFor({ ...own, processes, clock, signal: interrupt.signal });
    }),
    async diskFree() {
      const { roomAt } = await entrance.load("src/platform/files/disk_space");
      return await roomAt(home().worktrees);
    },
    folder,
    async removeOwn(path) {
      const { removeOwn } = await entrance.load("src/platform/files/remove_below");
      return await removeOwn(() => home().root)(path);
    },
    parsers: lazyParsers(entrance),
    ...reached,
    terminal: showableScreen(reached.terminal ?? terminalOver(), entrance),
    redact,
    log,
    progress,
    prompt: terminalPrompt((text) => entrance.stderr.write(text)),
    signal: interrupt.signal,
    hurry: interrupt.hurry,
    settings,
    close() {
      progress.done();
      log.close();
      interrupt.close();
    },
  };
}
