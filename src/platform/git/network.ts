/** Runs the git commands that reach a remote: in a git folder of their own that borrows the objects, so that no setting
 * of a repo is read and nothing that a repo contains is executed. */
import { Failure } from "svc/core/failure.ts";
import type { GitProtocol } from "svc/core/git_url.ts";
import { capturedText } from "svc/core/head_tail.ts";
import type { Files } from "svc/platform/files/files.ts";
import { type Ended, howItEnded, type Processes } from "svc/platform/process/process.ts";
import { shown } from "./call.ts";
import type { GitLogin } from "./credential.ts";
import { type GitLocation, hardened, type Setting } from "./hardening.ts";
import { reachOf, type ReachPorts } from "./reach.ts";

/** For a slow line; the most that any child is given. */
const NETWORK_TIMEOUT_MS = 600_000;

/** A list of refs: some 100,000. */
export const REFS_BYTES = 8 * 1024 * 1024;

export interface NetworkPorts extends ReachPorts {
  readonly processes: Pick<Processes, "run">;
  readonly files: Pick<Files, "makeFolder" | "writeAtomic">;
  readonly path: string;
  /** A folder for git folders that live as long as one command. */
  readonly scratch: string;
}

export interface NetworkCall {
  /** Completes "Cannot … ". */
  readonly doing: string;
  /** Without a name and a password. */
  readonly url: string;
  readonly protocol: GitProtocol;
  readonly args: readonly string[];
  /** For exactly this URL, by HTTP basic authentication; never in arguments. */
  readonly login?: GitLogin | undefined;
  /** What ssh needs to find its agent and keys: HOME, SSH_AUTH_SOCK. */
  readonly ssh?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ScratchPlan {
  /** Whose objects are borrowed. */
  readonly objects?: { readonly commonDir: string; readonly written: boolean };
  /** Id of a commit there; tells the format of ids. */
  readonly sample?: string;
  /** Commits that need not be fetched again. */
  readonly known?: readonly string[];
  /** Further lines of its configuration. */
  readonly config?: string;
}

/** A git folder of svc's own; what a fetch writes goes to the borrowed objects, its refs stay in here. */
export interface Scratch extends AsyncDisposable {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

function settings({ url, login }: NetworkCall): Setting[] {
  const basic = login &&
    new TextEncoder().encode(`${login.username}:${login.password}`).toBase64();
  return [
    ["http.followRedirects", "false"],
    ["http.sslVerify", "true"],
    ["push.followTags", "false"],
    ["push.gpgSign", "false"],
    // git would know nothing of a remote whose branches have all moved on, and send the whole history.
    ["push.negotiate", "true"],
    ["push.recurseSubmodules", "no"],
    ["fetch.recurseSubmodules", "no"],
    ["fetch.fsckObjects", "false"],
    ["transfer.credentialsInUrl", "die"],
    ...(basic ? [[`http.${url}.extraHeader`, `Authorization: Basic ${basic}`] as const] : []),
  ];
}

const packed = (known: readonly string[]) =>
  known.map((id, at) => `${id} refs/known/${at}\n`).join("");

export async function scratchGit(
  { files, scratch }: NetworkPorts,
  { objects, sample, known = [], config = "" }: ScratchPlan,
): Promise<Scratch> {
  const root = `${scratch}/push-${crypto.getRandomValues(new Uint8Array(8)).toHex()}`;
  const folders = [root, `${root}/refs`, `${root}/objects`];
  for (const folder of folders) await files.makeFolder(folder);
  await files.writeAtomic(`${root}/HEAD`, "ref: refs/heads/none\n");
  const format = sample?.length === 64 ? "\tobjectFormat = sha256\n" : "";
  const extensions = format === "" ? "" : `[extensions]\n${format}`;
  const version = format === "" && config === "" ? 0 : 1;
  const core = `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n`;
  await files.writeAtomic(`${root}/config`, core + extensions + config);
  if (known.length > 0) await files.writeAtomic(`${root}/packed-refs`, packed(known));
  const borrowed = objects && `${objects.commonDir}/objects`;
  const quoted = `"${borrowed?.replaceAll(/["\\]/g, "\\$&")}"`;
  return {
    root,
    env: objects === undefined ? {} : {
      ...(objects.written
        ? { GIT_OBJECT_DIRECTORY: borrowed! }
        : { GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted }),
      GIT_SHALLOW_FILE: `${objects.commonDir}/shallow`,
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(root, { recursive: true });
    },
  };
}

const SSH = "ssh -oBatchMode=yes -oClearAllForwardings=yes -oPermitLocalCommand=no";

/** @throws Failure `interrupted`; any other end is the answer */
export async function networkGit(
  { processes, path, env: own }: NetworkPorts,
  { root, env }: Pick<Scratch, "env" | "root">,
  call: NetworkCall,
): Promise<Ended> {
  const { doing, url, args, protocol, signal, stdin, ssh = {} } = call;
  const place: GitLocation = { root, gitDir: root, commonDir: root };
  const reach = protocol === "https" && await reachOf({ processes, env: own }, url, signal);
  const said = reach ? [...reach.settings, ...settings(call)] : settings(call);
  const { GIT_WORK_TREE: _, ...hard } = hardened(path, place, said);
  const ended = await processes.run({
    program: "git",
    args: ["--no-pager", ...args],
    cwd: root,
    env: {
      ...hard,
      ...(reach && reach.env),
      ...(protocol === "ssh" && { ...ssh, GIT_SSH_COMMAND: SSH, GIT_SSH_VARIANT: "ssh" }),
      GIT_ALLOW_PROTOCOL: protocol,
      ...env,
    },
    refuseUnder: [root],
    timeoutMs: NETWORK_TIMEOUT_MS,
    maxOutputBytes: REFS_BYTES,
    ...(stdin && { stdin }),
    ...(signal && { signal }),
  });
  if (ended.cancelled) throw new Failure("interrupted", `Cannot ${doing}: git was cancelled`);
  return ended;
}

/** git adds it to whatever a program says that should have connected it. */
const NOT_READ = "fatal: Could not read from remote repository.";

/** One line of what git says went wrong; where ssh could not connect, or was not let in, that of ssh. */
export function complaintOf(ended: Ended): string {
  const said = capturedText(ended.stderr);
  // What an older server said to the question before, to which the push had no need of an answer.
  const asked = said.lastIndexOf("warning: push negotiation failed");
  const lines = said.slice(Math.max(asked, 0)).split("\n").filter((text) => text.trim() !== "");
  const at = lines.findIndex((text) => /^(?:fatal|error|remote):/.test(text));
  const why = lines[at] === NOT_READ ? lines[at - 1] ?? NOT_READ : lines[at] ?? lines[0];
  return shown(why?.trimEnd() ?? howItEnded(ended));
}

/** git writes it before each line of the remote. */
const SAID_THERE = "remote:";

/** A rule that takes no secrets names the place of each, and a page: some 900. */
const REMOTE_WORDS_CHARS = 1_500;

/** The messages of the remote's hooks and rules, on one line, without ruler lines and empty lines. */
export function remoteWords(ended: Ended): string {
  const lines = capturedText(ended.stderr).split("\n")
    .filter((text) => text.startsWith(SAID_THERE))
    .map((text) => text.slice(SAID_THERE.length).trim())
    .filter((text) => /[\p{L}\p{N}]/u.test(text));
  return shown(lines.join(" "), REMOTE_WORDS_CHARS);
}
