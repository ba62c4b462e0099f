/** Digests of secrets, compared so that timing tells neither their length nor their content. */

// Loaded at the first use: the module takes 20 ms and 4 MiB, which a service without logins never needs.
// deno-lint-ignore no-process-global -- importing node:process would load it at once
const nodeCrypto = () => process.getBuiltinModule("node:crypto");

export function secretDigest(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(nodeCrypto().hash("sha256", text, "buffer"));
}

/** Takes constant time. */
export function sameDigest(one: Uint8Array, other: Uint8Array): boolean {
  return one.byteLength === other.byteLength && nodeCrypto().timingSafeEqual(one, other);
}
