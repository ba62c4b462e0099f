/** Asks a port of this machine whether the model server that svc runs answers there. */
import { boundedText } from "svc/core/bounded_text.ts";
import { type Clock, within } from "svc/platform/clock.ts";

/** A server that loads answers at once. */
const ANSWER_MS = 5_000;

/** Longer answers are of other programs, and are not read on. */
const ANSWER_BYTES = 64 * 1024;

export type ServerState =
  | { readonly kind: "nobody" }
  | { readonly kind: "loading" }
  | { readonly kind: "ready" }
  | { readonly kind: "another"; readonly why: string };

export interface HealthPorts {
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, "sleep">;
}

async function asked(
  { fetch, clock }: HealthPorts,
  url: string,
  headers: Record<string, string> = {},
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  const late = new AbortController();
  const answer = async () => {
    const response = await fetch(url, { headers, signal: late.signal, redirect: "manual" });
    const text = await boundedText(response, ANSWER_BYTES, late.signal) ?? "";
    return { status: response.status, text };
  };
  const work = answer().catch(() => undefined); // nobody listens, or it ended in between
  try {
    return await within(clock, ANSWER_MS, work) ? await work : undefined;
  } finally {
    late.abort();
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** llama.cpp's /health: 503 with "Loading model", then 200 with status "ok" (tools/server/README.md). */
export async function serverState(
  ports: HealthPorts,
  { port, alias, key }: {
    readonly port: number;
    readonly alias: string;
    /** Newer versions list their models for nobody else. */
    readonly key: string | undefined;
  },
): Promise<ServerState> {
  const origin = `http://127.0.0.1:${port}`;
  const health = await asked(ports, `${origin}/health`);
  if (health === undefined) return { kind: "nobody" };
  const said = json(health.text) as { status?: unknown; error?: { message?: unknown } } | undefined;
  if (health.status === 503 && said?.error?.message === "Loading model") return { kind: "loading" };
  if (health.status !== 200 || said?.status !== "ok") {
    return { kind: "another", why: "it is no llama-server" };
  }
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const list = await asked(ports, `${origin}/v1/models`, headers);
  // It ends just now, or is slow.
  if (list === undefined) return { kind: "loading" };
  if (list.status === 401) {
    return { kind: "another", why: "it wants a key that svc does not have" };
  }
  const models = json(list.text) as { data?: readonly { id?: unknown }[] } | undefined;
  const names = Array.isArray(models?.data) ? models.data.map(({ id }) => String(id)) : [];
  if (names.includes(alias)) return { kind: "ready" };
  const served = names.slice(0, 3).join(", ").slice(0, 200);
  return { kind: "another", why: `it serves "${served}", not "${alias}"` };
}
