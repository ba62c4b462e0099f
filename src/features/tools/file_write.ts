/** The tool that makes a file, or replaces all of it. */
import { z } from "zod";
import { Failure } from "svc/core/failure.ts";
import { quoted } from "svc/core/repo_path.ts";
import { mustBeShowable } from "./credential_files.ts";
import { filePath } from "./path_arg.ts";
import { hidesSecret, placeholderIn } from "svc/features/tools/edit/placeholder.ts";
import {
  lineEndsOf,
  linesOf,
  notText,
  readText,
  sameStamp,
  type TextFile,
  writeText,
} from "./text_file.ts";
import { tool, type ToolAnswer, type ToolSession } from "./tool.ts";

const args = () =>
  z.strictObject({
    path: filePath(),
    content: z.string().describe("All of the file"),
  });
type FileWriteArgs = z.infer<ReturnType<typeof args>>;

const refusal = (text: string): ToolAnswer => ({ ok: false, text });

function placeholderRefusal(content: string, old: string): ToolAnswer | undefined {
  const note = placeholderIn(content, old);
  return note === undefined ? undefined : refusal(
    `Nothing was written: content has the line ${quoted(note)}, which stands for code left out. ` +
      "Write the whole file, or change a part of it with file_edit",
  );
}

async function create(session: ToolSession, { path, content }: FileWriteArgs): Promise<ToolAnswer> {
  const bom = content.startsWith("\ufeff");
  const text = bom ? content.slice(1) : content;
  const bar = placeholderRefusal(text, "");
  if (bar !== undefined) return bar;
  await writeText(session, { path, text, bom, expected: null });
  const lines = linesOf(text).length;
  return { ok: true, text: `Made ${quoted(path)}, ${lines} lines`, facts: { made: true, lines } };
}

/** Keeps the file's byte order mark and line ends. */
function asTheFile(content: string, file: TextFile) {
  const bare = content.replace(/^\ufeff/, "");
  const toCrlf = file.lineEnds === "CRLF" && lineEndsOf(bare) === "LF";
  return {
    text: toCrlf ? bare.replaceAll("\n", "\r\n") : bare,
    bom: file.bom || bare !== content,
    kept: [
      ...(toCrlf ? ["CRLF line ends"] : []),
      ...(file.bom && bare === content ? ["byte order mark"] : []),
    ],
  };
}

async function replace(
  session: ToolSession,
  { path, content }: FileWriteArgs,
): Promise<ToolAnswer> {
  const before = session.seen.get(path);
  const file = await readText(session, path);
  const now = session.seen.get(path);
  // The model has not seen what the tool read.
  if (before === undefined) session.seen.delete(path);
  else session.seen.set(path, before);
  const not = notText(file);
  if (not !== undefined || file === undefined) {
    return refusal(
      `Nothing was written: ${quoted(path)} exists and ${not}. Give another path, or change it ` +
        "with a program that can, by command_run",
    );
  }
  const { text, bom, kept } = asTheFile(content, file);
  if (text === file.text && bom === file.bom) {
    if (now !== undefined) session.seen.set(path, now);
    return { ok: true, text: `${quoted(path)} says so already`, facts: { made: false } };
  }
  const known = before ?? (session.byHand ? file.stamp : undefined);
  if (known === undefined || !sameStamp(known, file.stamp)) {
    const why = before === undefined
      ? `${quoted(path)} exists and was not read`
      : `${quoted(path)} is not what it was when you read it`;
    return refusal(`Nothing was written: ${why}. Read it, then write it or use file_edit`);
  }
  const bar = placeholderRefusal(text, file.text);
  if (bar !== undefined) return bar;
  if (hidesSecret(text, file.text, session.redact)) {
    return refusal(
      "Nothing was written: the content has [redacted] where the file has a secret. Use file_edit for other lines",
    );
  }
  await writeText(session, { path, text, bom, expected: file.stamp });
  const lines = linesOf(text).length;
  const note = kept.length === 0 ? "" : `; kept its ${kept.join(" and ")}`;
  return {
    ok: true,
    text: `Replaced ${quoted(path)}: ${lines} lines, before ${file.lines}${note}`,
    facts: { made: false, lines, kept },
  };
}

export const fileWrite = tool<FileWriteArgs>({
  name: "file_write",
  about: "Makes a file with its folders, or replaces the whole of one that was read.",
  capability: "write",
  args,
  touches: ({ path }) => ({ writes: [path] }),
  file: ({ path }) => path,
  async run(session, args) {
    const facts = await session.tree.folder.stat(args.path);
    if (facts === undefined) return await create(session, args);
    if (facts.kind === "file") {
      // A role cannot replace a file that it may not read; the answer would tell whether it guessed right.
      if (session.byHand !== true) await mustBeShowable(session, args.path);
      return await replace(session, args);
    }
    const what = facts.kind === "other" ? "no regular file" : `a ${facts.kind}`;
    throw new Failure("refused", `Cannot write ${quoted(args.path)}: it is ${what}`, {
      remedy: "Give another path: only regular files are written",
    });
  },
});
