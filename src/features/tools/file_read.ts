/** The tool that reads a text file, or lines of it. */
import { z } from "zod";
import { TOOL_OUTPUT_LINES } from "svc/core/bounds.ts";
import { plainText } from "svc/core/plain_text.ts";
import { quoted } from "svc/core/repo_path.ts";
import type { Redact } from "svc/core/redact.ts";
import { mustBeShowable } from "./credential_files.ts";
import { listText } from "./file_list.ts";
import { KEY_LINE, keyLines } from "./key_lines.ts";
import { missingText } from "./near_paths.ts";
import { filePath } from "./path_arg.ts";
import { linesOf, readText, type TextFile } from "./text_file.ts";
import { tool, type ToolAnswer } from "./tool.ts";

/** Less than the smallest output, so that other lines fit beside it. */
const FILE_READ_LINE_CHARS = 3000;

/** Facts that an edit needs and the text does not show. */
function remarks(file: TextFile): string[] {
  return [
    ...(file.bom ? ["byte order mark"] : []),
    ...(["CRLF", "mixed"].includes(file.lineEnds) ? [`${file.lineEnds} line ends`] : []),
    ...(file.text !== "" && !file.text.endsWith("\n") ? ["no line end at the end"] : []),
    ...(file.utf8 ? [] : ["not UTF-8: other bytes are shown as U+FFFD, and it cannot be edited"]),
    ...(file.truncated
      ? [`only the start of ${file.stamp.size} bytes; use grep for the rest`]
      : []),
  ];
}

/** Cuts a long line for the sake of the others, after redaction: no secret is cut in two. */
function shown(line: string, redact: Redact): string {
  if (line.length <= FILE_READ_LINE_CHARS) return line;
  const whole = redact(plainText(line));
  if (whole.length <= FILE_READ_LINE_CHARS) return whole;
  const part = whole.slice(0, FILE_READ_LINE_CHARS).replace(/[\ud800-\udbff]$/, "");
  return `${part} [line cut: ${part.length} of its ${whole.length} characters; use grep for others]`;
}

interface LineRange {
  readonly path: string;
  /** From 1. */
  readonly offset: number;
  readonly limit: number;
}

function answer({ path, offset, limit }: LineRange, file: TextFile, redact: Redact): ToolAnswer {
  const lines = linesOf(file.text);
  if (offset > Math.max(1, lines.length)) {
    return { ok: false, text: `${quoted(path)} has only ${lines.length} lines` };
  }
  // A key that is shown from its first line on is known as one.
  const hidden = new Set(
    keyLines(lines).flatMap(({ line, begin }) => begin < offset ? [line] : []),
  );
  const part = lines.slice(offset - 1, offset - 1 + limit)
    .map((line, at) => hidden.has(offset + at) ? KEY_LINE : shown(line, redact));
  const end = offset - 1 + part.length;
  const head = [`${path}: ${lines.length} lines`, ...remarks(file)].join("; ");
  const range = part.length === lines.length ? "" : `; these are ${offset} to ${end}`;
  const more = end < lines.length ? [`[go on with offset ${end + 1}]`] : [];
  return {
    ok: true,
    text: [`[${head}${range}]`, ...part, ...more].join("\n"),
    // The first shown line is the one in brackets.
    readOn: (kept) =>
      kept > 1
        ? `Lines ${offset} to ${offset + kept - 2} are shown; go on with offset ${
          offset + kept - 1
        }`
        : `Line ${offset} is too long to be shown; use grep for parts of it, or go on with offset ${
          offset + 1
        }`,
    ...(file.truncated && { partOf: file.stamp.size }),
    facts: { lines: lines.length, from: offset, to: end, sha256: file.stamp.sha256 },
  };
}

export const fileRead = tool({
  name: "file_read",
  about: "Reads a text file of the repo. Read a file before you change it.",
  capability: "read",
  args: () =>
    z.strictObject({
      path: filePath(),
      offset: z.int().min(1).optional().describe("First line, from 1"),
      limit: z.int().min(1).max(TOOL_OUTPUT_LINES).optional().describe("Lines to read"),
    }),
  file: ({ path }) => path,
  async run(session, { path, offset = 1, limit = TOOL_OUTPUT_LINES }) {
    await mustBeShowable(session, path);
    const facts = await session.tree.folder.stat(path);
    if (facts === undefined) return { ok: false, text: await missingText(session, path) };
    if (facts.kind === "folder") {
      const { text, ...rest } = await listText(session, { path, depth: 1 });
      return { ...rest, text: `${quoted(path)} is a folder:\n${text}` };
    }
    const file = await readText(session, path);
    if (file !== undefined) return answer({ path, offset, limit }, file, session.redact);
    return { ok: false, text: `${quoted(path)} is a binary file of ${facts.size} bytes` };
  },
});
