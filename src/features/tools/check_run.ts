/** `check_run`: one of the project's checks, by the name that the manifest gives it; recorded. */
import { z } from "zod";
import { CHILD_OUTPUT_BYTES, CHILD_TIMEOUT_MAX_MS } from "svc/core/bounds.ts";
import { capturedText, HeadTail } from "svc/core/head_tail.ts";
import { uuidV7 } from "svc/core/ids.ts";
import { didYouMean } from "svc/core/nearest.ts";
import { quoted } from "svc/core/repo_path.ts";
import { pointersAmong } from "svc/features/checks/lfs_pointers.ts";
import { runCheck } from "svc/features/checks/run_check.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import { commandLog } from "svc/platform/log.ts";
import type { Processes } from "svc/platform/process/process.ts";
import { type CallContext, tool, type ToolSession } from "./tool.ts";

type ManifestCheck = Manifest["project"]["checks"][number];

/** The session's tag finds a check's processes, should svc die. */
function asSession({ processes, job }: ToolSession): Pick<Processes, "run"> {
  return { run: (command) => processes.run({ ...command, tag: job }) };
}

async function performed(
  session: ToolSession,
  check: ManifestCheck,
  { signal, progress }: CallContext,
) {
  const { redact, repo, tree: { root, clock, git: { commonDir } }, role, env, artefacts } = session;
  await artefacts.files.makeFolder(artefacts.folder);
  const command = `check ${check.name}`;
  const log = commandLog({ folder: () => artefacts.folder, command, clock, redact });
  const output = new HeadTail(CHILD_OUTPUT_BYTES);
  const encoder = new TextEncoder();
  progress?.(`running check ${check.name}`);
  try {
    const ended = await runCheck({
      processes: asSession(session),
      clock,
      redact,
      log,
      signal,
      show: (text) => output.push(encoder.encode(text)),
    }, {
      id: uuidV7(clock.now()),
      repo: { id: repo.id, root, commonDir },
      step: "checks",
      name: check.name,
      role,
      words: check.run,
      env,
      timeoutMs: Math.min(check.timeout_seconds * 1000, CHILD_TIMEOUT_MAX_MS),
    });
    return { ended, output: output.capture() };
  } finally {
    log.close();
  }
}

/** Paths that differ from what is committed; undefined in the checkout, whose files are a person's. */
async function changedHere({ repo, tree }: ToolSession): Promise<Set<string> | undefined> {
  if (tree.root === repo.root) return undefined;
  return new Set((await tree.git.status()).changes.map(({ path }) => path));
}

/** Contents that a check put in place of pointers of git-lfs would keep the role from committing its own change. */
async function putPointersBack(
  session: ToolSession,
  before: ReadonlySet<string> | undefined,
): Promise<void> {
  if (before === undefined) return;
  const { git, folder } = session.tree;
  const now = await changedHere(session) ?? [];
  const rewrote = [...now].filter((path) => !before.has(path));
  for (const [path, text] of await pointersAmong(git, rewrote)) {
    if ((await folder.stat(path))?.kind === "file") await folder.write(path, text);
  }
}

export const checkRun = tool({
  name: "check_run",
  about: "Runs one of the project's checks by name and records the outcome.",
  capability: "exec",
  args: () =>
    z.strictObject({ name: z.string().describe('A name from the manifest, such as "test"') }),
  async run(session, { name }, call) {
    const checks = session.manifest?.project.checks ?? [];
    const check = checks.find((known) => known.name === name);
    if (check === undefined) {
      const names = checks.map((known) => known.name);
      const rest = names.length === 0
        ? "The manifest names no checks: use command_run"
        : `${didYouMean(name, names)} The checks are: ${names.join(", ")}`.trim();
      return { ok: false, text: `There is no check ${quoted(name)}. ${rest}` };
    }
    const before = await changedHere(session);
    const { ended, output } = await performed(session, check, call);
    await putPointersBack(session, before);
    const text = capturedText(output);
    await session.recordCheck?.(ended);
    const passed = ended.outcome === "passed";
    const verdict = passed ? `--- passed: ${name}` : `--- failed: ${name} ${ended.reason}`;
    return {
      ok: passed,
      text: text === "" ? verdict : `${text.trimEnd()}\n${verdict}`,
      keep: "tail",
      ...(output.truncated && { partOf: output.totalBytes }),
      facts: {
        check: name,
        outcome: ended.outcome,
        exit_code: ended.exit_code,
        duration_ms: ended.duration_ms,
        log_path: ended.log_path,
      },
      readOn: () => `The whole output is in ${ended.log_path}`,
    };
  },
});
