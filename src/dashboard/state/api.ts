/** Requests to the service: reads, and controls that carry the session's token. */
import { visibleLines } from "svc/core/visible_text.ts";
import { setClockBy } from "./clock.ts";
import { ended, locked, session } from "./session.ts";

export class ServiceRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterSecs?: number,
    /** The whole answer as it came: a text that is to be edited must not be changed. */
    readonly raw: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

export const UNREACHED = "The service does not answer";

/** No answer came: the service or the network is gone. */
export class Unreached extends Error {
  constructor() {
    super(UNREACHED);
  }
}

/** The connection came back while it was read: what follows events asks again at once. */
export class GivenUp extends Unreached {}

/** Ends the reads that began before the connection was back. */
let reads = new AbortController();

/** After a sleep reads may get neither an answer nor an error for minutes, and whoever waits for one asks no other. */
export function giveUpReads(): void {
  reads.abort(new GivenUp());
  reads = new AbortController();
}

/** JSON whose texts are seen whole: what a browser would not show, or turn round, is written out. */
export function seen(json: string): unknown {
  return JSON.parse(json, (_, value) => typeof value === "string" ? visibleLines(value) : value);
}

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...init });
  } catch (thrown) {
    if (init.signal?.aborted) throw thrown;
    throw new Unreached();
  }
  setClockBy(answer.headers.get("date"));
  return answer;
}

async function bodyOf(answer: Response): Promise<unknown> {
  return seen(await answer.text());
}

async function refuse(answer: Response): Promise<never> {
  const raw = await answer.json().catch(() => undefined); // a proxy may answer with HTML
  const body: Readonly<Record<string, unknown>> = typeof raw === "object" && raw !== null
    ? raw
    : {};
  const text = (given: unknown) => visibleLines(String(given));
  const remedy = "remedy" in body ? `. To settle it: ${text(body.remedy)}` : "";
  const said = "error" in body
    ? `${text(body.error)}${remedy}`
    : `The service answered ${answer.status} ${answer.statusText}`.trim();
  const wait = Number(answer.headers.get("retry-after"));
  throw new ServiceRefusal(answer.status, said, wait > 0 ? wait : undefined, body);
}

async function get(path: string, signal: AbortSignal = reads.signal): Promise<Response> {
  const answer = await send(path, { headers: { accept: "application/json" }, signal });
  if (answer.status === 401) ended();
  return answer.ok ? answer : await refuse(answer);
}

/** @throws {ServiceRefusal | Unreached} */
export async function read<T>(path: string, signal?: AbortSignal): Promise<T> {
  return await bodyOf(await get(path, signal)) as T;
}

/** As it came, for texts that are edited and sent back. @throws {ServiceRefusal | Unreached} */
export async function readRaw<T>(path: string): Promise<T> {
  return await (await get(path)).json();
}

export type ControlAnswer = Readonly<Record<string, unknown>>;

function post(path: string, body: Readonly<Record<string, string>> | undefined): Promise<Response> {
  return send(path, {
    method: "POST",
    headers: {
      "x-svc-csrf-token": token(),
      ...(body && { "content-type": "application/json" }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

function token(): string {
  const now = session.peek();
  return now.kind === "in" ? now.csrf : "";
}

/** Sends a control. @throws {ServiceRefusal | Unreached} */
export async function act(
  path: string,
  body?: Readonly<Record<string, string>>,
): Promise<ControlAnswer> {
  let answer = await post(path, body);
  // Tabs share the cookie and not the token: a login in another one began the session anew.
  if (answer.status === 403 && await renewed()) answer = await post(path, body);
  if (answer.status === 401) ended();
  if (!answer.ok) return await refuse(answer);
  return await bodyOf(answer) as ControlAnswer;
}

/** Finds out whether this browser has a session. Never throws: a failure becomes the session's state. */
export async function findSession(): Promise<void> {
  try {
    const answer = await send("/api/session");
    if (answer.ok) enter(await answer.json());
    else if (answer.status === 503) await refuse(answer);
    else session.value = { kind: "out", because: "never" };
  } catch (thrown) {
    if (thrown instanceof ServiceRefusal) locked(thrown.message);
    else session.value = { kind: "unreached" };
  }
}

/** Takes up the session that the browser has by now. False where this page has it already, or there is none. */
async function renewed(): Promise<boolean> {
  const before = token();
  const answer = await send("/api/session");
  if (!answer.ok) return false;
  enter(await answer.json());
  return token() !== before;
}

/** Goes on with a login that another tab has made meanwhile. Never throws. */
export async function joinSession(): Promise<void> {
  try {
    await renewed();
  } catch {
    // the service does not answer; who logs in here is told
  }
}

/** @throws {ServiceRefusal | Unreached} */
export async function logIn(secret: string): Promise<void> {
  const answer = await send("/api/login", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ secret }),
  });
  if (!answer.ok) return await refuse(answer);
  enter(await answer.json());
}

export async function logOut(): Promise<void> {
  await act("/api/logout");
  session.value = { kind: "out", because: "left" };
}

function enter(body: { csrf_token: string }): void {
  session.value = { kind: "in", csrf: body.csrf_token };
}
