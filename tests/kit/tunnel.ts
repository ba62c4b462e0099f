/** A proxy as companies have it, which tunnels to one port of this machine. */

/** A proxy that only tunnels (RFC 9110, section 9.3.6); all names lead to `port`. */
export function tunnel(port: number) {
  const asked: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async (near: Deno.TcpConn) => {
    const head = new Uint8Array(4096);
    const count = await near.read(head) ?? 0;
    asked.push(new TextDecoder().decode(head.subarray(0, count)).split("\r\n", 1)[0]!);
    const far = await Deno.connect({ hostname: "127.0.0.1", port });
    await near.write(new TextEncoder().encode("HTTP/1.1 200 Connection established\r\n\r\n"));
    await Promise.allSettled([
      near.readable.pipeTo(far.writable),
      far.readable.pipeTo(near.writable),
    ]);
  };
  const accepting = (async () => {
    const running = [];
    for await (const near of listener) running.push(serve(near));
    await Promise.all(running);
  })();
  return {
    asked,
    url: `http://127.0.0.1:${listener.addr.port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
    },
  };
}
