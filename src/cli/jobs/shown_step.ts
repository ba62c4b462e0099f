/** A step of a run as `svc jobs logs` prints it: who said what, what was called, and what came of it. */
import type { z } from "zod";
import type { Page } from "svc/cli/page/page.ts";
import { tokensText } from "svc/core/cost.ts";
import type { Immutable } from "svc/core/immutable.ts";
import { duration, timeOfDay } from "svc/core/time.ts";
import { shortened } from "svc/core/shortened.ts";
import type { TraceStepPlace } from "svc/features/agent/trace_index.ts";
import type { FoundTrace } from "svc/runtime/views/job_trace.ts";
import { traceStep } from "svc/runtime/views/trace_steps.ts";

export const shownStepShape = (zod: typeof z) =>
  zod.strictObject({
    /** Its number, from 0. */
    step: zod.int(),
    kind: zod.string(),
    turn: zod.int().nullable(),
    at: zod.string(),
    title: zod.string(),
    texts: zod.array(zod.strictObject({ name: zod.string(), text: zod.string() })),
    calls: zod.array(zod.strictObject({
      tool: zod.string(),
      args: zod.string(),
      status: zod.string(),
      duration_ms: zod.int().nullable(),
      /** Null until it is answered. */
      result: zod.string().nullable(),
    })),
    tokens: zod.strictObject({ in: zod.int(), out: zod.int(), cached: zod.int() }).nullable(),
    duration_ms: zod.number().nullable(),
    notes: zod.array(zod.string()),
  });
export type ShownStep = Immutable<z.infer<ReturnType<typeof shownStepShape>>>;

/** Characters of one text, unless all is asked for. */
const TEXT_CHARS = 2_000;

export async function stepOf(
  trace: Pick<FoundTrace, "text">,
  nth: number,
  place: TraceStepPlace,
): Promise<ShownStep> {
  const results = place.results && await trace.text(place.results);
  const { texts, calls, notes, ...step } = traceStep(place.kind, await trace.text(place), results);
  return {
    ...step,
    ...{ step: nth, kind: place.kind, turn: place.turn ?? null, notes },
    texts: texts.map(({ name, text }) => ({ name, text })),
    calls: calls.map(({ tool, status, duration_ms, args, result }) => ({
      ...{ tool, status, duration_ms, args: args.text, result: result?.text ?? null },
    })),
  };
}

const indented = (text: string) =>
  text.trimEnd().split("\n").map((line) => `    ${line}`).join("\n");

/** @param whole nothing is cut */
export function showStep(page: Page, step: ShownStep, whole: boolean): void {
  const cut = (text: string) =>
    whole
      ? text
      : shortened(text, TEXT_CHARS, `\n… ${text.length - TEXT_CHARS} more characters: --full`);
  const { title, at, tokens, duration_ms, texts, calls, notes } = step;
  const facts = [
    ...at === "" ? [] : [timeOfDay(at)],
    ...tokens === null ? [] : [`${tokensText(tokens.in + tokens.out)} tokens`],
    ...duration_ms === null ? [] : [duration(duration_ms)],
  ];
  page.line(`${page.tone("strong", title)}${page.tone("dim", `  ${facts.join(" · ")}`)}`);
  for (const { name, text } of texts) {
    page.line(page.tone("dim", `  ${name}:`));
    page.text(indented(cut(text)));
  }
  for (const { tool, args, status, duration_ms: took, result } of calls) {
    const bad = status !== "ok" && status !== "not answered";
    const time = took === null ? "" : ` (${duration(took)})`;
    page.line(
      `  ${page.tone(bad ? "warn" : "good", `${tool} ${status}`)}${page.tone("dim", time)}`,
    );
    if (args !== "") page.text(indented(cut(args)));
    if (result !== null && result !== "") {
      page.line(page.tone("dim", "  output:"));
      page.text(indented(cut(result)));
    }
  }
  for (const note of notes) page.line(page.tone("warn", `  ${note}`));
}
