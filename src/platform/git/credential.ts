/** Asks the git credential helper of the person for a login (gitcredentials(7), git-credential(1)); nobody is
 * prompted, nothing is stored, and no setting of a repo is read. */
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { pathOutside } from "svc/platform/process/program.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { distrusted } from "./user.ts";

/** A helper may unlock a key ring, but must not hold up a job. */
const HELPER_MS = 20_000;

/** What helpers and git need to find the person's settings and key rings. They hold no secret. */
export const HELPER_VARIABLES =
  /^(?:XDG_(?:CONFIG|CACHE|DATA)_HOME|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM)|GNUPGHOME|PASSWORD_STORE_DIR|GH_CONFIG_DIR|GCM_\w+)$/;

export interface GitLogin {
  readonly username: string;
  readonly password: string;
}

interface CredentialPorts {
  readonly processes: Pick<Processes, "run">;
  readonly env: Readonly<Record<string, string>>;
}

interface CredentialAsked {
  /** Without a name and a password. */
  readonly url: string;
  /** Folders of repos, besides those that were opened: no helper is started from there. */
  readonly refuseUnder: readonly string[];
  readonly signal?: AbortSignal;
}

function environment(
  env: CredentialPorts["env"],
  refuseUnder: readonly string[],
): Record<string, string> {
  const known = Object.entries(env).filter(([name]) =>
    name === "HOME" || HELPER_VARIABLES.test(name)
  );
  return {
    ...Object.fromEntries(known),
    PATH: pathOutside(env["PATH"] ?? "", refuseUnder),
    LC_ALL: "C",
    // No repo is looked for, so none can name a helper.
    GIT_DIR: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    // Empty switches off each program that would ask in a window (git(1), GIT_ASKPASS).
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GCM_INTERACTIVE: "never",
  };
}

function loginIn(output: string): GitLogin | undefined {
  const said = new Map(
    output.split("\n").map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  const [username, password] = [said.get("username"), said.get("password")];
  return username && password ? { username, password } : undefined;
}

/** Undefined where no helper knows one. @throws Failure `interrupted`, or when git cannot be started */
export async function personLogin(
  { processes, env }: CredentialPorts,
  { url, refuseUnder: named, signal }: CredentialAsked,
): Promise<GitLogin | undefined> {
  const refuseUnder = [...named, ...distrusted(processes)];
  const { protocol, host, pathname } = new URL(url);
  const asked = `protocol=${protocol.slice(0, -1)}\nhost=${host}\npath=${pathname.slice(1)}\n\n`;
  const { code, stdout, cancelled } = await processes.run({
    program: "git",
    args: ["credential", "fill"],
    cwd: "/",
    env: environment(env, refuseUnder),
    refuseUnder,
    stdin: new TextEncoder().encode(asked),
    timeoutMs: HELPER_MS,
    ...(signal && { signal }),
  });
  if (cancelled) {
    throw new Failure("interrupted", "Cannot ask the credential helper: git was cancelled");
  }
  return code === 0 ? loginIn(capturedText(stdout)) : undefined;
}
