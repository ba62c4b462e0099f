/** `code_related`: what a file has to do with, before it is changed. */
import { z } from "zod";
import { CODE_RELATED } from "svc/core/bounds.ts";
import { quoted } from "svc/core/repo_path.ts";
import { visible } from "svc/core/visible_text.ts";
import { type Related, type RelatedFile, relatedTo } from "svc/features/code_intel/related.ts";
import { mustBeShowable } from "./credential_files.ts";
import { codeScope } from "./code_scope.ts";
import { missingText } from "./near_paths.ts";
import { filePath } from "./path_arg.ts";
import { tool } from "./tool.ts";

function section(title: string, files: readonly RelatedFile[], left = 0): string[] {
  const more = files.length - CODE_RELATED;
  if (files.length === 0 && left === 0) return [];
  return [
    `${title}:`,
    ...files.slice(0, CODE_RELATED).map(({ path, why }) => `  ${visible(path)} (${why})`),
    ...(more > 0 ? [`  [${more} more]`] : []),
    ...(left > 0 ? [`  [${left} more files may do so and were not parsed]`] : []),
  ];
}

function textOf(path: string, found: Related): string {
  const packages = found.packages.slice(0, CODE_RELATED);
  const lines = [
    ...(found.notParsed === undefined ? [] : [`[Its imports are not known: ${found.notParsed}]`]),
    ...section("Imports", found.imports),
    ...(packages.length === 0 ? [] : [`Imports from elsewhere: ${packages.join(", ")}`]),
    ...section("Imported by", found.importedBy, found.left),
    ...section(found.itself ? "Tests" : "Tested by", found.tests),
    ...section("Changed together with", found.changedWith),
  ];
  return lines.length === 0 ? `Nothing related to ${quoted(path)} was found` : lines.join("\n");
}

export const codeRelated = tool({
  name: "code_related",
  about: "Shows what a file imports, what imports it, its tests, and files that changed together " +
    "with it. Use it before a change, to see what else to look at.",
  capability: "read",
  args: () => z.strictObject({ path: filePath() }),
  async run(session, { path }, call) {
    await mustBeShowable(session, path);
    const facts = await session.tree.folder.stat(path);
    if (facts === undefined) return { ok: false, text: await missingText(session, path) };
    if (facts.kind !== "file") {
      const what = facts.kind === "other" ? "no regular file" : `a ${facts.kind}`;
      return { ok: false, text: `${quoted(path)} is ${what}; name a file` };
    }
    const found = await relatedTo(codeScope(session, call), path);
    const { imports, importedBy, tests, changedWith } = found;
    return {
      ok: true,
      text: textOf(path, found),
      facts: {
        imports: imports.length,
        imported_by: importedBy.length,
        tests: tests.length,
        changed_with: changedWith.length,
      },
    };
  },
});
