/** The turns of a job: what the model said, and each call with its result. */
import type { JobPage } from "svc/runtime/views/job_view.ts";
import { amount } from "svc/dashboard/state/words.ts";
import { Age, Chip } from "./facts.tsx";

type Turn = JobPage["turns"][number];

function Call({ of }: { readonly of: Turn["calls"][number] }) {
  const good = of.status === "ok" || of.status === "done";
  return (
    <details class="call">
      <summary>
        <span class="mono call-tool">{of.tool}</span>
        <span class="mono call-args">{of.args}</span>
        <Chip tone={good ? "plain" : "failing"}>{of.status}</Chip>
      </summary>
      <pre tabIndex={0}>{of.args}</pre>
      <pre tabIndex={0}>{of.result === "" ? "(no output)" : of.result}</pre>
    </details>
  );
}

export function Turns({ of }: { readonly of: readonly Turn[] }) {
  return (
    <ol class="turns">
      {of.map(({ turn, at, text, tokens, calls }) => (
        <li key={turn} class="turn" data-item>
          <div class="turn-head">
            <b>{turn}</b>
            <span class="dim">{amount(tokens)} tokens</span>
            <Age at={at} />
          </div>
          {text !== "" && <p class="said">{text}</p>}
          {calls.map((call, nth) => <Call key={nth} of={call} />)}
        </li>
      ))}
    </ol>
  );
}
