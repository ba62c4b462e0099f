/** One step of a run: what was thought and said, each call with its arguments and output, and what is odd. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { StepItem } from "svc/runtime/views/job_trace_view.ts";
import type { JobRun } from "svc/dashboard/state/trace.ts";
import { amount, counted, span } from "svc/dashboard/state/words.ts";
import { Age, Chip } from "./facts.tsx";

type StepText = StepItem["texts"][number];

interface Place {
  readonly run: JobRun;
  readonly step: number;
}

function ReadOn({ of, run, step }: Place & { readonly of: StepText }) {
  const busy = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  const left = of.chars - (run.text(step, of.part)?.value ?? of.text).length;
  if (left <= 0) return null;
  const more = async () => {
    busy.value = true;
    fault.value = undefined;
    try {
      await run.readOn(step, of);
    } catch (thrown) {
      fault.value = (thrown as Error).message;
    }
    busy.value = false;
  };
  return (
    <p class="read-on">
      <button type="button" class="link" disabled={busy.value} onClick={() => void more()}>
        {busy.value ? "Loading…" : `Show more: ${amount(left)} characters are left`}
      </button>
      {fault.value !== undefined && <span class="bad-word" role="alert">{fault.value}</span>}
    </p>
  );
}

function Whole({ of, run, step, as }: Place & { readonly of: StepText; readonly as: "pre" | "p" }) {
  const text = run.text(step, of.part)?.value ?? of.text;
  return (
    <>
      {as === "p"
        ? <p class="said">{text}</p>
        : <pre tabIndex={0} aria-label={of.name}>{text === "" ? `(no ${of.name})` : text}</pre>}
      <ReadOn of={of} run={run} step={step} />
    </>
  );
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]!.slice(0, 200);
}

function Opening(
  { run, step, part, children }: Place & {
    readonly part: string;
    readonly children: ComponentChildren;
  },
) {
  const key = `${step} ${part}`;
  return (
    <details
      class="call"
      open={run.opened.has(key)}
      onToggle={(event) => {
        if (event.currentTarget.open) run.opened.add(key);
        else run.opened.delete(key);
      }}
    >
      {children}
    </details>
  );
}

function Folded({ of, run, step }: Place & { readonly of: StepText }) {
  return (
    <Opening run={run} step={step} part={of.part}>
      <summary>
        <span class="call-who">{of.name}</span>
        <span class="call-args">{firstLine(of.text)}</span>
        <span class="dim num">{amount(of.chars)}</span>
      </summary>
      <Whole of={of} run={run} step={step} as="pre" />
    </Opening>
  );
}

function Call({ of, run, step }: Place & { readonly of: StepItem["calls"][number] }) {
  const good = of.status === "ok" || of.status === "done";
  const waits = of.result === null && run.live.value;
  const secs = (of.duration_ms ?? 0) / 1000;
  return (
    <Opening run={run} step={step} part={of.args.part}>
      <summary>
        <span class="mono call-tool">{of.tool}</span>
        <span class="mono call-args">{of.brief}</span>
        {secs >= 1 && <span class="dim num">{span(secs)}</span>}
        <Chip tone={waits ? "working" : good ? "plain" : "failing"}>
          {waits ? "running" : of.status}
        </Chip>
      </summary>
      <Whole of={of.args} run={run} step={step} as="pre" />
      {of.result !== null && <Whole of={of.result} run={run} step={step} as="pre" />}
    </Opening>
  );
}

/** Said aloud by the model or to it; all else is folded. */
const OPEN = /^(?:text|said\.\d+|refused|evidence)$/;

function Head({ of }: { readonly of: StepItem }) {
  const { tokens, duration_ms: ms } = of;
  const cached = tokens !== null && tokens.cached > 0 ? ` (${amount(tokens.cached)} cached)` : "";
  return (
    <div class="step-head">
      <b>{of.title}</b>
      {tokens !== null && (
        <span class="dim">
          {amount(tokens.in)}
          {cached} in, {amount(tokens.out)} out
        </span>
      )}
      {ms !== null && ms >= 1_000 && <span class="dim">{span(ms / 1000)}</span>}
      {of.kind === "started" && (
        <span class="dim">{counted(of.texts.length, "part")}, as it was sent</span>
      )}
      <Age at={of.at} />
    </div>
  );
}

/** @param of undefined until its piece has come */
export function Step({ of, run }: { readonly of: StepItem | undefined; readonly run: JobRun }) {
  if (of === undefined) {
    return <div class="step-coming" aria-hidden="true" />;
  }
  const { step } = of;
  return (
    <>
      <Head of={of} />
      {of.texts.map((text) =>
        OPEN.test(text.part)
          ? (
            <div key={text.part} class={of.kind === "reply" && text.name === "svc" ? "by-svc" : ""}>
              <Whole of={text} run={run} step={step} as="p" />
            </div>
          )
          : <Folded key={text.part} of={text} run={run} step={step} />
      )}
      {of.calls.map((call, nth) => <Call key={nth} of={call} run={run} step={step} />)}
      {of.notes.map((note) => <p key={note} class="odd">{note}</p>)}
    </>
  );
}
