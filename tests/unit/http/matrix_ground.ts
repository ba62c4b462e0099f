/** Every route of the dashboard as a row, and requests to it as bytes of which any part can be undone. */
import { OPERATIONS } from "svc/http/api.ts";
import type { ApiOperation } from "svc/http/operation.ts";
import { PAGES } from "svc/http/pages.ts";
import { systemClock } from "svc/platform/clock.ts";
import type { Reads } from "svc/runtime/views/all.ts";
import { dashboardPlace, type DashboardWish } from "./dashboard_place.ts";
import { rawRequest } from "./raw_http.ts";
import { READS } from "./sample_reads.ts";

export interface Row {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** With what the route needs, and as it must be. */
  readonly target: string;
  readonly access: ApiOperation["access"];
  readonly body: string | undefined;
  readonly maxBytes: number;
  readonly good: number;
}

const VALUES: Readonly<Record<string, string>> = {
  ...{ repo_id: "r1", role: "engineer", id: "j1", job_id: "j1" },
  ...{ ticket_id: "T-0001", answer: "yes", note: "mind the gap" },
  ...{ step: "0", part: "text" },
  ...{ title: "Mend the pump", version: "0".repeat(64), state: "review" },
  ...{ seen: "2026-11-21T10:00:00Z", commit: "c".repeat(40), lane: "ollama/m at http://h/v1" },
  ...{ decision_id: "01a1ff0d-0000-7000-8000-000000000001" },
  node: "north",
  secret: "a control secret of 32 bytes: 0123456789",
};

function rowOf([name, operation]: [string, ApiOperation]): Row {
  const [method, path] = name.split(" ") as [Row["method"], string];
  const { access, body, query = {} } = operation;
  const needed = Object.entries(query).filter(([, how]) => how === "needed");
  const id = path === "/api/ticket" ? { id: "T-0001" } : {};
  const values: Readonly<Record<string, string>> = { ...VALUES, ...id };
  const asked = needed.map(([key]) => `${key}=${values[key]}`).join("&");
  const fields = body?.kind === "fields"
    ? JSON.stringify(Object.fromEntries(body.names.map((key) => [key, VALUES[key]])))
    : undefined;
  const target = asked === "" ? path : `${path}?${asked}`;
  const maxBytes = body?.kind === "fields" ? body.maxBytes : 0;
  return { method, path, target, access, body: fields, maxBytes, good: 200 };
}

const page = (path: string, access: Row["access"], good = 200): Row => ({
  ...{ method: "GET", path, target: path, access, body: undefined, maxBytes: 0, good },
});

export const ROWS: readonly Row[] = [
  ...Object.entries(OPERATIONS).map(rowOf),
  page("/", "local", 302),
  ...Object.keys(PAGES).map((name) => page(`/${name}`, name === "login" ? "open" : "local")),
  page("/assets/app.js", "local"),
  page("/login/app.js", "open"),
];

/** What a request carries; each field undone by itself. */
export interface Sent {
  readonly host?: string;
  readonly origin?: string | undefined;
  readonly cookie?: string | undefined;
  readonly csrf?: string | undefined;
  readonly type?: string | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly method?: string;
  readonly target?: string;
  readonly more?: string;
}

const encoder = new TextEncoder();

function bytesOf(sent: Required<Pick<Sent, "host" | "method" | "target">> & Sent): Uint8Array {
  const body = typeof sent.body === "string" ? encoder.encode(sent.body) : sent.body;
  const chunked = sent.more?.includes("Transfer-Encoding");
  const length = chunked ? undefined : body?.length ?? (sent.method === "POST" ? 0 : undefined);
  const lines = [
    `${sent.method} ${sent.target} HTTP/1.1`,
    `Host: ${sent.host}`,
    sent.origin === undefined ? "" : `Origin: ${sent.origin}`,
    sent.cookie === undefined ? "" : `Cookie: ${sent.cookie}`,
    sent.csrf === undefined ? "" : `X-SVC-CSRF-Token: ${sent.csrf}`,
    sent.type === undefined ? "" : `Content-Type: ${sent.type}`,
    length === undefined ? "" : `Content-Length: ${length}`,
    sent.more ?? "",
  ].filter((line) => line !== "");
  const head = encoder.encode(`${lines.join("\r\n")}\r\n\r\n`);
  return body === undefined ? head : new Uint8Array([...head, ...body]);
}

export interface Ground extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** Readers and controls that were called. */
  reached(): readonly string[];
  readonly logged: string[];
  readonly session: { readonly cookie: string; readonly csrf: string };
  readonly other: { readonly cookie: string; readonly csrf: string };
  /** Moves the time of day. */
  later(ms: number): void;
  /** A good request of that row, but for what `but` says. */
  ask(row: Row, but?: Sent): Promise<{ readonly status: number; readonly text: string }>;
}

/** Buckets are always full here, and each answer's status is all that counts. */
export async function ground(wish: DashboardWish = {}): Promise<Ground> {
  let ahead = 0;
  let ticks = 0;
  const clock = {
    ...systemClock,
    now: () => Date.now() + ahead,
    monotonic: () => (ticks += 60_000),
  };
  const reached: string[] = [];
  const reads = Object.fromEntries(
    Object.entries(READS).map(([name, read]) => [name, (...args: []) => {
      reached.push(name);
      return (read as () => unknown)(...args);
    }]),
  ) as unknown as Reads;
  const assets = (path: string) =>
    path === "app.js" ? { bytes: "1;", type: "text/javascript" } : undefined;
  const place = dashboardPlace({ clock, reads, assets, ...wish });
  const { host, url, port, asked, logged } = place;
  const session = await place.login();
  const other = await place.login();
  let fresh: Pick<Sent, "cookie" | "csrf"> = session;
  return {
    ...{ port, url, logged, session, other },
    reached: () => [...reached, ...asked],
    later: (ms) => void (ahead += ms),
    async ask(row, but = {}) {
      const post = row.method === "POST";
      const sent = {
        ...{ host, method: row.method, target: row.target, body: row.body },
        ...(post && { origin: url, csrf: fresh.csrf }),
        ...(row.body !== undefined && { type: "application/json" }),
        cookie: fresh.cookie,
        ...but,
      };
      const got = await rawRequest(port, bytesOf(sent));
      // Either ends the session that all that follows would use.
      const ends = row.path === "/api/logout" || row.path === "/api/login";
      if (ends && got.status === 200) fresh = await place.login();
      return got;
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

export const privileged = ({ access }: Row) => access === "session" || access === "mutation";
export const shown = (row: Row, what: string) => `${row.method} ${row.target}: ${what}`;
