/** Which ports of this machine are free. */

/** The first free one of a range on 127.0.0.1; it may be taken before it is used. */
export function freePort(from: number, to: number): number | undefined {
  for (let port = from; port <= to; port++) {
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.AddrInUse)) throw thrown;
    }
  }
}
