/** Probes of the machine: programs, home, config, databases and what waits in them. */
import { isServerAddress } from "svc/core/server_address.ts";
import { counted } from "svc/core/counted.ts";
import { shellWord } from "svc/core/shell_word.ts";
import { factsThrough } from "svc/platform/files/through_links.ts";
import { OLDEST_GIT } from "svc/platform/git/git_version.ts";
import { readConfig } from "svc/features/settings/config_file.ts";
import { reportingLine, reportingOf } from "svc/features/settings/reporting.ts";
import { error, type HeldBackLane, ok, type Probe, type ProbeFinding, warning } from "./probe.ts";

const toolchain: Probe = {
  id: "toolchain",
  about: "Deno and git",
  async run({ runtime, git }) {
    const { deno, target, build } = runtime;
    return [
      ok(`svc runs on Deno ${deno} (${target}, ${build})`),
      // Throws for an old git. CVE-2025-48384 takes an update of submodules, which svc never does.
      ok(`git ${await git.version()} (${OLDEST_GIT} or newer is needed)`),
    ];
  },
};

/** A run of some hours writes traces and databases; below this they may not fit. */
const WANTED_BYTES = 1024 ** 3;

const homeFolder: Probe = {
  id: "home",
  about: "the svc home and its disk",
  async run({ home, files, diskFree }) {
    const { root, cache } = home();
    const facts = await factsThrough(files, root);
    if (facts === undefined && await files.stat(root) !== undefined) {
      return [
        error(`${root} is a link to a folder that does not exist`, `ls -l ${shellWord(root)}`),
      ];
    }
    if (facts === undefined) return [ok(`${root} does not exist yet; commands make it`)];
    if (facts.kind !== "folder") {
      return [
        error(`${root} is not a folder`, `mv ${shellWord(root)} ${shellWord(`${root}.old`)}`),
      ];
    }
    const findings = [];
    if ((facts.mode & 0o077) !== 0) {
      findings.push(warning(`${root} is open to other users`, `chmod 700 ${shellWord(root)}`));
    }
    if (!await files.isWritableFolder(root)) {
      findings.push(error(`${root} cannot be written`, `chown -R "$(id -u)" ${shellWord(root)}`));
    }
    for (const path of [cache, `${cache}/scan`]) {
      const there = await files.stat(path);
      if (there === undefined) continue;
      if (there.kind === "folder" && await files.isWritableFolder(path)) continue;
      const what = there.kind === "folder" ? "cannot be written" : "is not a folder";
      const fix = there.kind === "folder"
        ? `chown -R "$(id -u)" ${shellWord(path)}`
        : `mv ${shellWord(path)} ${shellWord(`${path}.old`)}`;
      findings.push(warning(`${path} ${what}: each scan reads all files again`, fix));
      break;
    }
    const free = await diskFree(root);
    const shown = `${(free / 1e9).toFixed(1)} GB free on the disk of ${root}`;
    findings.push(
      free < WANTED_BYTES ? warning(shown, "Free some space, or move SVC_HOME") : ok(shown),
    );
    return findings;
  },
};

const config: Probe = {
  id: "config",
  about: "~/.svc/config.yaml, and whether anonymous reports are sent",
  async run({ configPath, files, named, reportingSaid }) {
    const path = configPath();
    const facts = await factsThrough(files, path);
    if (facts === undefined && named.config) {
      return [error(`${path} does not exist`, "Correct --config, or leave it out")];
    }
    const settings = await readConfig(files, path);
    const sent = ok(reportingLine(reportingOf(reportingSaid(), settings)));
    if (facts === undefined) return [ok(`${path} does not exist; the defaults are in force`), sent];
    const { codehost_token, telemetry } = settings;
    const secret = codehost_token !== undefined || telemetry.token !== undefined;
    if (secret && (facts.mode & 0o077) !== 0) {
      return [
        warning(
          `${path} holds a credential and is open to other users`,
          `chmod 600 ${shellWord(path)}`,
        ),
        sent,
      ];
    }
    return [ok(`${path} is valid`), sent];
  },
};

const database: Probe = {
  id: "database",
  about: "queue and evidence databases",
  async run({ databases, checkDatabase, strangeness, examineServer, files, named }) {
    const findings = [];
    for (const path of await databases()) {
      if (isServerAddress(path)) {
        findings.push(...await examineServer(path));
        continue;
      }
      if (await files.stat(path) === undefined) {
        const leftLog = await strangeness(path);
        if (leftLog !== undefined) findings.push(error(leftLog.message, leftLog.remedy));
        else if (named.database) {
          findings.push(error(`${path} does not exist`, "Correct --db, or leave it out"));
        }
        continue;
      }
      const problems = await checkDatabase(path);
      // SQLite would write a log that stays there into the backup.
      const restore =
        "Stop svc, move it away with its -wal and -shm, and put its newest backup in " +
        `its place: ls -t ${shellWord(path)}.backup-*`;
      for (const problem of problems) findings.push(error(`${path}: ${problem}`, restore));
      if (problems.length > 0) continue;
      const strange = await strangeness(path);
      findings.push(
        strange === undefined ? ok(`${path} is sound`) : error(strange.message, strange.remedy),
      );
    }
    return findings.length > 0 ? findings : [ok("no database yet; commands make it")];
  },
};

/** @param db names the database, which holds what it holds back for itself alone; "" for a repo's own */
function heldBackFinding(
  { kind, key, reason, role, repo }: HeldBackLane,
  db: string,
): ProbeFinding {
  const what = kind === "model"
    ? `model ${key}`
    : `role "${role}"${repo === null ? "" : ` of ${repo}`}`;
  const where = repo === null ? "" : ` --repo ${shellWord(repo)}`;
  const begun = db === "" ? "svc start" : `svc serve${db}`;
  const again = role === null ? begun : `svc run ${role}${where}${db}`;
  return warning(`${what} is held back: ${reason}`, `mend what it names, then: ${again}`);
}

export const heldBack: Probe = {
  id: "held-back",
  about: "models and roles whose jobs wait for a person",
  async run({ databases, heldBack: look, files, home }) {
    const findings: ProbeFinding[] = [];
    const own = `${home().db}/`;
    for (const path of await databases()) {
      if (isServerAddress(path) || await files.stat(path) === undefined) continue;
      const db = path.startsWith(own) ? "" : ` --db ${shellWord(path)}`;
      findings.push(...(await look(path)).map((lane) => heldBackFinding(lane, db)));
    }
    return findings.length > 0 ? findings : [ok("no model and no role is held back")];
  },
};

export const mcpServers: Probe = {
  id: "mcp-servers",
  about: "MCP servers of the config",
  async run({ mcpServers: look }) {
    return (await look()).map(({ name, state, reason, tools }) => {
      if (state === "ready") return ok(`${name} answers, with ${counted(tools.length, "tool")}`);
      if (state === "not_started") return ok(`${name} was not started: svc doctor --servers does`);
      return warning(reason ?? `${name} does not answer`, "svc tools list --servers");
    });
  },
};

export const sandbox: Probe = {
  id: "sandbox",
  about: "what contains programs of jobs",
  async run({ sandbox: tried }) {
    const attempts = await tried();
    if (attempts === undefined) {
      return [ok("nothing contains what jobs start in host profile: execution.sandbox is off")];
    }
    const escaped = attempts.filter(({ held }) => !held).map(({ name }) => name);
    if (escaped.length === 0) {
      return [
        ok(`bubblewrap contains what jobs start: ${attempts.length} attempts to leave it failed`),
      ];
    }
    return [error(`bubblewrap does not hold: ${escaped.join(", ")}`, "svc internal sandbox")];
  },
};

export const MACHINE_PROBES: readonly Probe[] = [
  toolchain,
  homeFolder,
  config,
  database,
  heldBack,
  mcpServers,
  sandbox,
];
