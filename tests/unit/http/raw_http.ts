/** Requests as bytes on a socket, for what no client of HTTP would send. */

/** Status of the first answer; 0 when the connection was closed without one. */
export interface RawAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends the bytes and reads until the first answer is whole, or the other side closes. */
export async function rawRequest(
  port: number,
  bytes: string | Uint8Array,
): Promise<RawAnswer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const out = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
  for (let at = 0; at < out.length;) at += await connection.write(out.subarray(at));
  let text = "";
  const buffer = new Uint8Array(65_536);
  for (;;) {
    // A reset after the answer is as good as an end.
    const count = await connection.read(buffer).catch(() => null);
    if (count === null) break;
    text += new TextDecoder("latin1").decode(buffer.subarray(0, count));
    const [head = "", body] = text.split("\r\n\r\n", 2);
    const length = /^content-length: *(\d+)$/im.exec(head)?.[1];
    const bodyless = out[0] === 72; // HEAD
    if (body !== undefined && (bodyless || length === undefined || body.length >= Number(length))) {
      break;
    }
  }
  return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0), text };
}
