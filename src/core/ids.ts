/** Ids of records and repos. */
import { sha256 } from "./digest.ts";

/** A UUIDv7 (RFC 9562 section 5.7): ids sort by the time they were made. */
export function uuidV7(epochMs: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setBigUint64(
    0,
    BigInt(epochMs) << 16n | 0x7000n | BigInt(bytes[6]! & 0x0f) << 8n | BigInt(bytes[7]!),
  );
  bytes[8] = bytes[8]! & 0x3f | 0x80;
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export async function repoId(realPath: string): Promise<string> {
  return (await sha256(new TextEncoder().encode(realPath))).slice(0, 12);
}
