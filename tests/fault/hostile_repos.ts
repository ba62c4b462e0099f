/** Repos that try to have a program run by whoever looks at them with git. */
import { type TempFolder, tempFolder, type TempRepo, tempRepo } from "tests/kit/temp_repo.ts";

/** A program that leaves a marker when it runs, and otherwise passes its input on. */
export interface Evil extends AsyncDisposable {
  /** Absolute path of the program. */
  readonly program: string;
  readonly folder: TempFolder;
  fired(): Promise<boolean>;
  forget(): Promise<void>;
}

export interface Hostile {
  readonly name: string;
  /** Gives the folder to open, where it is not the repo's root. */
  plant(repo: TempRepo, evil: Evil): Promise<string | void>;
  /** Plain git runs the program with one of these; empty where that takes a terminal or a network. */
  readonly triggers: readonly (readonly string[])[];
  /** Opening it is refused with a text that matches. */
  readonly refused?: RegExp;
}

export async function evil(): Promise<Evil> {
  const folder = await tempFolder("svc-evil-");
  const marker = `${folder.path}/fired`;
  await folder.write("evil", `#!/bin/sh\n: >"${marker}"\nexec cat\n`, { executable: true });
  return {
    program: `${folder.path}/evil`,
    folder,
    fired: () => Deno.stat(marker).then(() => true, () => false),
    forget: () => Deno.remove(marker).catch(() => {}),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const HOOKS = [
  ...["pre-commit", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-auto-gc"],
  ...["post-index-change", "reference-transaction", "post-rewrite", "fsmonitor-watchman"],
];

/** Sets configuration only. */
function config(
  name: string,
  settings: (evil: Evil) => Readonly<Record<string, string>>,
  triggers: Hostile["triggers"] = [],
): Hostile {
  return {
    name,
    async plant(repo, evil) {
      for (const [key, value] of Object.entries(settings(evil))) {
        await repo.git("config", key, value);
      }
    },
    triggers,
  };
}

/** Gives every file the attributes, and sets configuration. */
function attributes(
  name: string,
  line: string,
  settings: (evil: Evil) => Readonly<Record<string, string>>,
  triggers: Hostile["triggers"],
): Hostile {
  return {
    name,
    async plant(repo, evil) {
      await repo.write(".gitattributes", `* ${line}\n`);
      await config(name, settings).plant(repo, evil);
    },
    triggers,
  };
}

/** A branch "side" whose merge into main conflicts in the file `a`. */
async function conflictingBranch(repo: TempRepo) {
  await repo.git("checkout", "--quiet", "-b", "side");
  await repo.commit("side", { a: "side\n" });
  await repo.git("checkout", "--quiet", "main");
  await repo.commit("main", { a: "main\n" });
}

/** A commit on main that claims to be signed. */
async function signedCommit(repo: TempRepo) {
  const signature =
    "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AA==\n -----END PGP SIGNATURE-----\n";
  const [head, ...message] = (await repo.git("cat-file", "commit", "HEAD")).split("\n\n");
  await repo.write("commit", `${head}\n${signature}\n${message.join("\n\n")}`);
  const oid = await repo.git("hash-object", "-t", "commit", "-w", "commit");
  await repo.git("update-ref", "refs/heads/main", oid.trim());
  await Deno.remove(`${repo.path}/commit`);
}

/** A nested repo that the outer one records as a submodule. */
async function submodule(repo: TempRepo): Promise<string> {
  const sub = `${repo.path}/sub`;
  await repo.git("init", "--quiet", "sub");
  await repo.write("sub/f", "one\n");
  await repo.git("-C", "sub", "add", "f");
  await repo.git("-C", "sub", "commit", "--quiet", "--message", "sub");
  await repo.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ext::touch\n');
  await repo.git("-c", "advice.addEmbeddedRepo=false", "add", "sub", ".gitmodules");
  await repo.git("commit", "--quiet", "--message", "submodule");
  return sub;
}

/** Another repo, in the evil folder, whose settings run the program. */
async function otherRepo(repo: TempRepo, evil: Evil): Promise<string> {
  const other = `${evil.folder.path}/other`;
  await repo.git("init", "--quiet", other);
  await repo.git("-C", other, "commit", "--quiet", "--allow-empty", "--message", "other");
  await repo.git("-C", other, "config", "core.fsmonitor", evil.program);
  return `${other}/.git`;
}

async function cleanInFile(repo: TempRepo, evil: Evil) {
  await repo.write(".gitattributes", "* filter=x\n");
  await repo.write("settings", `[filter "x"]\n\tclean = ${evil.program}\n`);
}

const STATUS = [["status"]] as const;
const ADD = [["add", "--all"]] as const;
const FETCH = [["fetch", "origin"]] as const;

export const HOSTILE: readonly Hostile[] = [
  config("core.fsmonitor", ({ program }) => ({ "core.fsmonitor": program }), STATUS),
  {
    name: "hooks folder",
    async plant(repo, { program }) {
      for (const hook of HOOKS) await Deno.copyFile(program, `${repo.path}/.git/hooks/${hook}`);
    },
    triggers: [["commit", "--allow-empty", "--message", "x"]],
  },
  {
    name: "core.hooksPath",
    async plant(repo, { program }) {
      await Deno.mkdir(`${repo.path}/hooks`);
      for (const hook of HOOKS) await Deno.copyFile(program, `${repo.path}/hooks/${hook}`);
      await repo.git("config", "core.hooksPath", "hooks");
    },
    triggers: STATUS,
  },
  config("configured hook", ({ program }) => ({
    "hook.x.command": program,
    "hook.x.event": "reference-transaction",
  })),
  attributes("clean filter", "filter=x", ({ program }) => ({
    "filter.x.clean": program,
    "filter.x.required": "true",
  }), ADD),
  attributes("smudge filter", "filter=x", ({ program }) => ({ "filter.x.smudge": program }), [
    ["checkout", "--force", "HEAD", "--", "a"],
  ]),
  attributes("filter process", "filter=x", ({ program }) => ({ "filter.x.process": program }), ADD),
  attributes(
    "filter whose name holds =",
    "filter=a=b",
    ({ program }) => ({ "filter.a=b.clean": program }),
    ADD,
  ),
  attributes(
    "filter of many cases",
    "filter=Ab.Clean",
    ({ program }) => ({ "FILTER.Ab.Clean.CLEAN": program }),
    ADD,
  ),
  {
    name: "filter whose name is not UTF-8",
    async plant(repo, { program }) {
      const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
      await repo.write(".gitattributes", latin1("* filter=\xff\n"));
      const before = await repo.read(".git/config");
      await repo.write(".git/config", latin1(`${before}[filter "\xff"]\n\tclean = ${program}\n`));
    },
    triggers: ADD,
    refused: /not UTF-8|configures/,
  },
  {
    name: "filter in config.worktree",
    async plant(repo, evil) {
      await cleanInFile(repo, evil);
      await repo.git("config", "extensions.worktreeConfig", "true");
      await Deno.rename(`${repo.path}/settings`, `${repo.path}/.git/config.worktree`);
    },
    triggers: ADD,
  },
  {
    name: "filter through include.path",
    async plant(repo, evil) {
      await cleanInFile(repo, evil);
      await repo.git("config", "include.path", "../settings");
    },
    triggers: ADD,
  },
  {
    name: "filter through includeIf gitdir",
    async plant(repo, evil) {
      await cleanInFile(repo, evil);
      await repo.git("config", "includeIf.gitdir:**/.git.path", "../settings");
    },
    triggers: ADD,
  },
  {
    name: "filter through includeIf onbranch",
    async plant(repo, evil) {
      await cleanInFile(repo, evil);
      await repo.git("config", "includeIf.onbranch:main.path", `${repo.path}/settings`);
    },
    triggers: ADD,
  },
  {
    name: "filter through info/attributes",
    async plant(repo, { program }) {
      await repo.write(".git/info/attributes", "* filter=x\n");
      await repo.git("config", "filter.x.clean", program);
    },
    triggers: ADD,
  },
  {
    name: "filter through core.attributesFile",
    async plant(repo, { program }) {
      await repo.write("attributes", "* filter=x\n");
      await repo.git("config", "core.attributesFile", `${repo.path}/attributes`);
      await repo.git("config", "filter.x.clean", program);
    },
    triggers: ADD,
  },
  {
    name: "filter of a submodule",
    async plant(repo, { program }) {
      const sub = await submodule(repo);
      await repo.git("-C", sub, "config", "filter.x.clean", program);
      await repo.write("sub/.gitattributes", "* filter=x\n");
      await repo.write("sub/f", "two\n");
    },
    triggers: STATUS,
  },
  {
    name: "textconv of a submodule",
    async plant(repo, { program }) {
      const sub = await submodule(repo);
      await repo.git("config", "diff.submodule", "diff");
      await repo.git("-C", sub, "config", "diff.x.textconv", program);
      await repo.write("sub/.gitattributes", "* diff=x\n");
      await repo.write("sub/f", "two\n");
    },
    triggers: [["diff"]],
  },
  {
    name: "submodule.update command",
    async plant(repo, { program }) {
      const sub = await submodule(repo);
      await repo.git("-C", sub, "commit", "--quiet", "--allow-empty", "--message", "more");
      await repo.git("config", "submodule.sub.url", "https://example.invalid/x");
      await repo.git("config", "submodule.sub.update", `!${program}`);
      await repo.git("config", "submodule.recurse", "true");
    },
    triggers: [["submodule", "update"]],
  },
  config("diff.external", ({ program }) => ({ "diff.external": program }), [["diff"]]),
  attributes("diff command", "diff=x", ({ program }) => ({ "diff.x.command": program }), [
    ["diff"],
  ]),
  attributes("textconv of diff", "diff=x", ({ program }) => ({ "diff.x.textconv": program }), [
    ["diff"],
  ]),
  attributes("textconv of blame", "diff=x", ({ program }) => ({ "diff.x.textconv": program }), [
    ["blame", "a"],
  ]),
  {
    name: "merge driver",
    async plant(repo, { program }) {
      await conflictingBranch(repo);
      await repo.write(".git/info/attributes", "* merge=x\n");
      await repo.git("config", "merge.x.driver", `${program} %O %A %B`);
      await repo.git("config", "merge.default", "x");
    },
    triggers: [["merge", "side"]],
  },
  config("core.sshCommand", ({ program }) => ({
    "core.sshCommand": program,
    "remote.origin.url": "ssh://127.0.0.1/x",
  }), FETCH),
  config("core.pager", ({ program }) => ({ "core.pager": program, "pager.log": program })),
  config("core.editor", ({ program }) => ({ "core.editor": program }), [
    ["commit", "--allow-empty", "--amend"],
  ]),
  {
    name: "sequence.editor",
    async plant(repo, { program }) {
      await repo.commit("second");
      await repo.git("config", "sequence.editor", program);
    },
    triggers: [["rebase", "--interactive", "HEAD~1"]],
  },
  config("gpg.program of commit", ({ program }) => ({
    "gpg.program": program,
    "commit.gpgSign": "true",
  }), [["commit", "--allow-empty", "--message", "x"]]),
  {
    name: "gpg.program of log.showSignature",
    async plant(repo, { program }) {
      await signedCommit(repo);
      await repo.git("config", "gpg.openpgp.program", program);
      await repo.git("config", "log.showSignature", "true");
    },
    triggers: [["log"]],
  },
  {
    name: "gpg.program of format.pretty",
    async plant(repo, { program }) {
      await signedCommit(repo);
      await repo.git("config", "gpg.program", program);
      await repo.git("config", "format.pretty", "%G?");
    },
    triggers: [["log"]],
  },
  config("credential.helper", ({ program }) => ({
    "credential.helper": `!${program}`,
    "remote.origin.url": "https://example.invalid/x",
  })),
  config("core.askPass", ({ program }) => ({ "core.askPass": program })),
  config("core.gitProxy", ({ program }) => ({
    "core.gitProxy": program,
    "remote.origin.url": "git://127.0.0.1/x",
  }), FETCH),
  config("alias", ({ program }) => ({
    "alias.st": `!${program}`,
    "alias.status": `!${program}`,
    "alias.config": `!${program}`,
  }), [["st"]]),
  config("remote uploadpack", ({ program, folder }) => ({
    "remote.origin.url": folder.path,
    "remote.origin.uploadpack": program,
  }), FETCH),
  config("remote helper ext::", ({ program }) => ({
    "remote.origin.url": `ext::${program}`,
    "protocol.ext.allow": "always",
    "protocol.allow": "always",
  }), FETCH),
  config("url.insteadOf", ({ program }) => ({
    "remote.origin.url": "https://example.invalid/x",
    [`url.ext::${program}.insteadOf`]: "https://example.invalid/x",
    "protocol.ext.allow": "always",
  }), FETCH),
  {
    name: "lazy fetch of a missing object",
    async plant(repo, { program }) {
      const oid = (await repo.git("rev-parse", "HEAD:a")).trim();
      await Deno.remove(`${repo.path}/.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`);
      await config("", () => ({
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": `ext::${program}`,
        "protocol.ext.allow": "always",
      })).plant(repo, undefined as never);
    },
    triggers: [["cat-file", "-p", "HEAD:a"]],
  },
  {
    name: "core.worktree elsewhere",
    async plant(repo, evil) {
      await repo.git("config", "core.worktree", evil.folder.path);
      await repo.git("config", "core.fsmonitor", evil.program);
    },
    triggers: STATUS,
  },
  {
    name: "nested bare repo",
    async plant(repo, { program }) {
      await repo.git("init", "--quiet", "--bare", "docs");
      await repo.git("--git-dir", "docs", "config", "core.bare", "false");
      await repo.git("--git-dir", "docs", "config", "core.worktree", "..");
      await repo.git("--git-dir", "docs", "config", "core.fsmonitor", program);
      return `${repo.path}/docs`;
    },
    triggers: STATUS,
    refused: /bare repo/,
  },
  {
    name: ".git file that names another repo",
    async plant(repo, evil) {
      const other = await otherRepo(repo, evil);
      await Deno.remove(`${repo.path}/.git`, { recursive: true });
      await repo.write(".git", `gitdir: ${other}\n`);
    },
    triggers: STATUS,
    refused: /not the git folder of this work tree/,
  },
  {
    name: ".git file that names another repo's worktree",
    async plant(repo, evil) {
      const other = await otherRepo(repo, evil);
      await repo.git("-C", other, "worktree", "add", "--quiet", `${evil.folder.path}/linked`);
      await Deno.remove(`${repo.path}/.git`, { recursive: true });
      await repo.write(".git", `gitdir: ${other}/worktrees/linked\n`);
    },
    triggers: STATUS,
    refused: /has no worktree here/,
  },
  {
    name: ".git folder with a commondir elsewhere",
    async plant(repo, evil) {
      await repo.write(".git/commondir", `${await otherRepo(repo, evil)}\n`);
    },
    triggers: STATUS,
    refused: /claims another common folder/,
  },
  {
    name: ".git that is a symbolic link",
    async plant(repo, evil) {
      const other = await otherRepo(repo, evil);
      await Deno.remove(`${repo.path}/.git`, { recursive: true });
      await Deno.symlink(other, `${repo.path}/.git`);
    },
    triggers: STATUS,
    refused: /symbolic link/,
  },
];

/** One commit with the file `a`, which the work tree then changes. */
export async function victim(): Promise<TempRepo> {
  const repo = await tempRepo({ files: { a: "one\n" }, commit: true });
  await repo.write("a", "two\n");
  await repo.write("new", "new\n");
  return repo;
}
