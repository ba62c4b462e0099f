/** Repos that try to have a program run by whoever looks at them with git. */
import {
  attributes,
  cleanInFile,
  config,
  conflictingBranch,
  HOOKS,
  type Hostile,
  otherRepo,
  signedCommit,
  submodule,
} from "./hostile_parts.ts";

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
    // Status runs one only where it has an index to write.
    triggers: [["commit", "--allow-empty", "--message", "x"]],
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
  attributes("clean filter without a name", "filter=", ({ program }) => ({
    "filter..clean": program,
    "filter..required": "true",
  }), ADD),
  attributes(
    "filter process without a name",
    "filter=",
    ({ program }) => ({ "filter..process": program }),
    ADD,
  ),
  attributes(
    "textconv without a name",
    "diff=",
    ({ program }) => ({ "diff..textconv": program }),
    [["diff"]],
  ),
  attributes(
    "diff command without a name",
    "diff=",
    ({ program }) => ({ "diff..command": program }),
    [["diff"]],
  ),
  {
    name: "merge driver without a name",
    async plant(repo, { program }) {
      await conflictingBranch(repo);
      await repo.write(".git/info/attributes", "* merge=\n");
      await repo.git("config", "merge..driver", `${program} %O %A %B`);
    },
    triggers: [["merge", "side"]],
  },
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
    async plant(repo, evil) {
      const oid = (await repo.git("rev-parse", "HEAD:a")).trim();
      await Deno.remove(`${repo.path}/.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`);
      await config("", ({ program }) => ({
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": `ext::${program}`,
        "protocol.ext.allow": "always",
      })).plant(repo, evil);
    },
    triggers: [["cat-file", "-p", "HEAD:a"]],
    damaged: true,
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
