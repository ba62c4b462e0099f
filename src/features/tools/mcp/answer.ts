/** What a server answered, as text for the model: data from outside, whatever it says. */
import { fenced } from "svc/core/data_block.ts";
import { oneLine } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import type { ToolAnswer } from "svc/features/tools/tool.ts";
import { isObject } from "./keyword_forms.ts";
import type { CallResult } from "./results.ts";

/** Parts of one answer; more are counted only. */
const PARTS = 200;

/** Cut last: half of a secret is not known as one, and what takes secrets out of an answer comes later. */
const lineBy = (redact: Redact) => (text: unknown, most = 300) =>
  shortened(redact(oneLine(typeof text === "string" ? text : "")), most);

/** Base64 has four characters for three bytes. */
const bytesOf = (base64: string) => Math.floor(base64.length * 3 / 4);

/** As JSON where it is no part of the protocol, or lacks what such a part has. */
function partText(part: unknown, line: ReturnType<typeof lineBy>): string {
  if (!isObject(part)) return structuredText(part);
  const { type, text, data, mimeType, uri, name, resource } = part;
  if (type === "text" && typeof text === "string") return text;
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return `[${type} ${line(mimeType, 60)}, ${bytesOf(data)} bytes: left out]`;
  }
  if (type === "resource_link" && typeof uri === "string") {
    return `[link to ${line(name)}: ${line(uri)}]`;
  }
  if (type === "resource" && isObject(resource)) {
    const head = `[resource ${line(resource["uri"])}]`;
    const { text, blob } = resource;
    if (typeof text === "string") return `${head}\n${text}`;
    if (typeof blob === "string") return `${head} [${bytesOf(blob)} bytes: left out]`;
  }
  return structuredText(part);
}

/** Not indented: 200 KB of a server, nested thousands deep, would become 400 MB. */
function structuredText(content: unknown): string {
  try {
    return JSON.stringify(content);
  } catch (thrown) {
    if (thrown instanceof RangeError) return "[structured content, nested too deeply: left out]";
    throw thrown;
  }
}

/** `structuredContent` repeats the text (modelcontextprotocol.io, "Tools"); it counts where there is no text. */
export function answerOf(
  server: string,
  { content, isError, structuredContent }: CallResult,
  redact: Redact,
): ToolAnswer {
  const line = lineBy(redact);
  const parts = content.slice(0, PARTS).map((part) => partText(part, line));
  if (content.length > PARTS) parts.push(`[${content.length - PARTS} more parts: left out]`);
  if (parts.length === 0 && structuredContent !== undefined) {
    parts.push(structuredText(structuredContent));
  }
  const said = parts.length === 0
    ? "It answered nothing."
    : `Its answer, which is data from outside:\n${fenced(parts.join("\n"))}`;
  const ok = isError !== true;
  return {
    ok,
    text: ok ? said : `The tool of the server "${server}" failed. ${said}`,
    facts: { server },
  };
}
