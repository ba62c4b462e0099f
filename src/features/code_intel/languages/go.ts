/** Go. */
import type { Language } from "svc/features/code_intel/language.ts";

export const go: Language = {
  name: "Go",
  grammar: "go",
  files: [".go"],
  definitions: `
(function_declaration name: (_) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @scope)) name: (_) @name) @method
(interface_type (method_elem name: (_) @name) @method)
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(source_file (const_declaration (const_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @constant)))
`,
  imports: `(import_spec path: (_) @from)`,
  importNodes: ["import_declaration"],
  targets(_, specifier) {
    // A package is a folder; its path starts with that of its module (go.dev/ref/mod).
    const parts = specifier.split("/");
    const hosted = parts[0]!.includes(".");
    const rests = parts.map((_, at) => parts.slice(at)).slice(1);
    const folders = rests.filter((rest) => hosted || rest.length === parts.length - 1);
    return {
      exact: folders.map((rest) => `${rest.join("/")}/`),
      ends: hosted
        ? rests.filter(({ length }) => length > 1).map((rest) => `${rest.join("/")}/`)
        : [],
    };
  },
};
