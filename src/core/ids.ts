/** Ids of records and repos. */
import { sha256 } from "./digest.ts";

/** The time of the last id, and the 26 bits behind it. */
let last = { epochMs: -1, count: 0 };

/** Bits of the count that are random at first; the one above them is room to count into. */
const SEED = 0x1ff_ffff;

/**
 * A UUIDv7 (RFC 9562 section 5.7): ids sort by the time they were made, and those that a process
 * makes in one millisecond by their turn (section 6.2, method 1).
 */
export function uuidV7(epochMs: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  const count = last.epochMs === epochMs ? last.count + 1 : view.getUint32(6) & SEED;
  last = { epochMs, count };
  view.setBigUint64(0, BigInt(epochMs) << 16n | 0x7000n | BigInt(count >>> 14));
  view.setUint16(8, 0x8000 | count & 0x3fff);
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

export async function repoId(realPath: string): Promise<string> {
  return (await sha256(new TextEncoder().encode(realPath))).slice(0, 12);
}
