/** The steps of a job's run as its page is sent them: the prompt, the turns of `jobPage`, and the end. */
import type { JobTrace, StepItem } from "svc/runtime/views/job_trace_view.ts";
import type { JobPage } from "svc/runtime/views/job_view.ts";
import { before } from "tests/kit/browser_facts.ts";
import { jobPage } from "tests/kit/browser_pages.ts";

const whole = (part: string, name: string, text: string) => ({
  ...{ part, name, text, chars: text.length },
});

export function step(now: number, given: Partial<StepItem> = {}): StepItem {
  return {
    ...{ step: 0, kind: "note", turn: null, at: before(now, 16), title: "A step", texts: [] },
    ...{ calls: [], tokens: null, duration_ms: null, notes: [] },
    ...given,
  };
}

function turnStep(now: number, nth: number, turn: JobPage["turns"][number]): StepItem {
  const reasoning = nth === 1
    ? [whole("reasoning", "reasoning", "First the place where uploads are sent, then its callers.")]
    : [];
  return step(now, {
    ...{ step: nth, kind: "reply", turn: turn.turn, at: turn.at, title: `Turn ${turn.turn}` },
    texts: [...reasoning, whole("text", "model", turn.text)],
    calls: turn.calls.map(({ tool, args, status, result }, at) => ({
      ...{ tool, status, brief: args.replaceAll(/[{}"]/g, ""), duration_ms: 40 + at * 900 },
      args: whole(`args.${at}`, "arguments", args.replaceAll(/[{}"]/g, "")),
      result: whole(`result.${at}`, "output", result),
    })),
    tokens: { in: turn.tokens - 300, out: 300, cached: turn.tokens >> 1 },
    duration_ms: 9_400,
  });
}

export function jobSteps(now: number): StepItem[] {
  const { turns } = jobPage(now);
  const system = "You are the engineer of harbor.\n\n## Rules\n- Change as little as you can.";
  return [
    step(now, {
      ...{ kind: "started", title: "The prompt" },
      texts: [
        whole("message.0", "system", system),
        whole("message.1", "user", "T-0042: Retry uploads that the harbour gate turned away"),
        whole("tools", "tools offered", "grep, file_read, file_edit, check_run, finish"),
      ],
    }),
    ...turns.map((turn, nth) => turnStep(now, nth + 1, turn)),
    step(now, {
      ...{ step: turns.length + 1, kind: "ended", at: before(now, 4) },
      title: "Ended as submitted after 18 turns",
      texts: [whole("evidence", "evidence", "All 214 tests pass; the retry is bounded to three")],
    }),
  ];
}

/** As the service answers it. */
export function jobTrace(
  all: readonly StepItem[],
  { from = "0", live = false, missing = [] as string[] } = {},
): JobTrace {
  const steps = all.slice(Number(from), Number(from) + 40);
  return { steps, total: all.length, bytes: 4_096, live, missing };
}
