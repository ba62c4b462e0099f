/** The one way to call a tool: policy first, then the tool, then its output redacted and bounded. */
import { Failure } from "svc/core/failure.ts";
import { didYouMean } from "svc/core/nearest.ts";
import type { Capability, Profile } from "svc/core/permission.ts";
import { quoted } from "svc/core/repo_path.ts";
import { sha256 } from "svc/core/digest.ts";
import { offeredToolName } from "svc/core/tool_names.ts";
import type { NewDenial } from "svc/features/trust/denial_store.ts";
import type {
  PolicyPart,
  PolicyQuestion,
  PolicyVerdict,
} from "svc/features/trust/policy_question.ts";
import type { Log } from "svc/platform/log.ts";
import { exampleOf } from "svc/features/tools/args/examples.ts";
import {
  artefactsIn,
  type BoundedOutput,
  boundOutput,
  type KeepArtefact,
  type OutputBound,
} from "./bound_output.ts";
import { definitionOf } from "./definitions.ts";
import { plainText } from "svc/core/plain_text.ts";
import { guidanceFor } from "./folder_guidance.ts";
import { type CallReading, readCall, type ReadingSession } from "./read_call.ts";
import type { ParsedArgs } from "./tool_args.ts";
import type {
  AnyTool,
  CallContext,
  CallReadingPlan,
  GuardedEffects,
  OutcomeStatus,
  Refusal,
  ToolAnswer,
  Toolbox,
  ToolDefinition,
  ToolOutcome,
  ToolSession,
} from "./tool.ts";

/** May change during a session. */
type CurrentPolicy = Pick<
  PolicyQuestion,
  "guardrails" | "roleTools" | "roleTrust" | "sourceTrust"
>;

interface SessionPolicy {
  readonly profile: Profile;
  now(): Promise<CurrentPolicy>;
}

export type ToolDenial = Omit<NewDenial, "repoId">;

export interface ToolboxPlan {
  readonly tools: readonly AnyTool[];
  readonly session: ToolSession;
  readonly policy: SessionPolicy;
  decide(question: PolicyQuestion): PolicyVerdict;
  recordDenial(denial: ToolDenial): Promise<void>;
  readonly output: OutputBound;
  /** Gets the causes of unexpected failures, which nobody else sees. */
  readonly log: Pick<Log, "write">;
}

interface CallAnswer extends ToolAnswer {
  readonly status: OutcomeStatus;
  /** Earlier repairs; they are in the facts, however the call ended. */
  readonly repairs?: readonly string[];
  readonly deniedBy?: PolicyPart;
  /** Stands behind the text, however long that is. */
  readonly guidance?: string | undefined;
}

export function toolbox(plan: ToolboxPlan): Toolbox {
  const byName = new Map(plan.tools.map((tool) => [tool.name, tool]));
  const finished = finisher(plan, artefactsIn(plan.session.artefacts));
  let offered: readonly ToolDefinition[] = [];
  return {
    async offered() {
      const standing = await plan.policy.now();
      const now = plan.tools
        .filter((tool) => plan.decide(question(plan, standing, tool)).allowed)
        .map(definitionOf);
      const same = now.length === offered.length && now.every((one, at) => one === offered[at]);
      return same ? offered : offered = now;
    },
    async read(name, args, how) {
      const reading = await readCall(byName, readBy(plan.session, how), name, args);
      if (reading.tool === undefined || !reading.parsed.ok) {
        return { name: offeredToolName(name, byName) ?? name, args, repairs: [] };
      }
      const { tool, parsed, repairs } = reading;
      return {
        name: tool.name,
        args: repairs.length > 0 ? JSON.stringify(parsed.given) : args,
        repairs,
      };
    },
    async call(name, args, context) {
      context.signal.throwIfAborted();
      const started = plan.session.tree.clock.monotonic();
      let called = name;
      let repairs = context.repairs ?? [];
      const result = await attempt(plan, name, context, async () => {
        const reading = await readCall(byName, readBy(plan.session, context), name, args);
        if (reading.tool === undefined) return await unknown(plan, name, reading);
        called = reading.tool.name;
        repairs = [...repairs, ...reading.repairs];
        return await ask(plan, reading, context);
      });
      return await finished(called, started, { ...result, repairs });
    },
    readsOnly: (written) =>
      byName.get(offeredToolName(written, byName) ?? "")?.capability === "read",
  };
}

function question(
  { policy, session }: ToolboxPlan,
  standing: CurrentPolicy,
  tool: AnyTool,
  more: Capability | undefined = undefined,
  touches: GuardedEffects = {},
): PolicyQuestion {
  return {
    ...standing,
    profile: policy.profile,
    role: session.role,
    repo: session.repo.root,
    tool: tool.grantedWith ?? tool.name,
    capabilities: more === undefined ? [tool.capability] : [tool.capability, more],
    writes: touches.writes ?? [],
    argv: touches.argv ?? [],
  };
}

function readBy({ tree, jsonMender }: ToolSession, { cut }: CallReadingPlan = {}): ReadingSession {
  return { tree, jsonMender: cut ? undefined : jsonMender };
}

async function unknown(
  plan: ToolboxPlan,
  name: string,
  { like, hint }: Extract<CallReading, { readonly tool: undefined }>,
): Promise<CallAnswer> {
  const standing = await plan.policy.now();
  const allowed = plan.tools.filter((tool) => plan.decide(question(plan, standing, tool)).allowed);
  const names = allowed.map((tool) => tool.name);
  const text = [
    `There is no tool ${quoted(name)}.`,
    ...(hint === undefined ? [didYouMean(name.slice(0, 100), names)] : []),
    ...(like !== undefined && allowed.includes(like) ? [insteadLine(like, hint)] : []),
    ...(like === undefined && hint !== undefined ? [hint] : []),
    `The tools are: ${names.join(", ")}.`,
  ];
  return { status: "unknown", ok: false, text: text.filter((part) => part !== "").join(" ") };
}

/** Such as `Call file_edit {"path": …} instead: make one call for each place.` */
function insteadLine(like: AnyTool, hint = ""): string {
  const call = `Call ${like.name} ${exampleOf(like) ?? "{}"} instead`;
  return hint === "" ? `${call}.` : `${call}: ${hint}.`;
}

async function ask(
  plan: ToolboxPlan,
  { tool, parsed, instead }: Extract<CallReading, { readonly tool: AnyTool }>,
  context: CallContext,
): Promise<CallAnswer> {
  const refusal = await refused(plan, tool, parsed);
  if (refusal !== undefined) return refusal;
  if (!parsed.ok) {
    const told = instead === undefined ? "" : `There is no tool ${quoted(instead)}. `;
    return { status: "invalid", ok: false, text: told + parsed.fault };
  }
  const answer = await tool.run(plan.session, parsed.args, {
    signal: context.signal,
    last: context.last === true,
    progress: (text) => context.progress?.(shownText(plan, text)),
  });
  if (answer.denied === undefined) {
    const file = answer.ok ? tool.file?.(parsed.args) : undefined;
    const guidance = file === undefined ? undefined : await guidanceFor(plan.session, file);
    return { ...answer, status: answer.ok ? "ok" : "failed", guidance };
  }
  const denied = await recorded(plan, tool, answer.denied);
  return { ...answer, ...denied, text: `${denied.text}\n${answer.text}` };
}

/** A line behind the text, however long that is. Other repairs need no word: the model reads its call as it should have been. */
function calledInstead(plan: ToolboxPlan, repairs: readonly string[]): string[] {
  const called = repairs.find((one) => one.startsWith("tool:"));
  const [, theirs, ours] = /^tool:(.*)=(\w+)$/.exec(called ?? "") ?? [];
  if (theirs === undefined) return [];
  return [shownText(plan, `[There is no tool ${quoted(theirs)}: ${ours} was called]`)];
}

/** Also for wrong arguments: whoever may not call a tool is not taught how to. */
async function refused(
  plan: ToolboxPlan,
  tool: AnyTool,
  parsed: ParsedArgs,
): Promise<CallAnswer | undefined> {
  const more = parsed.ok ? tool.needs?.(parsed.args) : undefined;
  const touches = (parsed.ok ? tool.touches?.(parsed.args) : undefined) ?? {};
  const verdict = plan.decide(question(plan, await plan.policy.now(), tool, more, touches));
  return verdict.allowed ? undefined : await recorded(plan, tool, verdict);
}

async function recorded(
  plan: ToolboxPlan,
  tool: AnyTool,
  { by, reason, remedy }: Refusal,
): Promise<CallAnswer> {
  const { session } = plan;
  const denial = { tool: tool.name, role: session.role, job: session.job, by };
  try {
    const at = session.tree.clock.now();
    await plan.recordDenial({ ...denial, reason: shownText(plan, reason), at });
  } catch (cause) {
    plan.log.write("error", "Cannot record a denied tool call", { ...denial, cause });
  }
  return { status: "denied", ok: false, text: denialText({ reason, remedy }), deniedBy: by };
}

/** As a model reads it. */
export function denialText({ reason, remedy }: Pick<Refusal, "reason" | "remedy">): string {
  return [
    `Denied: ${reason}`,
    `What would change it: ${remedy}`,
    "This is a decision, not an error: do not look for a way around it. Go on without it, or " +
    "finish and say what you needed.",
  ].join("\n");
}

async function attempt(
  plan: ToolboxPlan,
  name: string,
  { signal }: CallContext,
  work: () => Promise<CallAnswer>,
): Promise<CallAnswer> {
  try {
    return await work();
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    const failure = Failure.from(thrown);
    if (failure.code === "internal") {
      plan.log.write("error", `Tool ${quoted(name)} failed`, { cause: failure });
      const text = `The tool failed unexpectedly; this is a fault of the tool, not of your call. ` +
        `Try another way, or report it when you finish.`;
      return { status: "failed", ok: false, text };
    }
    return {
      status: "failed",
      ok: false,
      text: `${failure.message}\n${failure.remedy}`,
      facts: { code: failure.code },
    };
  }
}

function shownText({ session }: ToolboxPlan, text: string): string {
  return session.redact(plainText(text));
}

/** The only way out for a tool's text. */
function finisher(plan: ToolboxPlan, keepArtefact: KeepArtefact) {
  return async (name: string, started: number, result: CallAnswer): Promise<ToolOutcome> => {
    const { status, keep = "head", facts = {}, deniedBy, repairs = [], guidance } = result;
    const whole = shownText(plan, result.text);
    const bounded = boundOutput(whole, keep, plan.output);
    const artefact = bounded.cut && await kept(plan, keepArtefact, name, whole);
    const text = bounded.cut === undefined ? [whole] : [
      bounded.text,
      `[cut: ${whereRest(bounded.cut, artefact, result.partOf)}]`,
      `[${result.readOn?.(bounded.cut.headLines) ?? "Ask for less at a time to see the rest"}]`,
    ];
    return {
      tool: name.slice(0, 100),
      status,
      text: [
        ...text,
        ...(status === "invalid" ? [] : calledInstead(plan, repairs)),
        ...(guidance === undefined ? [] : [shownText(plan, guidance)]),
      ].join("\n"),
      ...(artefact !== undefined && { artefact }),
      facts: repairs.length === 0
        ? facts
        : { ...facts, repairs: repairs.map((one) => shownText(plan, one)) },
      hash: await sha256(new TextEncoder().encode(`${status}\n${whole}`)),
      durationMs: plan.session.tree.clock.monotonic() - started,
      ...(deniedBy !== undefined && { deniedBy }),
    };
  };
}

/** Not all of `partOf` bytes were kept. */
function whereRest(
  { totalLines, totalBytes }: NonNullable<BoundedOutput["cut"]>,
  artefact: string | undefined,
  partOf: number | undefined,
): string {
  const size = `${totalLines} lines, ${totalBytes} bytes`;
  if (artefact === undefined) return `${size} in all; the whole could not be kept`;
  return partOf === undefined
    ? `${size} in all; the whole is in ${artefact}`
    : `${size}; what was kept of ${partOf} bytes is in ${artefact}`;
}

/** A full disk must not lose the part that fits. */
async function kept(
  plan: ToolboxPlan,
  keepArtefact: KeepArtefact,
  tool: string,
  text: string,
): Promise<string | undefined> {
  try {
    return await keepArtefact(tool, text);
  } catch (cause) {
    plan.log.write("warn", "Cannot keep the whole output of a tool", { tool, cause });
    return undefined;
  }
}
