/** Unpacks gzip (RFC 1952) up to a bound, at once, as a scan over bytes that are reused needs it. */
import { gunzipSync } from "node:zlib";

/** `too_large`: more than `maxBytes` would come out, and nothing was kept. */
export type Gunzip = (bytes: Uint8Array, maxBytes: number) => Uint8Array | "too_large" | undefined;

const SYNC_FLUSH = 2; // Z_SYNC_FLUSH (zlib.h): what is cut short gives what it holds

/** Undefined for what is no gzip. */
export const gunzip: Gunzip = (bytes, maxBytes) => {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes, finishFlush: SYNC_FLUSH });
  } catch (thrown) {
    return thrown instanceof RangeError ? "too_large" : undefined;
  }
};
