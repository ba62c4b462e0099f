/** Sends the pending reports, one request each. What goes wrong is a warning, and is tried again later. */
import { unreached } from "svc/core/connection_faults.ts";
import type { Reporting } from "svc/features/settings/reporting.ts";
import type { Clock } from "svc/platform/clock.ts";
import type { Db } from "svc/store/schema.ts";
import { pendingReports, recordSendFailure, reportState, settleReport } from "./outbox_store.ts";
import type { QueuedReport } from "./outbox_table.ts";
import { REPORT_PATH } from "./report_terms.ts";

const REQUEST_MS = 10_000;

const BACKOFF_MS = 60_000;
const BACKOFF_MAX_MS = 6 * 60 * 60 * 1000;
/** Share by which a wait varies, so that many senders do not come back together. */
const BACKOFF_JITTER = 0.2;
/** Longest wait that a server may ask for. */
export const RETRY_MAX_MS = 24 * 60 * 60 * 1000;

export interface SendPorts {
  readonly db: Db;
  readonly fetch: typeof fetch;
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly signal: AbortSignal;
}

export interface SentReports {
  readonly sent: number;
  /** Reports that the collector will never take; they are not tried again. */
  readonly refused: number;
  readonly pending: number;
  /** What went wrong; it contains nothing of a response. */
  readonly warning: string | undefined;
}

export function reportUrl(endpoint: string): URL {
  const url = new URL(endpoint);
  // No resolver is asked for it, as RFC 6761 section 6.3 wants.
  if (url.hostname === "localhost") url.hostname = "127.0.0.1";
  let path = url.pathname;
  while (path.endsWith("/")) path = path.slice(0, -1);
  url.pathname = path + REPORT_PATH;
  return url;
}

type Attempt =
  | { readonly kind: "sent" }
  | { readonly kind: "refused"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string; readonly afterMs?: number };

/** Statuses that say that this report, sent again, would be refused again. */
const NEVER: ReadonlySet<number> = new Set([400, 409, 411, 413, 415, 422]);

/** `Retry-After` in seconds (RFC 9110, section 10.2.3). */
function askedWait({ headers }: Response): { readonly afterMs?: number } {
  const after = headers.get("retry-after")?.trim() ?? "";
  if (!/^\d{1,9}$/.test(after)) return {};
  return { afterMs: Math.min(Number(after) * 1000, RETRY_MAX_MS) };
}

function attemptOf(response: Response): Attempt {
  const { status } = response;
  if (status >= 200 && status < 300) return { kind: "sent" };
  if (NEVER.has(status)) {
    return { kind: "refused", why: `the collector refuses the report (${status})` };
  }
  if (status === 401 || status === 403) {
    return { kind: "failed", why: `the collector refuses the token (${status})` };
  }
  const why = status >= 300 && status < 400
    ? `the endpoint redirects elsewhere (${status}); none is followed`
    : status === 404
    ? "the endpoint is no collector (404)"
    : `the collector answered ${status}`;
  return { kind: "failed", why, ...askedWait(response) };
}

async function post(
  { fetch, clock, signal }: SendPorts,
  url: URL,
  { report_id, body }: QueuedReport,
  token: string | undefined,
): Promise<Attempt> {
  const over = new AbortController();
  const late = new AbortController();
  clock.sleep(REQUEST_MS, over.signal).then(() => late.abort());
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "idempotency-key": report_id,
        "user-agent": "svc",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body,
      // Neither reports nor the token go where only an answer sends them.
      redirect: "manual",
      credentials: "omit",
      signal: AbortSignal.any([signal, late.signal]),
    });
    // Nothing in the answer counts but its status.
    await response.body?.cancel().catch(() => {});
    return attemptOf(response);
  } catch (thrown) {
    const why = late.signal.aborted
      ? `${url.host} did not answer within ${REQUEST_MS / 1000} s`
      : unreached(url.host, thrown);
    return { kind: "failed", why };
  } finally {
    over.abort();
  }
}

/** @param failures before this one @returns ms */
export function backoffMs(failures: number, random: number): number {
  const wait = Math.min(BACKOFF_MS * 2 ** Math.min(failures, 20), BACKOFF_MAX_MS);
  return Math.round(wait * (1 + BACKOFF_JITTER * (2 * random - 1)));
}

/** Stops at the first that cannot be sent: the others would fail as well. @param reporting of one that sends */
export async function sendReports(
  ports: SendPorts,
  { endpoint, token }: Pick<Reporting, "endpoint" | "token">,
): Promise<SentReports> {
  const { db, clock } = ports;
  const waiting = await pendingReports(db);
  const url = reportUrl(endpoint!);
  const tally = { sent: 0, refused: 0 };
  let warning: string | undefined;
  for (const report of waiting) {
    const attempt = await post(ports, url, report, token);
    if (ports.signal.aborted) break;
    if (attempt.kind !== "sent") warning = attempt.why;
    if (attempt.kind === "failed") {
      const { failures } = await reportState(db);
      const wait = attempt.afterMs ?? backoffMs(failures, Math.random());
      await recordSendFailure(db, clock.now() + wait);
      break;
    }
    await settleReport(db, report.report_id, { state: attempt.kind, now: clock.now() });
    tally[attempt.kind]++;
  }
  return { ...tally, pending: waiting.length - tally.sent - tally.refused, warning };
}
