/** `code_symbols`: what a file defines, or where a name is defined. */
import { z } from "zod";
import { CODE_DEFINITIONS, CODE_OUTLINE } from "svc/core/bounds.ts";
import { quoted } from "svc/core/repo_path.ts";
import { visible } from "svc/core/visible_text.ts";
import { withCode } from "svc/features/code_intel/code_file.ts";
import { findSymbol, type FoundSymbol, type NameFit } from "svc/features/code_intel/find_symbol.ts";
import { KINDS } from "svc/features/code_intel/language.ts";
import { type Definition, outlineOf } from "svc/features/code_intel/outline.ts";
import { mustBeShowable } from "./credential_files.ts";
import { codeScope, lines } from "./code_scope.ts";
import { missingText } from "./near_paths.ts";
import { filePath } from "./path_arg.ts";
import { type CallContext, tool, type ToolAnswer, type ToolSession } from "./tool.ts";

/** Undefined for a regular file. */
async function noFile(session: ToolSession, path: string): Promise<ToolAnswer | undefined> {
  const facts = await session.tree.folder.stat(path);
  if (facts === undefined) return { ok: false, text: await missingText(session, path) };
  if (facts.kind === "file") return undefined;
  const what = facts.kind === "symlink" ? "a link, which is not followed" : `a ${facts.kind}`;
  return { ok: false, text: `${quoted(path)} is ${what}; name a file` };
}

function outlineText(path: string, found: readonly Definition[], broken: boolean): string {
  const notes = broken ? ["; it has syntax errors, so some may be missing"] : [];
  const more = found.length - CODE_OUTLINE;
  return [
    `[${visible(path)}: ${found.length} definitions${notes.join("")}]`,
    ...found.slice(0, CODE_OUTLINE).map((one) =>
      `${"  ".repeat(one.depth)}${one.kind} ${
        one.depth === 0 && one.owner ? `${one.owner}.` : ""
      }${one.name} ${lines(one)}`
    ),
    ...(more > 0 ? [`[${more} more; use kind, or name]`] : []),
  ].join("\n");
}

async function outline(
  session: ToolSession,
  call: CallContext,
  path: string,
  wanted: (one: Definition) => boolean,
): Promise<ToolAnswer> {
  await mustBeShowable(session, path);
  const none = await noFile(session, path);
  if (none !== undefined) return none;
  return await withCode(codeScope(session, call), path, (file): ToolAnswer => {
    const found = "why" in file ? undefined : outlineOf(file)?.filter(wanted);
    if (found === undefined || "why" in file) {
      const why = "why" in file ? file.why : "finding its definitions takes too long";
      return {
        ok: false,
        text: `${quoted(path)} has no outline: ${why}. Use grep or file_read`,
        facts: { parsed: false },
      };
    }
    const { broken } = file.syntax;
    return {
      ok: true,
      text: outlineText(path, found, broken),
      readOn: () => "Use kind, or name",
      facts: { definitions: found.length, parsed: true, broken },
    };
  });
}

const FITS: Readonly<Record<NameFit, string>> = {
  "exact": "",
  "other case": " in another case",
  "prefix": " as the start of other names",
  "none": "",
};

function foundText(name: string, { fit, definitions, left }: FoundSymbol): string {
  const unparsed = left > 0
    ? [`[${left} more files may define it and were not parsed; use grep]`]
    : [];
  if (definitions.length === 0) {
    return [
      `No definition of ${quoted(name)} was found. Use code_references or grep for its uses`,
      ...unparsed,
    ].join("\n");
  }
  const more = definitions.length - CODE_DEFINITIONS;
  return [
    ...(fit === "exact" ? [] : [`[${quoted(name)} is defined${FITS[fit]} only]`]),
    ...definitions.slice(0, CODE_DEFINITIONS).map((one) =>
      `${visible(one.path)}:${lines(one)} ${one.kind} ${
        one.owner === undefined ? "" : `${one.owner}.`
      }${one.name}`
    ),
    ...(more > 0 ? [`[${more} more; use kind, or a longer name]`] : []),
    ...unparsed,
  ].join("\n");
}

export const codeSymbols = tool({
  name: "code_symbols",
  about: "Shows what a file defines (path), or where a name is defined (name). Parsed, so surer " +
    "than grep.",
  capability: "read",
  args: () =>
    z.strictObject({
      path: filePath("Outline of this file").optional(),
      name: z.string().trim().min(1).max(200).regex(/^[^\n\0]+$/).optional()
        .describe("Such as Store or Store.save; with path: only in that file"),
      kind: z.enum(KINDS).optional().describe("Only these"),
    }),
  async run(session, { path, name, kind }, call) {
    if (path !== undefined) {
      const ofKind = (one: Definition) => kind === undefined || one.kind === kind;
      const last = name?.split(/::|[.#]/).at(-1);
      return await outline(
        session,
        call,
        path,
        (one) => ofKind(one) && (name === undefined || one.name === name || one.name === last),
      );
    }
    if (name === undefined) {
      return { ok: false, text: "Give path for the outline of a file, or name to find a symbol" };
    }
    const found = await findSymbol(codeScope(session, call), { name, ...(kind && { kind }) });
    return {
      ok: true,
      text: foundText(name, found),
      readOn: () => "Use kind, or a longer name",
      facts: { definitions: found.definitions.length, fit: found.fit },
    };
  },
});
