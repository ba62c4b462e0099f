/** Listeners on literal loopback addresses; nothing else is ever bound (spec section 1, rule 5). */
import { type Address, addressText } from "svc/core/loopback.ts";
import { Failure } from "svc/core/failure.ts";
import { after } from "svc/platform/timers.ts";

export interface Listener {
  readonly address: Address;
  /** Answers new requests with 503, lets running ones end, and aborts them after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/** `connection` names the socket that a request came on; asked before the handler first waits. */
export type Handler = (
  request: Request,
  connection?: () => string,
) => Response | Promise<Response>;

/**
 * Deno (2.9.6) tells a request as completed before the end of its answer has left for the socket, by some rounds of its
 * loop. `shutdown()` waits for that, but also for a client that does not read, and cannot be cut short.
 */
const LAST_BYTES_MS = 50;

/** `address` comes from `loopbackAddress`. @throws Failure `conflict` for a taken port, `environment` */
export function listenLoopback(address: Address, handler: Handler): Listener {
  const cut = new AbortController();
  let running = 0;
  let stopping = false;
  const { promise: idle, resolve: becomeIdle } = Promise.withResolvers<void>();
  const over = () => {
    if (--running === 0 && stopping) becomeIdle();
  };
  const handle = (request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) => {
    if (stopping) return new Response(null, { status: 503, headers: { connection: "close" } });
    running++;
    info.completed.then(over, over); // a client that is gone is done as well
    return handler(request, () => {
      const { hostname, port } = info.remoteAddr;
      return `${hostname}:${port}`;
    });
  };
  try {
    const server = Deno.serve({
      hostname: address.host,
      port: address.port,
      signal: cut.signal,
      onListen() {}, // the default prints to stdout
    }, handle);
    return {
      address: { host: address.host, port: server.addr.port },
      async stop(graceMs) {
        stopping = true;
        // Not `server.shutdown()`, which waits for ever on an open event stream; aborting after it is an error.
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = after(graceMs, resolve);
        if (running > 0) await Promise.race([idle, promise]);
        timer.clear();
        await new Promise<void>((left) => after(LAST_BYTES_MS, left));
        cut.abort();
        await server.finished;
      },
    };
  } catch (thrown) {
    throw listenFailure(address, thrown);
  }
}

/** Binds the address and lets it go. @throws Failure as `listenLoopback` */
export function tryAddress({ host: hostname, port }: Address): void {
  try {
    Deno.listen({ hostname, port }).close();
  } catch (thrown) {
    throw listenFailure({ host: hostname, port }, thrown);
  }
}

function listenFailure(address: Address, cause: unknown): Failure {
  const text = addressText(address);
  if (cause instanceof Deno.errors.AddrInUse) {
    return new Failure("conflict", `Cannot listen on "${text}": the port is in use`, {
      cause,
      remedy: "Stop the program that uses it, or choose another port; port 0 picks a free one",
    });
  }
  return new Failure("environment", `Cannot listen on "${text}"`, {
    cause,
    remedy: "Choose a port above 1023",
  });
}
