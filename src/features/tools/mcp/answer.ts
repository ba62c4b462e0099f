/** What a server answered, as text for the model: data from outside, whatever it says. */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { fenced } from "svc/core/data_block.ts";
import { oneLine } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened } from "svc/core/shortened.ts";
import type { ToolAnswer } from "svc/features/tools/tool.ts";

type Content = CallToolResult["content"][number];

/** Parts of one answer; more are counted only. */
const PARTS = 200;

/** Cut last: half of a secret is not known as one, and what takes secrets out of an answer comes later. */
const lineBy = (redact: Redact) => (text: string | undefined, most = 300) =>
  shortened(redact(oneLine(text ?? "")), most);

/** Base64 has four characters for three bytes. */
const bytesOf = (base64: string) => Math.floor(base64.length * 3 / 4);

function partText(part: Content, line: ReturnType<typeof lineBy>): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return `[${part.type} ${line(part.mimeType, 60)}, ${bytesOf(part.data)} bytes: left out]`;
    case "resource_link":
      return `[link to ${line(part.name)}: ${line(part.uri)}]`;
    case "resource": {
      const { resource } = part;
      const head = `[resource ${line(resource.uri)}]`;
      if ("text" in resource) return `${head}\n${resource.text}`;
      return `${head} [${bytesOf(resource.blob)} bytes: left out]`;
    }
  }
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
  { content, isError, structuredContent }: CallToolResult,
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
