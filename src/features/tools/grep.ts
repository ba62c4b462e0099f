/** The tool that searches the text of files; git finds the lines, the contained folder reads them. */
import { z } from "zod";
import { GREP_COUNTED, TOOL_LINE_CHARS } from "svc/core/bounds.ts";
import { plainText } from "svc/core/plain_text.ts";
import type { Redact } from "svc/core/redact.ts";
import { shortened, shortenedStart } from "svc/core/shortened.ts";
import { visible } from "svc/core/visible_text.ts";
import type { GrepHit, GrepQuery } from "svc/platform/git/grep.ts";
import { grepShowable, mustBeShowable } from "./credential_files.ts";
import { KEY_LINE, linesWithoutKeys } from "./key_lines.ts";
import { missingText } from "./near_paths.ts";
import { anyPath } from "./path_arg.ts";
import { tool, type ToolSession } from "./tool.ts";

/** Matching lines shown by default, and at most. */
const GREP_HITS = 100;
const GREP_HITS_MAX = 1000;

/** Cuts a long line around `at` (in bytes, from 1); redacts first, since half a secret would pass. */
function shown(text: string, redact: Redact, at = 1): string {
  if (text.length <= TOOL_LINE_CHARS) return text;
  const line = redact(plainText(text));
  const before = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, at - 1));
  const column = (line === text ? before : redact(plainText(before))).length + 1;
  const from = Math.max(0, Math.min(column - 1 - 100, line.length - TOOL_LINE_CHARS));
  const rest = shortenedStart(line, line.length - from);
  return shortened(rest, TOOL_LINE_CHARS + (from > 0 ? 1 : 0));
}

/** `12:match`, `13-context`, and `--` where lines are left out. */
function block(
  lines: readonly string[],
  hits: readonly GrepHit[],
  { context, redact }: { readonly context: number; readonly redact: Redact },
): string[] {
  const columns = new Map(hits.map(({ line, column }) => [line, column]));
  const wanted = new Set(
    hits.flatMap(({ line }) =>
      Array.from({ length: 2 * context + 1 }, (_, at) => line - context + at)
    ).filter((line) => line >= 1 && line <= lines.length),
  );
  const out: string[] = [];
  let last: number | undefined;
  for (const line of [...wanted].sort((a, b) => a - b)) {
    if (context > 0 && last !== undefined && line > last + 1) out.push("--");
    const column = columns.get(line);
    out.push(
      `${line}${column === undefined ? "-" : ":"}${shown(lines[line - 1]!, redact, column)}`,
    );
    last = line;
  }
  return out;
}

/** Finds the files with a private key; both kinds of pattern read it. */
const KEY_FILES = "-----BEGIN .*PRIVATE KEY";

/** Without lines of private keys: that one matches is an answer, and many of them are the key. */
async function withoutKeys(
  session: ToolSession,
  { pattern: _, fixed: _f, ignoreCase: _i, ...where }: GrepQuery,
  hits: readonly GrepHit[],
): Promise<readonly GrepHit[]> {
  if (hits.length === 0) return hits;
  const keys = await session.tree.git.grep({ ...where, pattern: KEY_FILES });
  const kept = new Map<string, string[] | undefined>();
  for (const { path } of keys.hits) {
    if (!kept.has(path)) kept.set(path, await linesWithoutKeys(session, path));
  }
  return hits.filter(({ path, line }) => kept.get(path)?.[line - 1] !== KEY_LINE);
}

async function blocks(session: ToolSession, hits: readonly GrepHit[], context: number) {
  const texts: string[] = [];
  let unread = 0;
  for (const [path, inFile] of Map.groupBy(hits, ({ path }) => path)) {
    const lines = await linesWithoutKeys(session, path);
    const found = lines === undefined
      ? []
      : block(lines, inFile, { context, redact: session.redact });
    if (found.length > 0) texts.push([visible(path), ...found].join("\n"));
    else unread++;
  }
  return { texts, unread };
}

export const grep = tool({
  name: "grep",
  about: "Searches the lines of files, without what git ignores.",
  capability: "read",
  args: () =>
    z.strictObject({
      pattern: z.string().min(1).max(1000).describe("Regular expression (PCRE)"),
      path: anyPath("This folder or file only").optional(),
      glob: z.string().min(1).max(1000).optional().describe('Files such as "*.ts" only'),
      ignore_case: z.boolean().optional(),
      fixed: z.boolean().optional().describe("Take the pattern as plain text"),
      context: z.int().min(0).max(20).optional().describe("Lines around each match"),
      max: z.int().min(1).max(GREP_HITS_MAX).optional()
        .describe(`Matching lines to show, ${GREP_HITS} unless given`),
    }),
  async run(
    session,
    { pattern, path = ".", glob, ignore_case, fixed, context = 0, max = GREP_HITS },
  ) {
    if (path !== ".") await mustBeShowable(session, path);
    const facts = path === "." ? undefined : await session.tree.folder.stat(path);
    if (path !== "." && facts === undefined) {
      return { ok: false, text: await missingText(session, path) };
    }
    const query: GrepQuery = {
      pattern,
      ...(fixed && { fixed }),
      ...(ignore_case && { ignoreCase: true }),
      ...(facts?.kind === "file" ? { file: path } : facts !== undefined && { paths: [path] }),
      ...(glob !== undefined && { glob }),
    };
    const { hits, complete, perl } = await grepShowable(session, query);
    const found = await withoutKeys(session, query, hits);
    const { texts, unread } = await blocks(session, found.slice(0, max), context);
    const count = `${complete ? "" : "more than "}${complete ? found.length : GREP_COUNTED}`;
    const inFiles = new Set(found.map((hit) => hit.path)).size;
    const notes = [
      ...(found.length === 0 ? ["No line matches"] : []),
      ...(found.length > max || !complete
        ? [
          `[${
            Math.min(max, found.length)
          } of ${count} matching lines in ${inFiles} files; narrow the pattern, path or glob]`,
        ]
        : []),
      ...(unread > 0 ? [`[${unread} files could not be read]`] : []),
      ...(perl ? [] : ["[this git has no PCRE: the pattern was taken as an extended POSIX one]"]),
    ];
    return {
      ok: true,
      text: [texts.join("\n\n"), ...notes].filter((part) => part !== "").join("\n"),
      readOn: () => "Narrow the pattern, path or glob",
      facts: { matches: found.length, files: inFiles, complete },
    };
  },
});
