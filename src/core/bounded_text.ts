/** Reads a response's text up to a bound, until a signal ends it. */

/**
 * Undefined when it is longer; then the rest is not fetched. Looks at the signal itself: once an answer has begun, Deno may
 * collect what ties it to the signal of its fetch. @throws the signal's reason; what ends the stream
 */
export async function boundedText(
  { body }: Pick<Response, "body">,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (body === null) return "";
  const reader = body.getReader();
  // What broke the stream is thrown by `read`; cancelling ends the connection.
  const cancel = () => reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel);
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > maxBytes) return undefined;
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", cancel);
    await cancel();
  }
}
