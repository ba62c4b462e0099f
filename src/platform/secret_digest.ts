/** Secrets are kept and compared as digests, so that neither length nor content is told by time. */
import { hash, timingSafeEqual } from "node:crypto";

/** SHA-256 of the UTF-8 text. */
export function secretDigest(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(hash("sha256", text, "buffer"));
}

/** In constant time. */
export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && timingSafeEqual(one, other);
}
