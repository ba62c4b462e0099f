/**
 * A fetch that reaches this machine's own servers straight. Deno's own sends requests to loopback
 * addresses too through the proxy that HTTP_PROXY names, unless NO_PROXY lists them: prompts and
 * keys would leave the machine.
 */

export interface DirectFetch extends Disposable {
  readonly fetch: typeof fetch;
}

/** Keeps one client for each loopback address until it is disposed; other hosts get Deno's fetch. */
export function directFetch(): DirectFetch {
  const clients = new Map<string, Deno.HttpClient>();
  const clientFor = ({ hostname, host, port }: URL) => {
    const known = clients.get(host);
    if (known !== undefined) return known;
    const client = Deno.createHttpClient({
      proxy: {
        transport: "tcp",
        hostname,
        port: port === "" ? 80 : Number(port),
      },
    });
    clients.set(host, client);
    return client;
  };
  return {
    fetch(input, init) {
      const url = new URL(input instanceof Request ? input.url : input);
      const loopback = /^(?:127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
      if (!loopback || url.protocol !== "http:") return fetch(input, init);
      return fetch(input, { ...init, client: clientFor(url) });
    },
    [Symbol.dispose]() {
      for (const client of clients.values()) client.close();
      clients.clear();
    },
  };
}
