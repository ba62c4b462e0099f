/** Reads an answer of the network up to a bound. */
import { Failure } from "svc/core/failure.ts";

/** Thirty pull requests with all that GitHub tells of their repos: some 20 KiB each. */
export const CODEHOST_RESPONSE_BYTES = 4 * 1024 * 1024;

/** @throws Failure `environment` when it is longer than `CODEHOST_RESPONSE_BYTES` */
export async function boundedText(
  { body }: Pick<Response, "body">,
  doing: string,
): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  // Leaving the loop cancels the stream, and with it the connection.
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > CODEHOST_RESPONSE_BYTES) {
      const why = `the answer is longer than ${CODEHOST_RESPONSE_BYTES} bytes`;
      throw new Failure("environment", `Cannot ${doing}: ${why}`);
    }
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
