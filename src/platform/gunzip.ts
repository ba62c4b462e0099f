/** Unpacks gzip (RFC 1952) up to a bound, at once, as a scan over bytes that are reused needs it. */

/** `too_large`: more than `maxBytes` would come out, and nothing was kept. */
export type Gunzip = (bytes: Uint8Array, maxBytes: number) => Uint8Array | "too_large" | undefined;

const SYNC_FLUSH = 2; // Z_SYNC_FLUSH (zlib.h): what is cut short gives what it holds

// Loaded at the first use: the module brings the half of Node with it, 20 ms that a start need not wait for.
// deno-lint-ignore no-process-global -- importing node:process would load it at once
const zlib = () => process.getBuiltinModule("node:zlib");

/** Undefined for what is no gzip. */
export const gunzip: Gunzip = (bytes, maxBytes) => {
  try {
    return zlib().gunzipSync(bytes, { maxOutputLength: maxBytes, finishFlush: SYNC_FLUSH });
  } catch (thrown) {
    return thrown instanceof RangeError ? "too_large" : undefined;
  }
};
