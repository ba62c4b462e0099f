/** What those who watch a job are told, without the secrets that only the job knows, such as its model's key. */
import type { Redact } from "svc/core/redact.ts";
import { redactedStream } from "svc/core/redact_stream.ts";
import type { Watch } from "./job_plan.ts";

/** What a model says comes line by line; disposing of it tells the last one. */
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
        // What a tool answers is redacted already; its name is the model's word.
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
