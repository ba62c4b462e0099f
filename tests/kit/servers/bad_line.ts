/** A line that fails: passes connections on to a server, cuts some off and lets others fall silent. */

export interface LineFault {
  /** The server of this connection, instead of the usual one. */
  readonly to?: number;
  /** Bytes of the answer that come through before it is cut off. */
  readonly cutAfter?: number;
  /** Bytes of the answer that come through before nothing comes any more. */
  readonly silentAfter?: number;
}

export interface BadLine extends AsyncDisposable {
  readonly port: number;
  readonly origin: string;
  readonly connections: number;
}

async function passOn(
  from: Deno.TcpConn,
  to: Deno.TcpConn,
  { cutAfter = Infinity, silentAfter = Infinity }: LineFault,
  closed: Promise<void>,
): Promise<void> {
  let left = Math.min(cutAfter, silentAfter);
  for await (const chunk of from.readable.values({ preventCancel: true })) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    const writer = to.writable.getWriter();
    await writer.write(part);
    writer.releaseLock();
    if (left > 0) continue;
    if (silentAfter < cutAfter) await closed;
    return;
  }
}

/** The first connection takes the first fault; after the last one all is well. */
export function badLine(port: number, faults: readonly LineFault[]): BadLine {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const running = new Set<Promise<void>>();
  let connections = 0;
  const serve = async (near: Deno.TcpConn, fault: LineFault) => {
    const far = await Deno.connect({ hostname: "127.0.0.1", port: fault.to ?? port });
    const ways = [
      passOn(near, far, {}, closed),
      passOn(far, near, fault, closed),
    ];
    await Promise.race([...ways, closed]).catch(() => {});
    for (const end of [near, far]) {
      try {
        end.close();
      } catch {
        // It was closed from the other side.
      }
    }
    await Promise.allSettled(ways);
  };
  const accepting = (async () => {
    for await (const near of listener) {
      const work = serve(near, faults[connections++] ?? {}).catch(() => {});
      running.add(work);
      work.then(() => running.delete(work));
    }
  })();
  const { port: own } = listener.addr as Deno.NetAddr;
  return {
    port: own,
    origin: `http://127.0.0.1:${own}`,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      close();
      listener.close();
      await accepting;
      await Promise.all(running);
    },
  };
}
