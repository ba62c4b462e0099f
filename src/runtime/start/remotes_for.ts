/** How this machine reaches the remotes by which repos are registered: with the logins of its user. */
import { codeHostPlace, type TokenPorts } from "svc/features/access/code_host_access.ts";
import { TOKEN_USER } from "svc/features/access/code_host_login.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Entrance } from "svc/platform/entrance.ts";
import type { Files } from "svc/platform/files/files.ts";
import { type GitLogin, HELPER_VARIABLES, personLogin } from "svc/platform/git/credential.ts";
import { remotesOver } from "svc/platform/git/remote_repo.ts";
import type { Remotes } from "svc/platform/git/remotes.ts";
import type { Home } from "svc/platform/home.ts";
import { pathOutside } from "svc/platform/process/program.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { hostOfUrl } from "svc/features/repos/remote_place.ts";

interface RemotesPorts extends Pick<Entrance, "env">, Pick<TokenPorts, "settings"> {
  readonly processes: Processes;
  readonly files: Files;
  readonly clock: Clock;
  readonly home: Home;
  readonly signal: AbortSignal;
}

/** A helper may unlock a key ring, and each fetch would ask it. */
const LOGIN_KEPT_MS = 300_000;

/** ssh reads the person's own configuration, agent and keys. */
const SSH_VARIABLES = /^(?:HOME|USER|LOGNAME|SSH_AUTH_SOCK)$/;

async function loginFor(ports: RemotesPorts, url: string): Promise<GitLogin | undefined> {
  const { env, processes, home, settings, signal } = ports;
  const host = hostOfUrl(url);
  const token = host && (await codeHostPlace({ env, settings }, host)).token;
  if (token) return { username: TOKEN_USER, password: token };
  const refuseUnder = [home.repos, home.worktrees];
  return await personLogin({ processes, env: env.all() }, { url, refuseUnder, signal });
}

export function remotesFor(ports: RemotesPorts): Remotes {
  const { env, processes, files, clock, home, signal } = ports;
  const known = new Map<
    string,
    { readonly at: number; readonly login: Promise<GitLogin | undefined> }
  >();
  const names = Object.entries(env.all());
  const seen = ([name]: readonly [string, string]) =>
    SSH_VARIABLES.test(name) || HELPER_VARIABLES.test(name);
  return remotesOver({
    ...{ processes, files, clock },
    env: env.all(),
    path: pathOutside(env.get("PATH") ?? "", [home.repos, home.worktrees]),
    scratch: home.traces,
    runner: { processes, env: env.all(), signal },
    ssh: Object.fromEntries(names.filter(seen)),
    clones: () => home.repos,
    async login(url) {
      const last = known.get(url);
      const now = clock.monotonic();
      if (last !== undefined && now - last.at < LOGIN_KEPT_MS) return await last.login;
      const login = loginFor(ports, url);
      known.set(url, { at: now, login });
      login.catch(() => known.delete(url));
      return await login;
    },
  });
}
