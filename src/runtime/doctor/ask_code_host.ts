/** Tells, for `svc doctor`, where work goes under merge policy `pull_request`, and with which login; no helper is asked. */
import { Failure } from "svc/core/failure.ts";
import { isLoopbackHost } from "svc/core/loopback.ts";
import { type Redact, redactor } from "svc/core/redact.ts";
import { quoted } from "svc/core/repo_path.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { codeHost } from "svc/features/access/code_host.ts";
import { type CodeHostPlace, codeHostPlace } from "svc/features/access/code_host_access.ts";
import { ok, type ProbeFinding, warning } from "svc/features/doctor/probe.ts";
import type { PeekedRepo } from "svc/features/repos/peek_repo.ts";
import {
  HOST_UNKNOWN,
  inSubgroup,
  placeOfUrl,
  registeredPlace,
  type RemotePlace,
  SUBGROUP_WAY,
} from "svc/features/repos/remote_place.ts";
import type { Config } from "svc/features/settings/config_file.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Env } from "svc/platform/entrance.ts";
import type { GitRepo } from "svc/platform/git/git.ts";
import { userSettings } from "svc/platform/git/user.ts";
import type { Processes } from "svc/platform/process/process.ts";

interface AskPorts {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly env: Env;
  readonly processes: Processes;
  readonly redact: Redact;
  readonly signal: AbortSignal;
  settings(): Promise<Config>;
}

export interface AskedHost {
  readonly git: GitRepo;
  /** Undefined where no database knows the repo yet. */
  readonly registered: PeekedRepo | undefined;
  /** A command that registers it there: `svc register --repo …`. */
  readonly register: string;
  readonly skipRemote: boolean;
}

/** An alias of ssh's config has no dot; https knows none. */
const maybeAlias = (host: string) =>
  !/[.:]/.test(host) && !isLoopbackHost(host.replace(/:\d+$/, ""));

/** Only its first word is shown: a helper may be a line of shell that contains the password. */
function helperName(setting: string): string {
  const program = setting.replace(/^!\s*/, "").split(/\s/)[0]!.replace(/^.*\//, "");
  return /^[\w.+-]{1,60}$/.test(program) ? `"${program}"` : "a line of shell";
}

/** The last one that the person's own settings name for this host. It is not started. */
async function helperFor(ports: AskPorts, { web }: CodeHostPlace): Promise<string | undefined> {
  const url = web.replaceAll(/[.[\]]/g, "\\$&");
  const names = `^credential\\.(${url}/?\\.)?helper$`;
  const found = await userSettings(ports.processes, ports.env.all(), names, ports.signal);
  const helper = [...found.values()].findLast((value) => value !== "");
  return helper === undefined ? undefined : helperName(helper);
}

async function loginFinding(ports: AskPorts, at: CodeHostPlace): Promise<ProbeFinding> {
  const { host, token, tokenName, loginWay, api } = at;
  if (token !== undefined) return ok(`the login for ${host} is the token in ${tokenName}`);
  const helper = await helperFor(ports, at);
  if (helper !== undefined) {
    return ok(`your git credential helper, ${helper}, will be asked for a login for ${host}`);
  }
  const waits = api === undefined ? "a push there may be refused" : "no pull request is opened";
  return warning(`there is no login for ${host}: ${waits}`, loginWay);
}

/**
 * Makes the same reads as the beginning of a hand-in, and none at a host that svc cannot ask; no helper is
 * asked for a login.
 */
async function askedThere(
  { fetch, clock, signal, redact: hide }: AskPorts,
  { api, token, web, tokenWay }: CodeHostPlace,
  { remote, branch }: { readonly remote: string; readonly branch: string },
): Promise<ProbeFinding[]> {
  if (api === undefined || token === undefined) return [];
  const redact = redactor([token], hide);
  const host = codeHost({ fetch, clock, redact, signal }, { remote, token, api, web, tokenWay });
  try {
    await host.pullRequests(branch);
    const name = branch.split("/").map(encodeURIComponent).join("/");
    if (await host.isIn(name, name)) {
      return [ok(`the token reads ${remote}, which has ${quoted(branch)}`)];
    }
    return [
      warning(
        `${remote} has no branch ${quoted(branch)} that a pull request could go into`,
        `git push origin ${shellWord(branch)}`,
      ),
    ];
  } catch (thrown) {
    const { code, message, remedy } = Failure.from(thrown);
    if (code === "internal" || code === "interrupted") throw thrown;
    return [warning(redact(message), redact(remedy))];
  }
}

/** The lines of the user's config that make svc know the host; no repo can write that file. */
function knowHost({ host, kind }: Pick<CodeHostPlace, "host" | "kind">): string {
  const more = kind === undefined
    ? "with its kind, and its api for GitHub Enterprise"
    : `kind: ${kind}`;
  return `Edit ~/.svc/config.yaml: add host ${host} to code_hosts, ${more}, and key_env, the variable of its token`;
}

async function placeFindings(
  ports: AskPorts,
  { host, remote }: RemotePlace,
  { registered, register, skipRemote, branch, origin }: AskedHost & {
    readonly branch: string;
    readonly origin: string;
  },
): Promise<ProbeFinding[]> {
  const at = await codeHostPlace(ports, host);
  if (!at.named && maybeAlias(host) && !/^https?:/.test(origin)) {
    const what = `work goes to "${host}", which looks like an alias of your ssh config`;
    const way = `${register} --remote ${shellWord(remote)} --host github.com`;
    return [warning(`${what}: svc pushes to ${at.pushUrl(remote)}`, way)];
  }
  const how = at.api === undefined
    ? `by push; a person opens the request into ${quoted(branch)}`
    : `as draft pull requests into ${quoted(branch)}`;
  const known = registered === undefined
    ? "; the repo is not registered yet, so origin counts"
    : "";
  const goes = ok(`work goes to ${remote} at ${host}, ${how}${known}`);
  if (!at.named) {
    const what = `${host} is in no code_hosts of your config: svc pushes there without a login`;
    return [goes, warning(what, knowHost(at))];
  }
  const login = await loginFinding(ports, at);
  return [
    goes,
    login,
    ...(skipRemote ? [] : await askedThere(ports, at, { remote, branch })),
  ];
}

export async function codeHostFindings(
  ports: AskPorts,
  asked: AskedHost,
): Promise<readonly ProbeFinding[]> {
  const { git, registered, register } = asked;
  const origin = await git.configGet("remote.origin.url") ?? "";
  const place = registered === undefined
    ? placeOfUrl(origin)
    : await registeredPlace(git, registered);
  if (place === undefined) {
    const none = "pull requests are wanted, and no remote is known: a person merges each branch";
    if (inSubgroup(origin)) {
      return [warning(`${none}; ${SUBGROUP_WAY}`, "git push origin <branch>")];
    }
    const way = placeOfUrl(origin) === undefined ? `${register} --remote owner/repo` : register;
    return [warning(none, way)];
  }
  const { host, remote } = place;
  if (host === undefined) {
    const way = `${register} --remote ${shellWord(remote)} --host github.com`;
    return [warning(`work goes to ${remote}: ${HOST_UNKNOWN.split(";")[0]}`, way)];
  }
  const branch = registered?.branch ?? git.branch ?? "main";
  return await placeFindings(ports, { host, remote }, { ...asked, branch, origin });
}
