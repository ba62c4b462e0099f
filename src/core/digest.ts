/** SHA-256 as lower-case hex. */

export async function sha256(bytes: Uint8Array): Promise<string> {
  // Whoever shares bytes with another thread copies them first (`platform/confined/file_pieces.ts`).
  const sum = await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>);
  return new Uint8Array(sum).toHex();
}
