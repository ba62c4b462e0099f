/** C and C++; the C++ grammar parses both. */
import { joinPath } from "svc/core/path_parts.ts";
import { folderPrefix, type Language } from "svc/features/code_intel/language.ts";

/** What a definition declares: the function itself, or one that returns a pointer, two of them, or a reference. */
const DECLARES = [
  (called: string) => called,
  (called: string) => `(pointer_declarator declarator: ${called})`,
  (called: string) => `(pointer_declarator declarator: (pointer_declarator declarator: ${called}))`,
  (called: string) => `(reference_declarator ${called})`,
];

/** @param kind a kind of symbols */
function defined(name: string, kind: string): string {
  const all = DECLARES.map((declares) => declares(`(function_declarator declarator: ${name})`));
  return `(function_definition declarator: [${all.join(" ")}]) @${kind}`;
}

const MEMBER = "[(identifier) (destructor_name) (operator_name)] @name";

/** `Cart::total`, and below as many namespaces: `shop::Cart::total`. */
function below(names: number): string {
  return names === 0
    ? `(qualified_identifier scope: (_) @scope name: ${MEMBER})`
    : `(qualified_identifier name: ${below(names - 1)})`;
}

export const cpp: Language = {
  name: "C/C++",
  grammar: "cpp",
  files: [".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"],
  definitions: `
${[0, 1, 2].map((names) => defined(below(names), "method")).join("\n")}
${defined("[(field_identifier) (destructor_name)] @name", "method")}
${defined("[(identifier) (operator_name)] @name", "function")}
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(namespace_definition name: (_) @name) @module
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator
    (pointer_declarator declarator: (type_identifier) @name)))]) @type
(alias_declaration name: (_) @name) @type
(preproc_def name: (_) @name) @constant
(preproc_function_def name: (_) @name) @macro
`,
  imports: `(preproc_include path: (_) @from)`,
  importNodes: ["preproc_include", "using_declaration"],
  targets(from, specifier) {
    const path = specifier.replace(/^<|>$/g, "");
    // A header in quotes is of the project, in a folder that the compiler is told of.
    const own = !specifier.startsWith("<") || path.includes("/");
    const beside = joinPath(folderPrefix(from), path);
    return {
      exact: [...(beside === undefined ? [] : [beside]), path, `include/${path}`, `src/${path}`],
      ends: own ? [path] : [],
    };
  },
};
