/** A `fetch` for the SDK's streamable HTTP transport: one address, no redirects, bounded answers. */

/** Bytes of one answer of a server, its notifications included; more is a flood. */
export const MCP_ANSWER_BYTES = 8 * 1024 * 1024;

interface HttpPlan {
  readonly fetch: typeof fetch;
  /** The address of the config. */
  readonly url: string;
  readonly key: string | undefined;
  /** Called when the server has forgotten the session (404, "Session Management"). */
  forgotten(): void;
  /** Ends every request. */
  readonly signal: AbortSignal;
}

/** Headers of the protocol (modelcontextprotocol.io, "Streamable HTTP"); the SDK sends no others that svc needs. */
const HEADERS = [
  "accept",
  "content-type",
  "mcp-method",
  "mcp-name",
  "mcp-protocol-version",
  "mcp-session-id",
];

function headersOf(given: HeadersInit | undefined, key: string | undefined): Headers {
  const asked = new Headers(given);
  const sent = new Headers({ "user-agent": "svc" });
  for (const name of HEADERS) {
    const value = asked.get(name);
    if (value !== null) sent.set(name, value);
  }
  if (key !== undefined) sent.set("authorization", `Bearer ${key}`);
  return sent;
}

/** Looks at the signal itself, as `boundedText` does. */
function bounded(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let bytes = 0;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, sink) {
        bytes += chunk.length;
        if (bytes <= MCP_ANSWER_BYTES) sink.enqueue(chunk);
        else sink.error(new Error(`its answer is longer than ${MCP_ANSWER_BYTES} bytes`));
      },
    }),
    { signal },
  );
}

export function httpFetch({ fetch, url, key, forgotten, signal }: HttpPlan) {
  return async (asked: string | URL, init: RequestInit = {}): Promise<Response> => {
    // Also what the SDK would look for elsewhere, such as metadata of OAuth.
    if (String(asked) !== new URL(url).href) {
      throw new Error("it asks for another address than the config's");
    }
    // A stream that no request opened would only bring notifications, which svc has no use for; servers may refuse it as well.
    if (init.method === "GET") return new Response(null, { status: 405 });
    const either = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const response = await fetch(url, {
      method: init.method ?? "POST",
      headers: headersOf(init.headers, key),
      redirect: "manual",
      credentials: "omit",
      signal: either,
      ...(init.body && { body: init.body }),
    });
    const { status, headers, statusText } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new Error(`it redirects elsewhere (${status}); give the final address as url`);
    }
    if (status === 401 || status === 403) {
      await response.body?.cancel();
      throw new Error(
        `it wants another key or a login (${status}); key_env names a key's variable`,
      );
    }
    if (status === 404) forgotten();
    if (response.body === null) return response;
    return new Response(bounded(response.body, either), { status, statusText, headers });
  };
}
