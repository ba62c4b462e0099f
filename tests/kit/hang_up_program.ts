/** Hangs up on itself and says whether `onInterrupt` took that as a wish to stop, for a test of nohup(1). */
import { onInterrupt } from "svc/platform/process/interrupt.ts";

const interrupt = onInterrupt(600_000);
// The later signals come after the first was heard, whatever order they are told in.
Deno.addSignalListener("SIGUSR1", () => Deno.kill(Deno.pid, "SIGUSR2"));
Deno.addSignalListener("SIGUSR2", () => {
  console.log(interrupt.signal.aborted ? "stops" : "goes on");
  Deno.exit(0);
});
Deno.kill(Deno.pid, "SIGHUP");
Deno.kill(Deno.pid, "SIGUSR1");
setInterval(() => {}, 1000);
