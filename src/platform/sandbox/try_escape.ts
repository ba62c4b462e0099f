/**
 * Makes the attempts to leave the sandbox in a work tree of its own, and checks from outside what each
 * achieved.
 */
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import type { Ended, Run } from "svc/platform/process/child.ts";
import { type EscapeAttempt, type EscapeTargets } from "./escape_attempts.ts";

export interface Escape {
  readonly name: string;
  readonly held: boolean;
  readonly detail: string;
}

export interface EscapePorts {
  /** In the sandbox, where `contain` says so. */
  run(command: Run): Promise<Ended>;
}

export interface EscapePlace {
  /** Below the svc home; it is made and removed. */
  readonly folder: string;
  readonly userHome: string;
  /** The socket of the user's ssh agent, if there is one. */
  readonly agent: string;
  /** What programs of a job have. */
  readonly env: Readonly<Record<string, string>>;
}

const ATTEMPT_MS = 15_000;

const DETAIL_CHARS = 160;

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** Whether any process has the text among its words. */
function runs(text: string): boolean {
  return [...Deno.readDirSync("/proc")].some(({ name }) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Deno.readTextFileSync(`/proc/${name}/cmdline`).includes(text);
    } catch {
      return false; // it ended
    }
  });
}

/** What the attempts are aimed at, and how it is from outside. */
class Surroundings implements AsyncDisposable {
  #connections = 0;
  readonly secret = crypto.randomUUID();
  readonly mark = `svc-${crypto.getRandomValues(new Uint8Array(6)).toHex()}`;

  private constructor(
    readonly tree: string,
    readonly place: EscapePlace,
    readonly temporary: string,
    readonly victim: Deno.ChildProcess,
    readonly listeners: readonly Deno.Listener[],
  ) {}

  static async make(ports: EscapePorts, place: EscapePlace): Promise<Surroundings> {
    const { folder } = place;
    const tree = `${folder}/tree`;
    await Deno.mkdir(tree, { recursive: true, mode: 0o700 });
    await Deno.mkdir(`${folder}/other`);
    const temporary = await Deno.makeTempDir({ prefix: "svc-escape-" });
    const git = { program: "git", cwd: tree, env: { ...place.env, HOME: folder }, refuseUnder: [] };
    const made = await ports.run({ ...git, args: ["init", "--quiet", "--template="] });
    if (made.code !== 0) {
      throw new Failure("environment", "Cannot make a repo to try the sandbox in");
    }
    await Deno.mkdir(`${tree}/.git/hooks`);
    const victim = new Deno.Command("/bin/sleep", {
      ...{ args: ["600"], stdin: "null", stdout: "null", stderr: "null", clearEnv: true },
    }).spawn();
    const listeners = [
      Deno.listen({ hostname: "127.0.0.1", port: 0 }),
      Deno.listen({ transport: "unix", path: `${temporary}/socket` }),
    ];
    const around = new Surroundings(tree, place, temporary, victim, listeners);
    await around.restore();
    for (const listener of listeners) around.#count(listener);
    return around;
  }

  async #count(listener: Deno.Listener): Promise<void> {
    for await (const connection of listener) {
      this.#connections++;
      connection.close();
    }
  }

  get #secrets(): readonly string[] {
    const { folder } = this.place;
    return [`${folder}/secret`, `${folder}/other/secret`, `${this.temporary}/secret`];
  }

  async restore(): Promise<void> {
    this.#connections = 0;
    for (const path of this.#secrets) await Deno.writeTextFile(path, `${this.secret}\n`);
  }

  get targets(): EscapeTargets {
    const [own, other, temporary] = this.#secrets;
    const address = this.listeners[0]!.addr as Deno.NetAddr;
    return {
      ...{ OWN: own!, OTHER: other!, TEMPORARY: temporary!, MARK: this.mark },
      ...{ USER_HOME: this.place.userHome, VICTIM: String(this.victim.pid) },
      ...{ PORT: String(address.port), SOCKET: `${this.temporary}/socket` },
      AGENT: this.place.agent || "/run/ssh-agent",
    };
  }

  /** Why the sandbox did not hold; undefined where nothing is to be seen. */
  async harm(left: boolean): Promise<string | undefined> {
    const { folder, userHome } = this.place;
    for (const path of this.#secrets) {
      const text = await Deno.readTextFile(path).catch(() => "");
      if (text !== `${this.secret}\n`) return `${path} was changed`;
    }
    for (const at of [folder, userHome, "/tmp", "/dev/shm", "/etc", "/usr/bin"]) {
      if (await exists(`${at}/${this.mark}`)) return `${at} was written`;
    }
    if (await exists(`${this.tree}/.git/hooks/pre-commit`)) return "a hook was written";
    if (!await exists(`${this.tree}/.git/HEAD`)) return ".git was replaced";
    if (this.#connections > 0) return "it reached a listener";
    if (left && runs(`${this.mark}-left`)) return "it left a process";
    if (!await exists(`/proc/${this.victim.pid}/ns/pid`)) return "it ended a process outside";
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const listener of this.listeners) listener.close();
    try {
      this.victim.kill("SIGKILL");
    } catch (ended) {
      if (!(ended instanceof TypeError)) throw ended;
    }
    await this.victim.status;
    for (const path of [this.temporary, this.place.folder]) {
      await Deno.remove(path, { recursive: true });
    }
  }
}

function howItWent({ code, signal, crowded, timedOut, stdout, stderr }: Ended): string {
  if (crowded || timedOut) return "svc ended it";
  const said = `${capturedText(stderr)}\n${capturedText(stdout)}`.trim().split("\n").at(-1)!;
  return said === "" ? `exit ${code ?? signal}` : said.slice(0, DETAIL_CHARS);
}

/** @throws Failure `environment` where there is no sandbox to leave */
export async function tryEscape(
  ports: EscapePorts,
  place: EscapePlace,
  attempts: readonly EscapeAttempt[],
): Promise<Escape[]> {
  await using around = await Surroundings.make(ports, place);
  const { tree, secret, targets } = around;
  const found: Escape[] = [];
  for (const { name, script, leaves } of attempts) {
    const ended = await ports.run({
      ...{ program: "/bin/sh", args: ["-c", script], cwd: tree, timeoutMs: ATTEMPT_MS },
      env: { ...place.env, ...targets },
      tag: "escape",
      contain: { step: "commands", tree, commonDir: `${tree}/.git` },
    });
    const output = capturedText(ended.stdout) + capturedText(ended.stderr);
    const got = ended.code === 0 && !ended.crowded && !ended.timedOut && leaves !== true;
    const harm = output.includes(secret)
      ? "it read a secret"
      : await around.harm(leaves === true) ?? (got ? "it succeeded" : undefined);
    found.push({ name, held: harm === undefined, detail: harm ?? howItWent(ended) });
    if (harm !== undefined) await around.restore();
  }
  return found;
}
