/** Sends a signal to a child that may have ended meanwhile, for which `Deno.ChildProcess.kill` throws. */
export function signalled(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (thrown) {
    if (!(thrown instanceof TypeError && /already terminated/.test(thrown.message))) throw thrown;
  }
}
