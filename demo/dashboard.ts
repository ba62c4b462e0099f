/** The dashboard's API, as a browser uses it: a login, reads, controls, and the stream of events. */

export class Dashboard {
  #cookie = "";
  #csrf = "";

  /** @param origin such as `http://127.0.0.1:9091` */
  constructor(readonly origin: string) {}

  async login(secret: string): Promise<void> {
    const response = await fetch(`${this.origin}/api/login`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: this.origin },
      body: JSON.stringify({ secret }),
    });
    if (!response.ok) throw new Error(`login: ${response.status} ${await response.text()}`);
    this.#csrf = (await response.json()).csrf_token;
    this.#cookie = response.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.origin}${path}`, { headers: { cookie: this.#cookie } });
  }

  /** A control; without `body` nothing is sent. */
  post(path: string, body?: unknown): Promise<Response> {
    const json = body === undefined ? {} : { "content-type": "application/json" };
    return fetch(`${this.origin}${path}`, {
      method: "POST",
      headers: {
        ...{ cookie: this.#cookie, origin: this.origin, "x-svc-csrf-token": this.#csrf },
        ...json,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  /** @param path of docs/generated/api.md, which names the shape too */
  async read<T>(path: string): Promise<T> {
    const response = await this.get(path);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return await response.json();
  }

  /** Until the connection or the signal ends it. */
  async *events(signal: AbortSignal): AsyncGenerator<{ type: string; data: unknown }> {
    const response = await fetch(`${this.origin}/api/events`, {
      headers: { cookie: this.#cookie },
      signal,
    });
    if (!response.ok || response.body === null) throw new Error(`events: ${response.status}`);
    let rest = "";
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue; // a comment that keeps the connection alive
        const event: { type: string; data: string } = JSON.parse(data);
        yield { type: event.type, data: JSON.parse(event.data) };
      }
    }
  }
}
