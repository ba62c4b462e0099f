/** Tells watchers of a job what happens, without secrets that only the job knows, such as its model's key. */
import type { Redact } from "svc/core/redact.ts";
import { redactedStream } from "svc/core/redact_stream.ts";
import type { Watch } from "./job_plan.ts";

/** A model's text is passed on line by line; disposing passes on the last line. */
export function redactedWatch<W extends Watch>(watch: W, redact: Redact): W & Disposable {
  const { onText, onTurn, onDoing } = watch;
  const said = redactedStream(redact, (text) => onText?.(text));
  return {
    ...watch,
    ...(onText && { onText: (delta: string) => said.push(delta) }),
    ...(onTurn && {
      onTurn(turn) {
        said.end();
        const calls = turn.calls.map(({ name, args }) => ({
          name: redact(name),
          args: redact(args),
        }));
        // A tool's answer is redacted already, but its name comes from the model.
        const outcomes = turn.outcomes.map((one) => ({ ...one, tool: redact(one.tool) }));
        onTurn({ ...turn, text: redact(turn.text), calls, outcomes });
      },
    }),
    ...(onDoing && {
      onDoing(doing) {
        if (doing.kind === "asks") said.end();
        onDoing(doing.kind === "calls" ? { ...doing, tool: redact(doing.tool) } : doing);
      },
    }),
    [Symbol.dispose]: () => said.end(),
  };
}
