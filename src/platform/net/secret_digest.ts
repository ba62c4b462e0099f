/** Digests of secrets, compared so that timing tells neither their length nor their content. */
import { nodeCrypto } from "svc/platform/node_crypto.ts";

export function secretDigest(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(nodeCrypto().hash("sha256", text, "buffer"));
}

/** Takes constant time. */
export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && nodeCrypto().timingSafeEqual(one, other);
}
