/** What a person sees while a role runs: a line a turn on stderr, or everything with --debug. */
import type { App } from "svc/app.ts";
import { duration } from "svc/core/time.ts";
import type { Turn } from "svc/features/agent/agent.ts";
import type { Watch } from "svc/runtime/run_job.ts";
import { toneText } from "./page.ts";
import { styledOn } from "./style.ts";

/** Lines of one tool's answer that --debug shows. */
const DEBUG_LINES = 20;

function tokens(count: number): string {
  return count < 10_000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}

export function watchRun(
  app: Pick<App, "env" | "progress" | "redact" | "stderr">,
  { debug, quiet }: { readonly debug: boolean; readonly quiet: boolean },
): Watch {
  const { stderr, progress, redact } = app;
  const styled = styledOn(stderr, app.env);
  const write = (text: string) => {
    progress.done();
    stderr.write(redact(text));
  };
  const tools = ({ calls, outcomes }: Turn) =>
    outcomes.map(({ status }, at) => {
      const tone = status === "ok" ? "good" : status === "denied" ? "warn" : "bad";
      return `${calls[at]?.name ?? "?"} ${toneText(styled, tone, status)}`;
    }).join(", ");
  const onTurn = (turn: Turn) => {
    const did = turn.outcomes.length === 0 ? "answered in words" : tools(turn);
    const used = `${tokens(turn.tokensIn + turn.tokensOut)} tokens, ${duration(turn.elapsedMs)}`;
    write(`turn ${turn.turn}: ${did} ${toneText(styled, "dim", `(${used})`)}\n`);
    if (!debug) return;
    for (const { tool, text } of turn.outcomes) {
      const lines = text.split("\n");
      const more = lines.length > DEBUG_LINES ? [`… ${lines.length - DEBUG_LINES} more lines`] : [];
      for (const line of [...lines.slice(0, DEBUG_LINES), ...more]) {
        write(`${toneText(styled, "dim", `${tool} |`)} ${line}\n`);
      }
    }
  };
  const onStep = (text: string) => debug ? write(`${text}\n`) : progress.update(text);
  if (quiet && !debug) return {};
  return { onTurn, onStep, ...(debug && { onText: write }) };
}
