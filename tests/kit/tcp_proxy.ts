/** A network between svc and a PostgreSQL server that fails as it is told to. */
import type { ServerLogin } from "svc/store/server_login.ts";
import { addressOf } from "./postgres.ts";

export interface Cut {
  /** Statements that the client sends over all connections from now on, from 1. */
  readonly at?: number;
  /** Instead: the statement that holds the last of these texts, after others that held those before. */
  readonly of?: readonly string[];
  /** `before`: the server never gets it; `after`: it has done it, and its answer never comes. `silent`: as `before`, and
   * the connection does not end. */
  readonly when: "before" | "after" | "silent";
}

export interface TcpProxy extends AsyncDisposable {
  /** The same database, by way of the proxy. */
  login(of: ServerLogin): ServerLogin;
  /** Where new connections lead. */
  target(port: number): void;
  /** Nothing comes through any more, and nobody is told; what was sent is lost. */
  drop(way: "both" | "to-client" | "to-server"): void;
  /** New connections work again; old ones stay silent, as after a firewall that has forgotten them. */
  heal(): void;
  /** Before each packet, ms. */
  delay(ms: number): void;
  /** Ends all connections with a reset or an end. */
  end(): void;
  cut(plan: Cut): void;
  /** Statements of clients so far. */
  readonly statements: number;
  /** Resolves with the next statement that is sent while packets are dropped, or the next that is cut. */
  failed(): Promise<void>;
}

/** One side of a connection; whole messages are kept until the statement they belong to is complete. */
interface Link {
  readonly client: Deno.Conn;
  readonly server: Deno.Conn;
  /** A drop that this connection has lived through: it is silent for good. */
  dropped: Set<"to-client" | "to-server">;
  /** Answers are awaited, and not passed on. */
  doomed: boolean;
}

const QUERY = 0x51; // "Q"
const SYNC = 0x53; // "S"
const END = 0x58; // "X"
const READY = 0x5a; // "Z"

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Splits a stream into messages (postgresql.org/docs/15/protocol-message-formats.html); all but the first have a type. */
class Messages {
  #held = new Uint8Array();
  #first: boolean;

  constructor(startsUntyped: boolean) {
    this.#first = startsUntyped;
  }

  add(chunk: Uint8Array): { readonly type: number | undefined; readonly bytes: Uint8Array }[] {
    this.#held = joined([this.#held, chunk]);
    const found = [];
    for (;;) {
      const head = this.#first ? 0 : 1;
      if (this.#held.length < head + 4) return found;
      const view = new DataView(this.#held.buffer, this.#held.byteOffset);
      const length = head + view.getUint32(head);
      if (this.#held.length < length) return found;
      const type = this.#first ? undefined : this.#held[0]!;
      found.push({ type, bytes: this.#held.slice(0, length) });
      this.#held = this.#held.slice(length);
      this.#first = false;
    }
  }
}

async function send(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await to.write(bytes.subarray(at));
}

function close(link: Link): void {
  for (const end of [link.client, link.server]) {
    try {
      end.close();
    } catch {
      // it was closed before
    }
  }
}

const WAYS = ["to-client", "to-server"] as const;

/** Plain TCP: give the cluster's login `tls: { mode: "disable" }`. */
export function tcpProxy(port: number): TcpProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const links = new Set<Link>();
  const dropping = new Set<"to-client" | "to-server">();
  let target = port;
  let delayMs = 0;
  let statements = 0;
  let cut: Cut | undefined;
  let cutFrom = 0;
  let tellFailed = () => {};

  const silent = (link: Link, way: "to-client" | "to-server") => {
    if (!dropping.has(way) && !link.dropped.has(way)) return false;
    link.dropped.add(way);
    tellFailed();
    return true;
  };
  const pause = () => new Promise((resolve) => setTimeout(resolve, delayMs));
  const passed = async (link: Link, way: "to-client" | "to-server", bytes: Uint8Array) => {
    if (delayMs > 0) await pause();
    if (silent(link, way)) return;
    await send(way === "to-server" ? link.server : link.client, bytes);
  };

  async function pump(from: Deno.Conn, take: (chunk: Uint8Array) => Promise<boolean>) {
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const count = await from.read(buffer);
      if (count === null || !await take(buffer.slice(0, count))) return;
    }
  }

  function isDue(parts: readonly Uint8Array[]): boolean {
    if (cut?.of === undefined) return statements - cutFrom === cut?.at;
    const [next = "", ...later] = cut.of;
    if (!new TextDecoder().decode(joined(parts)).includes(next)) return false;
    cut = { ...cut, of: later };
    return later.length === 0;
  }

  /** @returns false to end the connection */
  function ofClient(link: Link) {
    const messages = new Messages(true);
    let whole: Uint8Array[] = [];
    return async (chunk: Uint8Array) => {
      for (const { type, bytes } of messages.add(chunk)) {
        whole.push(bytes);
        const complete = type === undefined || type === QUERY || type === SYNC || type === END;
        if (!complete && type !== 0x70) continue; // "p" answers the question for a password
        if (type === QUERY || type === SYNC) statements++;
        if ((type === QUERY || type === SYNC) && isDue(whole)) {
          const { when } = cut!;
          cut = undefined;
          tellFailed();
          if (when === "before") return false;
          if (when === "silent") { for (const way of WAYS) link.dropped.add(way); }
          else link.doomed = true;
        }
        await passed(link, "to-server", joined(whole));
        whole = [];
      }
      return true;
    };
  }

  function ofServer(link: Link) {
    const messages = new Messages(false);
    return async (chunk: Uint8Array) => {
      const ready = messages.add(chunk).some(({ type }) => type === READY);
      if (link.doomed) return !ready;
      await passed(link, "to-client", chunk);
      return true;
    };
  }

  async function carry(client: Deno.Conn): Promise<void> {
    let server;
    try {
      server = await Deno.connect({ hostname: "127.0.0.1", port: target });
    } catch {
      return client.close(); // nobody listens there
    }
    const link: Link = { client, server, dropped: new Set(), doomed: false };
    links.add(link);
    const isSilent = (way: "to-client" | "to-server") => dropping.has(way) || link.dropped.has(way);
    const hasDrop = () => isSilent("to-client") || isSilent("to-server");
    // An end goes the way that is not silent, too: else the server would hold all sessions of a client that gave up.
    const ended = async (way: "to-client" | "to-server", to: Deno.Conn) => {
      if (hasDrop() && !isSilent(way)) await to.closeWrite();
    };
    // Whichever end goes takes the other with it, unless the network is silent.
    const both = [
      pump(client, ofClient(link)).then(() => ended("to-server", server)),
      pump(server, ofServer(link)).then(() => ended("to-client", client)),
    ].map((each) => each.catch(() => {})); // it was reset
    await Promise.race(both);
    if (hasDrop()) await Promise.all(both);
    close(link);
    links.delete(link);
  }

  const carrying = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const client of listener) {
      const one = carry(client).finally(() => carrying.delete(one));
      carrying.add(one);
    }
  })();

  const self = {
    login(of: ServerLogin) {
      const moved = { ...of, host: "127.0.0.1", port: listener.addr.port };
      return { ...moved, shown: addressOf(moved) };
    },
    target: (next: number) => void (target = next),
    drop(way: "both" | "to-client" | "to-server") {
      for (const one of way === "both" ? ["to-client", "to-server"] as const : [way]) {
        dropping.add(one);
      }
      for (const link of links) for (const one of dropping) link.dropped.add(one);
    },
    heal: () => dropping.clear(),
    delay: (ms: number) => void (delayMs = ms),
    end() {
      for (const link of links) close(link);
    },
    cut(plan: Cut) {
      cut = plan;
      cutFrom = statements;
    },
    get statements() {
      return statements;
    },
    failed: () => new Promise<void>((resolve) => tellFailed = resolve),
    async [Symbol.asyncDispose]() {
      listener.close();
      self.end();
      await accepting;
      await Promise.all(carrying);
    },
  };
  return self;
}
