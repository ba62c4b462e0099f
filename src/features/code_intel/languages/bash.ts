/** Bash and POSIX shell. */
import { joinPath, nameOf } from "svc/core/path_parts.ts";
import { folderPrefix, type Language } from "svc/features/code_intel/language.ts";

/** Longest path on Linux (PATH_MAX); the rest of a longer specifier is not looked at. */
const PATH_CHARS = 4096;

export const bash: Language = {
  name: "shell",
  grammar: "bash",
  files: [".sh", ".bash", ".bats"],
  definitions: `
(function_definition name: (_) @name) @function
(program (declaration_command (variable_assignment name: (_) @name)) @constant)
(program (variable_assignment name: (_) @name) @constant)
`,
  imports: `
(command name: (command_name) @call . argument: (_) @from
  (#any-of? @call "source" "."))
`,
  importNodes: [],
  targets(from, specifier) {
    // In "$(dirname "$0")/name.sh" the expansion is taken for the script's folder.
    const path = specifier.includes("$")
      ? /[)}"\w]\/([\w./-]+)"?$/.exec(specifier.slice(-PATH_CHARS))?.[1] ??
        nameOf(specifier).replaceAll('"', "")
      : specifier;
    const beside = joinPath(folderPrefix(from), path);
    const fromRoot = joinPath("", path);
    return { exact: [beside, fromRoot].filter((one) => one !== undefined), ends: [] };
  },
};
