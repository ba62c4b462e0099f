/** A program that shows the live terminal of a service without work, drawn by a confined Worker (terminal_worker.ts). */
import { INTERRUPT_GRACE_MS } from "svc/cli/execute.ts";
import { Failure } from "svc/core/failure.ts";
import { runInWorker } from "svc/platform/confined/confine.ts";
import { permissionsFor, startWorker } from "svc/platform/confined/start_worker.ts";
import { denoEnv } from "svc/platform/entrance.ts";
import { homeOf } from "svc/platform/home.ts";
import { onInterrupt } from "svc/platform/process/interrupt.ts";
import { OFFERED_TERMINAL, restoreTerminal } from "svc/platform/terminal.ts";

const [how = ""] = Deno.args;
const interrupt = onInterrupt(INTERRUPT_GRACE_MS, { hurryMs: 500, leave: restoreTerminal });
Deno.stdout.writeSync(new TextEncoder().encode(`pid ${Deno.pid}\n`));

async function show(): Promise<number> {
  using _terminal = { [Symbol.dispose]: restoreTerminal };
  const programRoot = new URL("../..", import.meta.url).pathname;
  const grants = { hosts: [], home: homeOf(denoEnv), programRoot };
  using idle = startWorker({
    module: new URL("terminal_worker.ts", import.meta.url).href,
    permissions: permissionsFor(grants),
  });
  return await runInWorker(idle, {
    grants,
    message: { how },
    offered: { terminal: OFFERED_TERMINAL },
    signal: interrupt.signal,
    hurry: interrupt.hurry,
    overdue: interrupt.overdue,
  });
}

let said: string;
try {
  said = `ended with ${await show()}`;
} catch (thrown) {
  said = `failed: ${Failure.from(thrown).message}`;
} finally {
  interrupt.close();
}
Deno.stdout.writeSync(new TextEncoder().encode(`${said}\n`));
Deno.exit(0);
