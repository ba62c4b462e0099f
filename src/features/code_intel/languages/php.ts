/** PHP. */
import { joinPath } from "svc/core/path_parts.ts";
import { folderPrefix, type Language } from "svc/features/code_intel/language.ts";

export const php: Language = {
  name: "PHP",
  grammar: "php",
  files: [".php"],
  definitions: `
(function_definition name: (_) @name) @function
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(namespace_definition name: (_) @name) @module
(const_element . (name) @name) @constant
`,
  imports: `
(namespace_use_clause (qualified_name) @from)
(namespace_use_declaration (namespace_name) @from
  body: (namespace_use_group (namespace_use_clause . (_) @member)))
(require_expression (string) @from)
(require_once_expression (string) @from)
(include_expression (string) @from)
(include_once_expression (string) @from)
(require_expression (binary_expression right: (string) @from))
(require_once_expression (binary_expression right: (string) @from))
(include_once_expression (binary_expression right: (string) @from))
`,
  importNodes: ["namespace_use_declaration"],
  targets(from, specifier, member) {
    if (specifier.endsWith(".php")) {
      const beside = joinPath(folderPrefix(from), specifier.replace(/^\/+/, ""));
      return { exact: beside === undefined ? [] : [beside], ends: [] };
    }
    // A class is in the file of its name; the first names map to some folder (php-fig.org/psr/psr-4).
    const name = member === undefined ? specifier : `${specifier}\\${member}`;
    const parts = name.split("\\").filter((part) => part !== "");
    const rests = parts.map((_, at) => parts.slice(at)).filter(({ length }) => length > 1);
    const single = parts.length === 2 ? [parts.slice(1)] : [];
    return { exact: [], ends: [...rests, ...single].map((rest) => `${rest.join("/")}.php`) };
  },
};
