/** C and C++; the C++ grammar parses both. */
import { joinPath } from "svc/core/path_parts.ts";
import { folderPrefix, type Language } from "svc/features/code_intel/language.ts";

export const cpp: Language = {
  name: "C/C++",
  grammar: "cpp",
  files: [".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"],
  definitions: `
(function_definition declarator: (_ declarator: (qualified_identifier
  scope: (_) @scope name: (identifier) @name))) @method
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @method
(function_definition declarator: (function_declarator declarator: (identifier) @name)) @function
(function_definition declarator: (pointer_declarator
  declarator: (function_declarator declarator: (identifier) @name))) @function
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(namespace_definition name: (_) @name) @module
(type_definition declarator: (type_identifier) @name) @type
(alias_declaration name: (_) @name) @type
(preproc_def name: (_) @name) @constant
(preproc_function_def name: (_) @name) @macro
`,
  imports: `(preproc_include path: (_) @from)`,
  importNodes: ["preproc_include", "using_declaration"],
  targets(from, specifier) {
    const path = specifier.replace(/^<|>$/g, "");
    const beside = joinPath(folderPrefix(from), path);
    return {
      exact: [...(beside === undefined ? [] : [beside]), path, `include/${path}`, `src/${path}`],
      ends: path.includes("/") ? [path] : [],
    };
  },
};
