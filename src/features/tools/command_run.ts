/** `command_run`: a program with its arguments, in the work tree. */
import { z } from "zod";
import { CHILD_TIMEOUT_MAX_MS, CHILD_TIMEOUT_MS } from "svc/core/bounds.ts";
import { counted } from "svc/core/counted.ts";
import { startsOthers } from "svc/core/command_pattern.ts";
import { Failure } from "svc/core/failure.ts";
import { capturedText } from "svc/core/head_tail.ts";
import { quoted, repoPath } from "svc/core/repo_path.ts";
import { shellWords } from "svc/core/shell_words.ts";
import { duration } from "svc/core/time.ts";
import { type Ended, howItEnded } from "svc/platform/process/process.ts";
import { childEnv } from "svc/platform/process/program.ts";
import { anyPath } from "./path_arg.ts";
import { isShell } from "./shell_name.ts";
import { type CallContext, tool, type ToolAnswer, type ToolSession } from "./tool.ts";

/** Characters of a command's standard input. */
const COMMAND_STDIN_CHARS = 1024 * 1024;

/** One of an argument, and of a line that is split into them. */
const COMMAND_CHARS = 64 * 1024;

const WAY_OUT = "call command_run once for each command, run a script of the repo, or give " +
  '"shell": true where you may use a shell';

const given = () =>
  z.strictObject({
    argv: z.array(z.string().max(COMMAND_CHARS)).min(1).max(1000).optional()
      .describe('Program and arguments, such as ["npm","test"]; with shell one command line'),
    command: z.string().max(COMMAND_CHARS).optional()
      .describe('Instead of argv: one line, such as "npm test", without pipes and &&'),
    cwd: anyPath("Folder in the work tree; default its root").optional(),
    timeout_seconds: z.int().min(1).max(CHILD_TIMEOUT_MAX_MS / 1000).optional()
      .describe(`Default ${CHILD_TIMEOUT_MS / 1000}`),
    shell: z.boolean().optional().describe("Run it with /bin/sh -c"),
    stdin: z.string().max(COMMAND_STDIN_CHARS).optional(),
  });

/** Splits the line before the policy is asked, which so judges the words that are run. */
const args = () =>
  given().transform(({ command, argv, ...rest }, context) => {
    const refuse = (field: string, message: string) => {
      context.addIssue({ code: "custom", path: [field], message });
      return z.NEVER;
    };
    if (command === undefined) {
      return argv === undefined ? refuse("argv", "give argv or command") : { ...rest, argv };
    }
    if (argv !== undefined) return refuse("command", "give argv or command, not both");
    if (rest.shell) return { ...rest, argv: [command] };
    const read = shellWords(command);
    if ("words" in read) return { ...rest, argv: [...read.words] };
    return refuse("command", `it is not run by a shell, and ${read.fault}; ${WAY_OUT}`);
  });
type CommandArgs = z.infer<ReturnType<typeof args>>;

function words({ argv, shell }: Pick<CommandArgs, "argv" | "shell">): readonly string[] {
  return shell ? ["/bin/sh", "-c", ...argv] : argv;
}

/** The guardrails also see standard input that is run as code. */
function guardedWords(asked: CommandArgs): readonly string[] {
  const { argv, shell = false, stdin } = asked;
  const script = stdin !== undefined && (isShell(argv[0]!) || startsOthers(argv, shell));
  return script ? [...words(asked), stdin] : words(asked);
}

/** Only real folders: a link could lead out of the work tree. */
async function folderIn({ tree: { folder, root } }: ToolSession, cwd: string): Promise<string> {
  if (cwd === ".") return root;
  const parts = repoPath(cwd).split("/");
  for (const at of parts.keys()) {
    const path = parts.slice(0, at + 1).join("/");
    const kind = (await folder.stat(path))?.kind;
    if (kind === "folder") continue;
    const what = kind === undefined ? "there is no such folder" : `${quoted(path)} is no folder`;
    throw new Failure(
      kind === undefined ? "not_found" : "refused",
      `Cannot use cwd ${quoted(cwd)}: ${what}`,
      {
        remedy: "Give a folder of the work tree that is no link, or leave cwd out",
      },
    );
  }
  return `${root}/${cwd}`;
}

/** A path is one of the work tree, as in a shell; a bare name is looked up on PATH. */
function programIn(cwd: string, program: string): string {
  if (!program.includes("/") || program.startsWith("/")) return program;
  return `${cwd}/${program.replace(/^(?:\.\/+)+/, "")}`;
}

/** No person is there to write a message: git keeps the text that it has, or says that it needs one. */
const NO_EDITOR = { GIT_EDITOR: "true", GIT_SEQUENCE_EDITOR: "true" };

interface ChildPlan {
  readonly words: readonly string[];
  /** Below the root, which is the default. */
  readonly cwd?: string | undefined;
  readonly timeoutMs: number;
  readonly stdin?: string | undefined;
}

/** Runs a program as the session's own, and kills the processes that it leaves. */
export async function runChild(
  session: ToolSession,
  { words: [program = "", ...rest], cwd = ".", timeoutMs, stdin }: ChildPlan,
  { signal }: CallContext,
): Promise<ToolAnswer> {
  const folder = await folderIn(session, cwd);
  const ended = await session.processes.run({
    program: programIn(folder, program),
    args: rest,
    cwd: folder,
    env: { ...childEnv(session.env), ...NO_EDITOR },
    // A repo must not plant a program under the name of a system one.
    refuseUnder: [session.tree.root, session.repo.root],
    timeoutMs,
    tag: session.job,
    contain: {
      step: "commands",
      tree: session.tree.root,
      commonDir: session.tree.git.commonDir,
    },
    signal,
    ...(stdin !== undefined && { stdin: new TextEncoder().encode(stdin) }),
  });
  if (ended.cancelled) throw signal.reason;
  return answerOf(ended, timeoutMs);
}

/** The text has no durations: the same call must give the same text. */
function answerOf(ended: Ended, timeoutMs: number): ToolAnswer {
  const { code, signal, timedOut, crowded, survivorsKilled, stdout, stderr } = ended;
  const ok = code === 0 && !timedOut && !crowded;
  const part = (name: string, text: string) => text === "" ? [] : [`--- ${name}`, text.trimEnd()];
  const end = timedOut
    ? `stopped: it ran longer than ${
      duration(timeoutMs)
    }; give timeout_seconds, or run a part of it`
    : howItEnded(ended);
  const survivors = counted(survivorsKilled, "process", "processes");
  const left = survivorsKilled === 0
    ? []
    : [`It left ${survivors} running: ended, since nothing outlives a command`];
  const text = [
    ...part("stdout", capturedText(stdout)),
    ...part("stderr", capturedText(stderr)),
    ...left,
    `--- ${end}`,
  ].join("\n");
  return {
    ok,
    text,
    keep: "tail",
    ...((stdout.truncated || stderr.truncated) && {
      partOf: stdout.totalBytes + stderr.totalBytes,
    }),
    facts: {
      exit_code: code ?? null,
      signal: signal ?? null,
      timed_out: timedOut,
      crowded,
      survivors_killed: survivorsKilled,
      duration_ms: Math.round(ended.durationMs),
      output_bytes: stdout.totalBytes + stderr.totalBytes,
    },
    readOn: () => "Let the command print less, such as by a filter of its own",
  };
}

export const commandRun = tool<CommandArgs>({
  name: "command_run",
  about: "Runs a program in the work tree, without a shell. What it starts ends with it.",
  capability: "exec",
  args,
  needs: ({ argv, shell }) => shell || isShell(argv[0]!) ? "shell" : undefined,
  touches: (asked) => ({ argv: guardedWords(asked) }),
  async run(session, asked, call) {
    const { argv, shell, cwd, timeout_seconds, stdin } = asked;
    if (shell && argv.length > 1) {
      return {
        ok: false,
        text: 'With shell give one command line: {"argv": ["a | b"], "shell": true}',
      };
    }
    call.progress?.(`running ${argv.join(" ").slice(0, 200)}`);
    const timeoutMs = timeout_seconds === undefined ? CHILD_TIMEOUT_MS : timeout_seconds * 1000;
    return await runChild(session, { words: words(asked), cwd, timeoutMs, stdin }, call);
  },
});
