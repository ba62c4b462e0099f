/** A `fetch` for a vendor's package: of what the package asks for, only URL and body reach the wire. */
import {
  exchange,
  type ExchangeLimits,
  type ExchangePorts,
  type ExchangeResponse,
} from "svc/features/models/client/exchange.ts";
import type { ModelTarget } from "svc/features/models/client/faults.ts";
import { eventsOf } from "svc/features/models/client/sse_guard.ts";

interface SdkFetch extends AsyncDisposable {
  readonly fetch: typeof fetch;
  /** What ended the exchange; packages wrap it, or take it for a timeout by a word in it. */
  fault(): unknown;
  /** Call it after the last event, so that the next request can reuse the connection. */
  drain(): Promise<void>;
}

/** For one request. Headers, signal and timeouts are svc's own: a package adds telemetry and variables of the environment. */
export function sdkFetch({ ports, target, key, limits, signal }: {
  readonly ports: ExchangePorts;
  readonly target: ModelTarget;
  readonly key: string | undefined;
  readonly limits: ExchangeLimits;
  readonly signal: AbortSignal;
}): SdkFetch {
  let answer: ExchangeResponse | undefined;
  let fault: unknown;
  const noted = (thrown: unknown) => fault ??= thrown;

  async function open(url: string, body: string): Promise<Response> {
    const asked = { target, key, url, accept: "text/event-stream", body };
    answer = await exchange(ports, asked, limits, signal);
    const events = await eventsOf(answer, target, limits.lineBytes);
    async function* bytes() {
      try {
        yield* events.body;
      } catch (thrown) {
        throw noted(thrown);
      }
    }
    return new Response(ReadableStream.from(bytes()), {
      headers: { "content-type": "text/event-stream" },
    });
  }

  return {
    fetch: (url, init) =>
      open(String(url), String(init?.body)).catch((thrown: unknown) => {
        throw noted(thrown);
      }),
    fault: () => fault,
    drain: () => answer?.drain() ?? Promise.resolve(),
    async [Symbol.asyncDispose]() {
      await answer?.[Symbol.asyncDispose]();
    },
  };
}
