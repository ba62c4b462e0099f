/** A `fetch` for the SDK's streamable HTTP transport: one address, no redirects, bounded answers. */
import { isJSONRPCRequest } from "@modelcontextprotocol/client";
import { boundedText } from "svc/core/bounded_text.ts";
import { oneLine } from "svc/core/plain_text.ts";

/** Bytes of one answer of a server, its notifications included; more is a flood. */
export const MCP_ANSWER_BYTES = 8 * 1024 * 1024;

/** Bytes of a refusal; a longer one is a page for people. */
const SAID_BYTES = 2_000;

interface HttpPlan {
  readonly fetch: typeof fetch;
  /** The address of the config. */
  readonly url: string;
  readonly key: string | undefined;
  /** Called when the session is of no more use, with the reason. */
  broken(why: string): void;
  /** Called before that where the server has ended the session, and so done nothing of a request. */
  forgotten?(): void;
  /** Ends every request. */
  readonly signal: AbortSignal;
}

/** Headers of the protocol (modelcontextprotocol.io, "Streamable HTTP"); the SDK sends no others that svc needs. */
const HEADERS = [
  "accept",
  "content-type",
  "last-event-id",
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
  grown: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, sink) {
        try {
          grown(chunk.length);
          sink.enqueue(chunk);
        } catch (flood) {
          sink.error(flood);
        }
      },
    }),
    { signal },
  );
}

/** What a server says to a refusal, where it is short. */
async function saidIn(response: Response, signal: AbortSignal): Promise<string> {
  const text = await boundedText(response, SAID_BYTES, signal).catch(() => undefined);
  const said = oneLine(text ?? "");
  return said === "" || said.startsWith("<") ? "" : `. It said: ${said}`;
}

/**
 * Whether a server tells in words that it knows a session no more, as those do instead of by 404 that have the SDK of
 * TypeScript (typescript-sdk#1678, such as npm @modelcontextprotocol/server-everything), Python (python-sdk#1808) or Rust
 * (rust-sdk#689), or npm mcp-proxy (punkpeye/mcp-proxy#108).
 */
const tellsOfSession = (status: number, said: string) =>
  (status === 400 || status === 401) && /session/i.test(said);

function refusal(status: number, said: string): string {
  switch (status) {
    case 400:
      return `it refuses the request (400)${said}`;
    case 401:
      return `it wants another key or a login (401); key_env names a key's variable${said}`;
    case 403:
      return `it does not let svc in (403); key_env names a key's variable${said}`;
  }
  const bridge = "a server of HTTP+SSE alone needs a command such as npx mcp-remote <address>";
  return `it takes no streamable HTTP at this address (${status}); ${bridge}${said}`;
}

/** Whether svc asks for something by it; what it answers to a server's own requests is sent the same way. */
function isRequest({ method = "POST", body }: RequestInit): boolean {
  return method === "POST" && typeof body === "string" && isJSONRPCRequest(JSON.parse(body));
}

export function httpFetch({ fetch, url, key, broken, forgotten, signal }: HttpPlan) {
  let bytes = 0;
  const grown = (more: number) => {
    bytes += more;
    if (bytes <= MCP_ANSWER_BYTES) return;
    const why = `its answer is longer than ${MCP_ANSWER_BYTES} bytes`;
    broken(why);
    throw new Error(why);
  };
  return async (asked: string | URL, init: RequestInit = {}): Promise<Response> => {
    // Also what the SDK would look for elsewhere, such as metadata of OAuth.
    if (String(asked) !== new URL(url).href) {
      throw new Error("it asks for another address than the config's");
    }
    const sent = headersOf(init.headers, key);
    // A stream that no request opened would only bring notifications, which svc has no use for; servers may refuse it as well.
    if (init.method === "GET" && !sent.has("last-event-id")) {
      return new Response(null, { status: 405 });
    }
    // Streams that go on with an answer count to it, also behind what svc answers the server meanwhile.
    const ours = isRequest(init);
    if (ours) bytes = 0;
    const either = init.signal ? AbortSignal.any([signal, init.signal]) : signal;
    const response = await fetch(url, {
      method: init.method ?? "POST",
      headers: sent,
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
    if (status === 401 || status === 403 || (ours && [400, 404, 405].includes(status))) {
      const said = await saidIn(response, either);
      const inSession = ours && sent.has("mcp-session-id");
      // "Session Management".
      if (inSession && (status === 404 || tellsOfSession(status, said))) {
        forgotten?.();
        broken(`it knows this session no more (${status})`);
      }
      throw new Error(refusal(status, said));
    }
    if (status === 404) broken("it knows this session no more (404)");
    if (response.body === null) return response;
    return new Response(bounded(response.body, either, grown), { status, statusText, headers });
  };
}
