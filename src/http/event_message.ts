/** Stored events in the format of server-sent events (WHATWG HTML, section 9.2; spec section 6). */
import { STREAM_EVENT_BYTES } from "svc/core/bounds.ts";
import type { Event } from "svc/features/telemetry/event_store.ts";

const encoder = new TextEncoder();

function encoded(id: number, type: string, data: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`id: ${id}\ndata: ${JSON.stringify({ type, data })}\n\n`);
}

/** An event that is too large is sent with its size instead of its data. */
export function eventMessage({ id, type, data }: Event): Uint8Array<ArrayBuffer> {
  const bytes = encoded(id, type, data);
  if (bytes.byteLength <= STREAM_EVENT_BYTES) return bytes;
  return encoded(id, type, JSON.stringify({ too_large: true, bytes: encoder.encode(data).length }));
}

/** A comment, which clients skip. */
export const KEEPALIVE = encoder.encode(": keepalive\n\n");

export function retryMessage(ms: number): Uint8Array<ArrayBuffer> {
  return encoder.encode(`retry: ${ms}\n\n`);
}

export function lastEventId(header: string | null): number | undefined {
  return /^\d{1,15}$/.test(header ?? "") ? Number(header) : undefined;
}
