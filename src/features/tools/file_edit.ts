/** The tool that replaces one text of a file by another. */
import { z } from "zod";
import { EDIT_PLACES } from "svc/core/bounds.ts";
import type { Redact } from "svc/core/redact.ts";
import { quoted } from "svc/core/repo_path.ts";
import { type EditMatch, findEdit, type Rung } from "svc/features/tools/edit/ladder.ts";
import { applied, type EditChange } from "svc/features/tools/edit/lines.ts";
import { snippet } from "svc/features/tools/edit/similar.ts";
import { mustBeShowable } from "./credential_files.ts";
import { shortLine } from "./code_scope.ts";
import { shownLines } from "./key_lines.ts";
import { missingText } from "./near_paths.ts";
import { filePath } from "./path_arg.ts";
import { hidesSecret, placeholderIn } from "svc/features/tools/edit/placeholder.ts";
import { linesOf, notText, readText, sameStamp, type TextFile, writeText } from "./text_file.ts";
import { tool, type ToolAnswer, type ToolSession } from "./tool.ts";

/** A longer text is a rewrite of the file. */
const EDIT_OLD_CHARS = 100_000;

/** Per snippet of a refused edit. */
const EDIT_SNIPPET_LINES = 12;

const args = () =>
  z.strictObject({
    path: filePath(),
    old: z.string().max(EDIT_OLD_CHARS).describe("The text as it stands in the file"),
    new: z.string().describe("What stands there afterwards, in full"),
    expect_count: z.int().min(1).max(EDIT_PLACES).optional()
      .describe("How often old stands there, default 1; all are replaced"),
  });
type FileEditArgs = z.infer<ReturnType<typeof args>>;

const refusal = (text: string): ToolAnswer => ({ ok: false, text });

function pointless({ old, new: fresh }: FileEditArgs): string | undefined {
  if (old === "") return "old is empty; for a new file use file_write";
  return old === fresh ? "old and new are the same; nothing was changed" : undefined;
}

/** Rungs that need no read before: the text itself proves that it is known. */
const SURE: readonly Rung[] = ["exact", "line_ends"];

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function notFound(path: string, text: string, match: EditMatch, redact: Redact): ToolAnswer {
  if (match.found === "wrong_count") {
    const lines = [...new Set(match.places.map((at) => lineAt(text, at)))].slice(0, 10).join(", ");
    const many = match.places.length > EDIT_PLACES
      ? `more than ${EDIT_PLACES}`
      : match.places.length;
    return {
      ok: false,
      text: `Nothing was changed: the text stands in ${quoted(path)} ${many} times, ` +
        `at line ${lines}. ` +
        "Give more lines around the one you mean, or set expect_count if you mean them all",
      facts: { found: match.places.length },
    };
  }
  const near = match.found === "nothing" ? match.nearest : [];
  const lines = near.length === 0 ? [] : shownLines(text);
  // Without a mark where it is cut: the model repeats it.
  const show = (line: string) => shortLine(line, redact, "");
  const snippets = near.map((one) => {
    const which = one.count === 1 ? "Line" : `Lines ${one.first + 1} to`;
    const text = snippet(lines, one, { max: EDIT_SNIPPET_LINES, show });
    return `${which} ${one.first + one.count}:\n${text}`;
  });
  return {
    ok: false,
    text: [
      `Nothing was changed: ${quoted(path)} has no such text.`,
      ...(near.length === 0
        ? ["Read the file again, then repeat the edit with its real text."]
        : ["Repeat the edit with the real text. What is most like it:", ...snippets]),
    ].join("\n"),
    facts: { found: 0 },
  };
}

/** After a loose match the model sees the new lines. */
function done(path: string, now: string, rung: Rung, changes: readonly EditChange[]): ToolAnswer {
  const line = lineAt(now, changes[0]!.start);
  const places = changes.length === 1 ? "" : `, in ${changes.length} places`;
  const head = `Changed ${quoted(path)} at line ${line}${places}`;
  const facts = { rung, line, count: changes.length };
  if (SURE.includes(rung)) return { ok: true, text: head, facts };
  const fresh = linesOf(changes[0]!.text).length;
  const shown = linesOf(now).slice(Math.max(0, line - 2), line + fresh).slice(0, 40);
  const text = `${head}. The text was found by its ${HOW[rung]}; there the file is now:\n${
    shown.join("\n")
  }`;
  return { ok: true, text, facts };
}

const HOW: Readonly<Record<Rung, string>> = {
  exact: "letters",
  line_ends: "letters",
  indentation: "lines, indented otherwise",
  unicode: "letters, spelt otherwise",
  fuzzy: "likeness",
};

/** Undefined when the file may be changed. */
function barred(
  session: ToolSession,
  args: FileEditArgs,
  file: TextFile,
  seen: boolean,
  match: EditMatch,
) {
  if (match.found !== "places") {
    return notFound(args.path, file.text, match, session.redact);
  }
  if (!seen && !SURE.includes(match.rung)) {
    return refusal(
      `Nothing was changed: ${quoted(args.path)} has no such text to the letter, ` +
        "and it was not read. Read it, then repeat the edit",
    );
  }
  const replaced = match.changes.map(({ start, end }) => file.text.slice(start, end)).join("\n");
  if (hidesSecret(args.new.repeat(match.changes.length), replaced, session.redact)) {
    return refusal(
      "Nothing was changed: the text would put [redacted] where a secret is. Leave that line out",
    );
  }
  return undefined;
}

async function edit(session: ToolSession, args: FileEditArgs): Promise<ToolAnswer> {
  const { path } = args;
  const before = session.seen.get(path);
  const file = await readText(session, path);
  const not = notText(file);
  if (not !== undefined || file === undefined) {
    return refusal(
      `Nothing was changed: ${quoted(path)} ${not}. Change it with a program that can, by ` +
        "command_run, or leave it and say so",
    );
  }
  if (before !== undefined && !sameStamp(before, file.stamp)) {
    session.seen.set(path, before);
    return refusal(
      `Nothing was changed: ${quoted(path)} is not what it was when you read it. ` +
        "Read it again, then repeat the edit",
    );
  }
  if (before === undefined) session.seen.delete(path);
  const note = placeholderIn(args.new, `${args.old}\n${file.text}`);
  if (note !== undefined) {
    return refusal(
      `Nothing was changed: new has the line ${quoted(note)}, which stands for code left out. ` +
        "Write all of the code, or edit a smaller part",
    );
  }
  const { old, new: fresh, expect_count: count = 1 } = args;
  const match = findEdit(file.text, { old, new: fresh, count });
  const bar = barred(session, args, file, before !== undefined || session.byHand === true, match);
  if (bar !== undefined || match.found !== "places") return bar!;
  const now = applied(file.text, match.changes);
  if (now === file.text) return refusal("Nothing was changed: the file says so already");
  await writeText(session, { path, text: now, bom: file.bom, expected: file.stamp });
  return done(path, now, match.rung, match.changes);
}

export const fileEdit = tool<FileEditArgs>({
  name: "file_edit",
  about: "Replaces one text of a file by another: old, with enough lines to stand there once.",
  capability: "write",
  args,
  touches: ({ path }) => ({ writes: [path] }),
  file: ({ path }) => path,
  async run(session, args) {
    const why = pointless(args);
    if (why !== undefined) return refusal(why);
    await mustBeShowable(session, args.path);
    const facts = await session.tree.folder.stat(args.path);
    if (facts === undefined) return refusal(await missingText(session, args.path));
    return await edit(session, args);
  },
});
