/** One stored event as server-sent events spell it (WHATWG HTML, section 9.2; spec section 6). */
import { STREAM_EVENT_BYTES } from "svc/core/bounds.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";

const encoder = new TextEncoder();

function spelled(id: number, type: string, data: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`id: ${id}\ndata: ${JSON.stringify({ type, data })}\n\n`);
}

/** Of one that is too large only that it happened, and how large its data is. */
export function eventMessage({ id, type, data }: Event): Uint8Array<ArrayBuffer> {
  const bytes = spelled(id, type, data);
  if (bytes.byteLength <= STREAM_EVENT_BYTES) return bytes;
  return spelled(id, type, JSON.stringify({ too_large: true, bytes: encoder.encode(data).length }));
}

/** Says that the stream lives; clients skip it. */
export const KEEPALIVE = encoder.encode(": keepalive\n\n");

/** When to come back after the stream broke. */
export function retryMessage(ms: number): Uint8Array<ArrayBuffer> {
  return encoder.encode(`retry: ${ms}\n\n`);
}

/** Undefined for what is no id of ours. */
export function lastEventId(header: string | null): number | undefined {
  return /^\d{1,15}$/.test(header ?? "") ? Number(header) : undefined;
}
