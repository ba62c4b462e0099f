/** Secrets are kept and compared as digests, so that neither length nor content is told by time. */

// Loaded at the first use: the module brings half of Node with it, 20 ms and 4 MiB, which a service
// that nobody logs in to goes without.
// deno-lint-ignore no-process-global -- importing node:process would load it at once
const nodeCrypto = () => process.getBuiltinModule("node:crypto");

/** SHA-256 of the UTF-8 text. */
export function secretDigest(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(nodeCrypto().hash("sha256", text, "buffer"));
}

/** In constant time. */
export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && nodeCrypto().timingSafeEqual(one, other);
}
