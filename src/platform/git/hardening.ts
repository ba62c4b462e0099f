/** The environment of every git process, under which nothing that a repo contains is executed. */
import { Failure } from "svc/core/failure.ts";

export type Setting = readonly [key: string, value: string];

export interface GitLocation {
  readonly root: string;
  /** Real path of what `.git` stands for; its own in a linked worktree. */
  readonly gitDir: string;
  /** Real path that linked worktrees share; equals `gitDir` elsewhere. */
  readonly commonDir: string;
  /** Instead of `gitDir`'s own; git names one to its hooks (githooks(5)). */
  readonly index?: string;
}

const ENVIRONMENT = {
  // No file can exist below it, so git finds nothing there and nobody can plant anything there.
  HOME: "/dev/null",
  LC_ALL: "C",
  TZ: "UTC",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/true",
  GIT_PAGER: "cat",
  GIT_EDITOR: "true",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_SSH_COMMAND: "/bin/false",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  // Replaced objects and grafts would show another history than a push sends.
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: "/dev/null",
  GIT_LITERAL_PATHSPECS: "1",
};

/** Most name programs, make git ask the network, or reach into submodules. */
const SETTINGS: readonly Setting[] = [
  ["core.fsmonitor", "false"],
  // A file beside the objects may tell of other parents (gitformat-commit-graph(5)).
  ["core.commitGraph", "false"],
  // `git diff` would rewrite the index, but reading must change nothing (git-config(1)).
  ["diff.autoRefreshIndex", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.pager", "cat"],
  ["core.sshCommand", "/bin/false"],
  ["core.editor", "true"],
  ["core.gitProxy", ""],
  ["core.askPass", "true"],
  ["core.attributesFile", "/dev/null"],
  ["sequence.editor", "true"],
  ["credential.helper", ""],
  ["commit.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["gpg.program", "/bin/false"],
  ["gpg.openpgp.program", "/bin/false"],
  ["gpg.x509.program", "/bin/false"],
  ["gpg.ssh.program", "/bin/false"],
  ["gpg.ssh.defaultKeyCommand", ""],
  ["protocol.allow", "never"],
  ["safe.bareRepository", "explicit"],
  ["diff.external", ""],
  // Models and people read the names of files in diffs as they are called, not "\303\274ber.md".
  ["core.quotePath", "false"],
  ["diff.orderFile", "/dev/null"],
  // A submodule has a configuration of its own, with drivers that the repo's does not name.
  ["diff.submodule", "short"],
  ["diff.ignoreSubmodules", "dirty"],
  ["status.submoduleSummary", "false"],
  ["submodule.recurse", "false"],
  // Git warns of any graft file, also of an empty one.
  ["advice.graftFileDeprecated", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
];

/** A name may be empty: git takes `[filter ""]` for the driver that `* filter=` asks for. */
const DRIVER =
  /^(filter|diff|merge)\..*\.(clean|smudge|process|required|command|textconv|driver)$/is;
const HOOK = /^hook\..*\.(command|event)$/is; // since git 2.54

/** Takes the command from each driver and hook: all at once cannot be switched off (gitattributes(5)).
 * `names` are as `git config --name-only -z` gives them. @throws Failure `refused` for one not in UTF-8 */
export function blanked(names: readonly Uint8Array[], root: string): Setting[] {
  const settings: Setting[] = [];
  for (const bytes of names) {
    const name = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const part = name.slice(0, name.lastIndexOf("."));
    if (!DRIVER.test(name) && !HOOK.test(name)) continue;
    if (name.includes("\ufffd")) {
      throw new Failure(
        "refused",
        `Cannot use the repo "${root}": it configures ${JSON.stringify(name)}`,
        {
          remedy: "Rename the driver in its git configuration: its name is not UTF-8",
        },
      );
    }
    if (HOOK.test(name)) settings.push([`${part}.enabled`, "false"]);
    else if (/\.required$/i.test(name)) settings.push([name, "false"]);
    else settings.push([name, ""]);
  }
  return settings;
}

/** Not through `-c`, which splits at the first "=": a driver called "a=b" would escape it (git-config(1),
 * GIT_CONFIG_COUNT). With the place given, git ignores `core.worktree` and does not ask who owns the folder
 * (`safe.directory`), which protects from hooks and drivers; `place.ts` asks for a repo above the path. */
export function hardened(
  path: string,
  place: GitLocation | undefined,
  blanks: readonly Setting[] = [],
): Record<string, string> {
  const env: Record<string, string> = { ...ENVIRONMENT, PATH: path };
  if (place !== undefined) {
    env.GIT_DIR = place.gitDir;
    env.GIT_WORK_TREE = place.root;
    if (place.index !== undefined) env.GIT_INDEX_FILE = place.index;
  }
  const settings = [...SETTINGS, ...blanks];
  env.GIT_CONFIG_COUNT = String(settings.length);
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}
