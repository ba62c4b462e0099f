/** `GET /api/job-trace` and `GET /api/job-trace-text`: the steps of a run, read from its trace in pieces. */
import { VIEW_CALL_CHARS, VIEW_TEXT_CHARS } from "svc/core/bounds.ts";
import { shortened } from "svc/core/shortened.ts";
import { STEP_KINDS, type TraceStepPlace } from "svc/features/agent/trace_index.ts";
import { type FoundTrace, foundTrace } from "./job_trace.ts";
import { dashboardRead, type ReadSources } from "./read.ts";
import { count, type ShapeOf, time, type Z } from "./shape.ts";
import { type StepText, type TraceStep, traceStep } from "./trace_steps.ts";

/** Steps in one answer, unless the request asks for fewer. */
export const TRACE_STEPS_A_PIECE = 40;
/**
 * An answer contains fewer than this many characters, and ends after this many bytes of the trace; but it has
 * at least one step.
 */
const PIECE_CHARS = 256 * 1024;
const PIECE_BYTES = 8 * 1024 * 1024;
const BRIEF_CHARS = 200;
/** Most characters in one answer to a request for a whole text. */
export const TRACE_TEXT_CHARS = 64 * 1024;

const textShape = (z: Z) =>
  z.strictObject({
    part: z.string(),
    name: z.string(),
    text: z.string(),
    /** Length of the whole text; `/api/job-trace-text` has what is left out here. */
    chars: count(z),
  });

export const stepShape = (z: Z) =>
  z.strictObject({
    /** Its number, from 0. */
    step: count(z),
    kind: z.enum(STEP_KINDS),
    turn: count(z).nullable(),
    at: time(z).nullable(),
    title: z.string(),
    texts: z.array(textShape(z)),
    calls: z.array(z.strictObject({
      tool: z.string(),
      brief: z.string(),
      status: z.string(),
      duration_ms: count(z).nullable(),
      args: textShape(z),
      result: textShape(z).nullable(),
    })),
    tokens: z.strictObject({ in: count(z), out: count(z), cached: count(z) }).nullable(),
    duration_ms: count(z).nullable(),
    notes: z.array(z.string()),
  });
export type StepItem = ShapeOf<typeof stepShape>;

const jobTraceShape = (z: Z) =>
  z.strictObject({
    steps: z.array(stepShape(z)),
    /** Counts the steps of the whole trace. */
    total: count(z),
    bytes: count(z),
    /** More may come. */
    live: z.boolean(),
    missing: z.array(z.string()),
  });
export type JobTrace = ShapeOf<typeof jobTraceShape>;

const wholeNumber = (text: string | undefined, otherwise: number): number | undefined =>
  text === undefined ? otherwise : /^\d{1,9}$/.test(text) ? Number(text) : undefined;

type Discreet = ReadSources["discreet"];

/** Secrets are removed from the whole text first, since half of one would not be recognised. */
function shownText({ part, name, text }: StepText, chars: number, discreet: Discreet) {
  const whole = discreet(text);
  return { part, name, text: shortened(whole, chars, ""), chars: whole.length };
}

function stepItem(
  nth: number,
  { kind, turn }: TraceStepPlace,
  { at, texts, calls, ...step }: TraceStep,
  discreet: Discreet,
): StepItem {
  return {
    ...{ step: nth, kind, turn: turn ?? null, ...step },
    at: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(at) ? at : null,
    texts: texts.map((text) => shownText(text, VIEW_TEXT_CHARS, discreet)),
    calls: calls.map(({ args, result, brief, ...call }) => ({
      ...call,
      brief: shortened(discreet(brief), BRIEF_CHARS, ""),
      args: shownText(args, VIEW_CALL_CHARS, discreet),
      result: result === undefined ? null : shownText(result, VIEW_CALL_CHARS, discreet),
    })),
  };
}

const charsOf = ({ texts, calls }: StepItem): number =>
  texts.reduce((sum, { text }) => sum + text.length, 0) +
  calls.reduce((sum, { args, result }) => sum + args.text.length + (result?.text.length ?? 0), 0);

async function stepAt(found: FoundTrace, place: TraceStepPlace): Promise<TraceStep> {
  const line = await found.text(place);
  return traceStep(place.kind, line, place.results && await found.text(place.results));
}

async function piece(
  found: FoundTrace,
  { from, most }: { readonly from: number; readonly most: number },
  discreet: Discreet,
): Promise<StepItem[]> {
  const steps: StepItem[] = [];
  let [chars, bytes] = [0, 0];
  for (let nth = from; nth < Math.min(found.steps.length, from + most); nth++) {
    const place = found.steps[nth]!;
    bytes += place.bytes + (place.results?.bytes ?? 0);
    if (steps.length > 0 && bytes > PIECE_BYTES) break;
    const item = stepItem(nth, place, await stepAt(found, place), discreet);
    chars += charsOf(item);
    if (steps.length > 0 && chars > PIECE_CHARS) break;
    steps.push(item);
  }
  return steps;
}

const NO_JOB = { status: 404, error: "no such job" } as const;

export const jobTraceRead = dashboardRead({
  name: "job-trace",
  about: "Steps of a job's run, oldest first: its prompt, turns with their calls, notes and end. " +
    `At most ${TRACE_STEPS_A_PIECE} an answer, fewer where they are long.`,
  query: {
    id: "needed",
    /** Number of the first step. */
    from: "optional",
    count: "optional",
  },
  shape: jobTraceShape,
  missing: NO_JOB,
  async read(sources, { id, from, count }): Promise<JobTrace | undefined> {
    const first = wholeNumber(from, 0);
    const asked = wholeNumber(count, TRACE_STEPS_A_PIECE);
    return await foundTrace(sources, id, async (found) => ({
      steps: first === undefined || asked === undefined ? [] : await piece(found, {
        ...{ from: first, most: Math.min(asked, TRACE_STEPS_A_PIECE) },
      }, sources.discreet),
      ...{ total: found.steps.length, bytes: found.bytes, live: found.live },
      missing: [...found.missing],
    }));
  },
});

const jobTraceTextShape = (z: Z) =>
  z.strictObject({
    text: z.string(),
    /** Where `text` begins in the whole. */
    from: count(z),
    chars: count(z),
  });
export type JobTraceText = ShapeOf<typeof jobTraceTextShape>;

const textsOf = ({ texts, calls }: TraceStep): readonly StepText[] => [
  ...texts,
  ...calls.flatMap(({ args, result }) => result === undefined ? [args] : [args, result]),
];

export const jobTraceTextRead = dashboardRead({
  name: "job-trace-text",
  about: `A piece of a text that \`/api/job-trace\` cut: ${TRACE_TEXT_CHARS} characters at most.`,
  query: {
    id: "needed",
    step: "needed",
    part: "needed",
    /** Characters before it. */
    from: "optional",
  },
  shape: jobTraceTextShape,
  missing: { status: 404, error: "no such text" },
  async read(sources, { id, step, part, from }): Promise<JobTraceText | undefined> {
    const first = wholeNumber(from, 0);
    return await foundTrace(sources, id, async (found) => {
      const place = found.steps[wholeNumber(step, 0) ?? -1];
      if (place === undefined || first === undefined) return undefined;
      const text = textsOf(await stepAt(found, place)).find((one) => one.part === part);
      if (text === undefined) return undefined;
      const whole = sources.discreet(text.text);
      return {
        text: shortened(whole.slice(first), TRACE_TEXT_CHARS, ""),
        ...{ from: first, chars: whole.length },
      };
    });
  },
});
