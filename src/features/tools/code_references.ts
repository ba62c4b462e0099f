/** `code_references`: where a name is used, and as what. */
import { z } from "zod";
import type { Redact } from "svc/core/redact.ts";
import { quoted } from "svc/core/repo_path.ts";
import { visible } from "svc/core/visible_text.ts";
import { findReferences, type References } from "svc/features/code_intel/references.ts";
import { mustBeShowable } from "./credential_files.ts";
import { codeScope, shortLine } from "./code_scope.ts";
import { KEY_LINE, linesWithoutKeys } from "./key_lines.ts";
import { missingText } from "./near_paths.ts";
import { anyPath } from "./path_arg.ts";
import { tool, type ToolSession } from "./tool.ts";

function textOf(
  name: string,
  { files, moreLines, moreFiles, complete }: References,
  redact: Redact,
): string {
  if (files.length === 0) return `No use of ${quoted(name)} was found`;
  const shown = files.map(({ path, references, why }) =>
    [
      why === undefined ? visible(path) : `${visible(path)} [not parsed: ${why}]`,
      ...references.map(({ line, use, text }) =>
        `${line}: ${use}: ${shortLine(text.trim(), redact)}`
      ),
    ].join("\n")
  );
  const more = moreLines === 0 && complete ? [] : [
    `[${complete ? "" : "more than "}${moreLines} more lines${
      moreFiles > 0 ? `, in ${moreFiles} more files` : ""
    }; narrow it by path]`,
  ];
  return [...shown, ...more].join("\n");
}

/** What looks like a name may stand in the middle of a private key. */
async function withoutKeys(session: ToolSession, found: References): Promise<References> {
  const files = await Promise.all(found.files.map(async (file) => {
    const lines = await linesWithoutKeys(session, file.path);
    const shown = (line: number, text: string) => lines?.[line - 1] === KEY_LINE ? KEY_LINE : text;
    const references = file.references.map((one) => ({ ...one, text: shown(one.line, one.text) }));
    return { ...file, references };
  }));
  return { ...found, files };
}

export const codeReferences = tool({
  name: "code_references",
  about: "Shows the lines that use a name: definitions, calls, types, imports, text, other uses.",
  capability: "read",
  args: () =>
    z.strictObject({
      name: z.string().trim().min(1).max(200).regex(/^[^\n\0]+$/).describe("The whole name"),
      path: anyPath("This folder or file only").optional(),
    }),
  async run(session, { name, path = "." }, call) {
    if (path !== ".") {
      await mustBeShowable(session, path);
      const facts = await session.tree.folder.stat(path);
      if (facts === undefined) return { ok: false, text: await missingText(session, path) };
    }
    const found = await findReferences(codeScope(session, call), {
      name,
      ...(path !== "." && { path }),
    });
    const lines = found.files.reduce((sum, { references }) => sum + references.length, 0);
    return {
      ok: true,
      text: textOf(name, await withoutKeys(session, found), session.redact),
      readOn: () => "Narrow it by path",
      facts: { lines, more: found.moreLines, complete: found.complete },
    };
  },
});
