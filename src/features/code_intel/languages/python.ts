/** Python. */
import { joinPath } from "svc/core/path_parts.ts";
import { folderPrefix, type Language, NOWHERE } from "svc/features/code_intel/language.ts";

/** A module is a file or a package (docs.python.org/3/reference/import.html). */
const spellings = (base: string) => [`${base}.py`, `${base}.pyi`, `${base}/__init__.py`];

export const python: Language = {
  name: "Python",
  grammar: "python",
  files: [".py", ".pyi"],
  definitions: `
(class_definition body: (block (function_definition name: (_) @name) @method))
(class_definition body: (block (decorated_definition (function_definition name: (_) @name) @method)))
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(module (expression_statement (assignment left: (identifier) @name) @constant))
(type_alias_statement . (type (identifier) @name)) @type
`,
  imports: `
(import_from_statement module_name: (_) @from name: (dotted_name) @member)
(import_from_statement module_name: (_) @from name: (aliased_import name: (_) @member))
(import_from_statement module_name: (_) @from (wildcard_import))
(import_statement name: (dotted_name) @from)
(import_statement name: (aliased_import name: (_) @from))
`,
  importNodes: ["import_statement", "import_from_statement", "future_import_statement"],
  targets(from, specifier, member) {
    const [dots = ""] = /^\.*/.exec(specifier)!;
    const module = specifier.slice(dots.length).replaceAll(".", "/");
    const within = (base: string) => [
      ...(member === undefined ? [] : spellings(base === "" ? member : `${base}/${member}`)),
      ...(base === "" ? [] : spellings(base)),
    ];
    if (dots !== "") {
      const base = joinPath(folderPrefix(from), `${"../".repeat(dots.length - 1)}${module}`);
      return base === undefined ? NOWHERE : { exact: within(base), ends: [] };
    }
    const beside = [folderPrefix(from), "", "src/"].flatMap((folder) => within(folder + module));
    return { exact: beside, ends: within(module).filter((path) => path.includes("/")) };
  },
};
