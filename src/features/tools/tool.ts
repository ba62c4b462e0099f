/** Declares a tool; the agent, `tools list`, `tools run` and MCP all read the declaration. */
import type { z } from "zod";
import type { ReportedDisposition } from "svc/core/disposition.ts";
import type { Capability } from "svc/core/permission.ts";
import type { Redact } from "svc/core/redact.ts";
import type { Check } from "svc/features/checks/check_table.ts";
import type { Manifest } from "svc/features/harness/manifest_shape.ts";
import type { Repo } from "svc/features/repos/repo.ts";
import type { PolicyPart } from "svc/features/trust/policy_question.ts";
import type { Checkout } from "svc/platform/git/checkout.ts";
import type { Files } from "svc/platform/files/files.ts";
import type { FileStamp } from "svc/platform/files/folder.ts";
import type { Pushed } from "svc/platform/git/push.ts";
import type { Processes } from "svc/platform/process/process.ts";
import type { Parsers } from "svc/platform/tree_sitter.ts";

/** What a call of a tool works on and with; the same for all calls of a session. */
export interface ToolSession {
  /** The registered checkout, where tickets live. */
  readonly repo: Repo;
  /** The work tree that the tools see: a job's own, or the checkout. */
  readonly tree: Checkout;
  /** Undefined where the repo has no harness. */
  readonly manifest: Manifest | undefined;
  /** Where git looks for hooks in the repo (`Guardrails.hookFolders`). */
  readonly hookFolders?: readonly string[];
  readonly role: string;
  /** Id of the job or session; tags every process that it starts. */
  readonly job: string;
  readonly ticket?: string;
  /** A person calls one tool and no more: nothing was read before it, and nobody reads after it. */
  readonly byHand?: boolean;
  /** What `finish` may say here. */
  readonly dispositions: readonly ReportedDisposition[];
  readonly processes: Processes;
  readonly redact: Redact;
  /** The variables that children are built from (`childEnv`). */
  readonly env: Readonly<Record<string, string>>;
  /** What each file was when this session last read or wrote it, by path. */
  readonly seen: Map<string, FileStamp>;
  /** Folder for the full text of long outputs, below `~/.svc/traces`; made when first used. */
  readonly artefacts: {
    readonly folder: string;
    readonly files: Pick<Files, "makeFolder" | "writeAtomic">;
  };
  /** The parser of source code, started at the first call; absent where code is not parsed. */
  parsers?(): Promise<Parsers>;
  /** Stores what a check came to; absent where no database is open. */
  recordCheck?(check: Check): Promise<void>;
  /** Sends a `svc/…` branch to the registered remote; absent where there is none. */
  push?(branch: string, signal: AbortSignal): Promise<Pushed>;
  /** Lets a tool of the repo run as it is now; absent where the role's trust does not reach. */
  approveTool?(name: string, sha256: string): Promise<void>;
}

/** Why the policy says no, and what would change it; both as `decide` words them. */
export interface Refusal {
  readonly by: PolicyPart;
  readonly reason: string;
  readonly remedy: string;
}

export interface ToolAnswer {
  readonly ok: boolean;
  /**
   * For the model, whole and not redacted: the toolbox bounds and redacts it. A failure says what
   * to do next.
   */
  readonly text: string;
  /** Bytes that there were, when `text` is not all of them and no more was kept. */
  readonly partOf?: number;
  /** Which end matters when it is too long; the head unless said otherwise. */
  readonly keep?: "head" | "tail";
  /** How to get at what was cut off, when the first `shown` lines of `text` are left; one sentence. */
  readOn?(shown: number): string;
  /** Set when the policy refuses what only this call's run could find out; recorded as any refusal. */
  readonly denied?: Refusal;
  /** Plain data for the trace and `--json`, such as the rung of an edit or an exit code. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** What a call would do, for the guardrails. */
export interface GuardedEffects {
  /** Paths it would write. */
  readonly writes?: readonly string[];
  /** The program and arguments it would start. */
  readonly argv?: readonly string[];
}

export interface Tool<A> {
  readonly name: string;
  /** For the model: what it does and when to use it, in one to three short sentences. */
  readonly about: string;
  readonly capability: Capability;
  /** Flat: scalars and lists of scalars, each with `.describe`, strict. */
  readonly args: z.ZodType<A>;
  /** What this call needs beyond `capability`. */
  needs?(args: A): Capability | undefined;
  touches?(args: A): GuardedEffects;
  /**
   * A refusal or a mistake of the model is an answer that is not ok; a Failure thrown becomes one.
   * @param call `signal` ends it; `progress` takes a line on what it does, for whoever watches
   */
  run(session: ToolSession, args: A, call: CallContext): Promise<ToolAnswer>;
}

export interface CallContext {
  readonly signal: AbortSignal;
  progress?(text: string): void;
}

// deno-lint-ignore no-explicit-any -- a toolbox holds tools of every shape
export type AnyTool = Tool<any>;

export function tool<A>(spec: Tool<A>): Tool<A> {
  return spec;
}

/** As OpenAI's chat completions take it (platform.openai.com/docs/guides/function-calling). */
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

/** What a call came to. */
export interface ToolOutcome {
  readonly tool: string;
  readonly status: OutcomeStatus;
  /** Bounded and redacted; what the model is given. */
  readonly text: string;
  /** Absolute path of the whole output, when `text` is not all of it. */
  readonly artefact?: string;
  readonly facts: Readonly<Record<string, unknown>>;
  /** SHA-256 (hex) of the whole redacted text and the status: tells whether a repeated call changed anything. */
  readonly hash: string;
  readonly durationMs: number;
  /** When denied: which part of the policy said no. */
  readonly deniedBy?: string;
}

export interface Toolbox {
  /** Tools that the policy allows at this moment; denied ones are not shown to a model. */
  offered(): Promise<readonly ToolDefinition[]>;
  /** Every rule is asked anew. Never throws but the reason of `signal`. @param args parsed, or JSON text */
  call(name: string, args: unknown, context: CallContext): Promise<ToolOutcome>;
  /** True for a tool that changes nothing, so that several may run at once. */
  readsOnly(name: string): boolean;
}
