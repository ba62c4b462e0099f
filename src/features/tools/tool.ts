/** Declares a tool; the agent, `tools list`, `tools run` and MCP all read the declaration. */
import type { z } from "zod";
import type { ReportedDisposition } from "svc/core/disposition.ts";
import type { Capability } from "svc/core/permission.ts";
import type { Redact } from "svc/core/redact.ts";
import type { Check } from "svc/features/checks/check_table.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { CommitMakers } from "svc/features/guardrails/commit_guard.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { AskedQuestion } from "svc/core/question.ts";
import type { LoadMender } from "svc/features/tools/args/mend_json.ts";
import type { PolicyPart } from "svc/features/trust/policy_question.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { Leftovers } from "svc/platform/git/leftovers.ts";
import type { FileStamp } from "svc/platform/files/folder.ts";
import type { Pushed } from "svc/platform/git/push.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { Parsers } from "svc/platform/tree_sitter.ts";

/** Shared by all calls of a session. */
export interface ToolSession {
  /** The registered checkout, where tickets live. */
  readonly repo: Repo;
  /** The work tree that the tools see: a job's own, or the checkout. */
  readonly tree: Checkout;
  /** Undefined where the repo has no harness. */
  readonly manifest: Manifest | undefined;
  /** Folders of the repo's git hooks (`Guardrails.hookFolders`). */
  readonly hookFolders?: readonly string[];
  readonly role: string;
  /** Id of the job or session; tags its processes. */
  readonly job: string;
  readonly ticket?: string;
  /** A person makes a single call: nothing was read before it. */
  readonly byHand?: boolean;
  readonly dispositions: readonly ReportedDisposition[];
  /** What earlier attempts left uncommitted, newest first. */
  readonly leftovers?: readonly Leftovers[];
  readonly processes: Processes;
  readonly redact: Redact;
  /** Removes the keys that no commit may hold; absent where svc holds none. */
  readonly withoutKeys?: Redact | undefined;
  /** Children's variables derive from these (`childEnv`). */
  readonly env: Readonly<Record<string, string>>;
  /** Each file as this session last read or wrote it, by path. */
  readonly seen: Map<string, FileStamp>;
  /** Guidance of folders that the role was told; absent where nobody is told any. */
  readonly toldGuidance?: Set<string>;
  /** Folder for long outputs, below `~/.svc/traces`; made at first use. */
  readonly artefacts: {
    readonly folder: string;
    readonly files: Pick<Files, "makeFolder" | "writeAtomic">;
  };
  /** Loaded when JSON does not parse; absent where that stays an error. */
  readonly jsonMender?: LoadMender;
  /** Starts at the first call; absent where code is not parsed. */
  parsers?(): Promise<Parsers>;
  /** Absent where no database is open. */
  recordCheck?(check: Check): Promise<void>;
  /** Where the job began on its branch; absent where no job works. */
  readonly began?: { readonly at: string | undefined };
  /** Notes that this session made a commit on a branch; absent where no database is open. */
  recordCommit?(branch: string, commit: string): Promise<void>;
  /** Absent where no database is open. */
  commitMakers?(branch: string): Promise<CommitMakers>;
  /** Pushes this commit of a `svc/…` branch; absent where no remote is registered. */
  push?(branch: string, commit: string, signal: AbortSignal): Promise<Pushed>;
  /** Tells what is missing for the end that a role reports; absent if the end is not judged during the run. */
  missing?(end: ReportedEnd): Promise<string | undefined>;
  /** Absent where the role's trust does not allow it. */
  approveTool?(name: string, sha256: string): Promise<void>;
}

export interface ReportedEnd {
  readonly disposition: ReportedDisposition;
  readonly evidence: string;
  /** With `blocked`: what a person is asked. */
  readonly question?: AskedQuestion;
}

export interface Refusal {
  readonly by: PolicyPart;
  readonly reason: string;
  readonly remedy: string;
}

export interface ToolAnswer {
  readonly ok: boolean;
  /** Unbounded and not redacted: the toolbox does both. A failure says what to do next. */
  readonly text: string;
  /** Total bytes, when `text` is only a part and no more was kept. */
  readonly partOf?: number;
  /** Which end matters when it is too long; default head. */
  readonly keep?: "head" | "tail";
  /** How to read on, when the first `shown` lines are left; one sentence. */
  readOn?(shown: number): string;
  /** A refusal that only the run could find out; recorded like any other. */
  readonly denied?: Refusal;
  /** For the trace and `--json`, such as the rung of an edit or an exit code. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** What the guardrails are asked about. */
export interface GuardedEffects {
  readonly writes?: readonly string[];
  readonly argv?: readonly string[];
}

interface ToolParts<A> {
  readonly name: string;
  /** For the model: what it does and when to use it, in one to three short sentences. */
  readonly about: string;
  readonly capability: Capability;
  /** Another tool that allows as much: a role that has that one gets this one too. */
  readonly grantedWith?: string;
  /** JSON Schema from outside, shown to models in place of that of `args`; whoever wrote it checks the call. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  needs?(args: A): Capability | undefined;
  touches?(args: A): GuardedEffects;
  /** The file that it reads or changes: guidance of its folder belongs to the answer. */
  file?(args: A): string;
  /** A mistake of the model is an answer that is not ok; a thrown Failure becomes one. */
  run(session: ToolSession, args: A, call: CallContext): Promise<ToolAnswer>;
}

export interface Tool<A> extends ToolParts<A> {
  /** Flat and strict: scalars and lists of scalars, each with `.describe`. */
  readonly args: z.ZodType<A>;
}

interface ToolSpec<A> extends ToolParts<A> {
  /** Made at the first call of the tool: a role calls few of those that it is given. */
  args(): z.ZodType<A>;
}

export interface CallReadingPlan {
  /** The model was cut off in it: broken JSON stays an error. */
  readonly cut?: boolean;
}

export interface CallContext extends CallReadingPlan {
  readonly signal: AbortSignal;
  /** No call follows in which something could be mended. */
  readonly last?: boolean;
  /** What was repaired when the call was read before. */
  readonly repairs?: readonly string[];
  progress?(text: string): void;
}

// deno-lint-ignore no-explicit-any -- a toolbox holds tools of every shape
export type AnyTool = Tool<any>;

export function tool<A>(spec: ToolSpec<A>): Tool<A> {
  let args: z.ZodType<A> | undefined;
  return {
    ...spec,
    get args() {
      return args ??= spec.args();
    },
  };
}

/** OpenAI's chat completions (platform.openai.com/docs/guides/function-calling). */
export interface ToolDefinition {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    /** JSON Schema of an object. */
    readonly parameters: Readonly<Record<string, unknown>>;
  };
}

export type OutcomeStatus = "ok" | "failed" | "denied" | "invalid" | "unknown";

export interface ToolOutcome {
  readonly tool: string;
  readonly status: OutcomeStatus;
  /** Bounded and redacted. */
  readonly text: string;
  /** Absolute path of the whole output, when `text` is a part. */
  readonly artefact?: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** SHA-256 (hex) of the whole redacted text and the status: shows whether a repeated call differs. */
  readonly hash: string;
  readonly durationMs: number;
  readonly deniedBy?: string;
}

/** A call as it should have been written; as it was, where it cannot be read. */
export interface ReadCall {
  readonly name: string;
  /** JSON text. */
  readonly args: string;
  /** Such as `key:file_path=path`; the part before the colon is the kind. */
  readonly repairs: readonly string[];
}

export interface Toolbox {
  /** Reads a call as `call` does, and carries out nothing. Never throws. */
  read(name: string, args: string, plan?: CallReadingPlan): Promise<ReadCall>;
  /** Tools that the policy allows now. */
  offered(): Promise<readonly ToolDefinition[]>;
  /** Checks every rule anew. Throws the reason of `signal` alone. @param args parsed, or JSON text */
  call(name: string, args: unknown, context: CallContext): Promise<ToolOutcome>;
  /** Such calls may run in parallel. */
  readsOnly(name: string): boolean;
}
