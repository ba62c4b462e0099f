/** A port on loopback for a program that wants its number before it starts. */

// Below what systems give to whoever asks for any port (ip(7), `ip_local_port_range`): whatever else runs
// meanwhile cannot be given it before the program takes it, or between its end and its next start.
const FIRST = 21_000;
const COUNT = 9_000;

export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AddrInUse)) throw thrown;
    }
  }
}
