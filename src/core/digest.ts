/** SHA-256 as lower-case hex. */

export async function sha256(bytes: Uint8Array): Promise<string> {
  // svc shares no memory between threads, so every array has a buffer of its own.
  const sum = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return new Uint8Array(sum).toHex();
}
