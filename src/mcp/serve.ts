/** Serves one client over standard input and output until it leaves or svc is stopped. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { App } from "svc/app.ts";
import { within } from "svc/platform/clock.ts";
import type { Log } from "svc/platform/log.ts";
import { mcpServer, type OpenTools, type ServerPlan } from "./server.ts";
import { stdioWire } from "./stdio_wire.ts";

/** Ms for commands to end by TERM once the client has gone; then they are killed. */
const MCP_TERM_MS = 500;

const MCP_LOGGED_FAULTS = 20;

interface SessionTools extends OpenTools, AsyncDisposable {
  endAll(): Promise<void>;
}

interface ServePlan {
  readonly instructions: string;
  /** Called once, on first need; the result is disposed at the end. */
  open(): Promise<SessionTools>;
  readonly note: Log["write"];
}

interface ServeCounts {
  readonly calls: number;
  readonly faults: number;
}

/** @throws whatever `open` threw */
export async function serveMcp(
  { input, output, clock, signal }: Pick<App, "clock" | "input" | "output" | "signal">,
  { instructions, open, note }: ServePlan,
): Promise<ServeCounts> {
  const counts = { calls: 0, faults: 0 };
  const over = new AbortController();
  const { promise: broken, resolve: breakOff } = Promise.withResolvers<void>();
  let opened: Promise<SessionTools> | undefined;
  const tools = () => {
    opened ??= open();
    opened.catch(() => breakOff());
    return opened;
  };

  const wire = stdioWire({
    input: input(),
    output: output(),
    clock,
    signal,
    fault(why) {
      counts.faults++;
      if (counts.faults <= MCP_LOGGED_FAULTS) note("warn", "Faulty line", { why });
    },
  });
  const running = new Set<Promise<unknown>>();
  const plan: ServerPlan = {
    instructions,
    tools,
    signal: over.signal,
    started(call) {
      const ended: Promise<unknown> = call.catch(() => {}).finally(() => running.delete(ended));
      running.add(ended);
    },
    called({ tool, status, durationMs, deniedBy }) {
      counts.calls++;
      const fields = { tool, status, ms: Math.round(durationMs) };
      note("info", "Called", deniedBy === undefined ? fields : { ...fields, deniedBy });
    },
  };
  const handle = serveStdio(() => mcpServer(plan), {
    transport: wire,
    onerror: (cause) => note("warn", "Protocol fault", { cause: cause.message }),
  });
  await Promise.race([wire.ended, broken]);
  await wire.answered();
  over.abort();
  await handle.close();
  const ended = Promise.all(running);
  // Nobody waits for answers any more, but a client that is ending waits for this process.
  if (!await within(clock, MCP_TERM_MS, ended)) await (await opened)?.endAll();
  await ended;
  note("info", "Ended", counts);
  await (await opened)?.[Symbol.asyncDispose]();
  return counts;
}
