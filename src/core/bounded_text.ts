/** Reads a response's text up to a bound. */

/** Undefined when it is longer; then the rest is not fetched. */
export async function boundedText(
  { body }: Pick<Response, "body">,
  maxBytes: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  // Leaving the loop cancels the stream, and with it the connection.
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
