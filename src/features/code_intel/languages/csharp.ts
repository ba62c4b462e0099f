/** C#. */
import type { Language } from "svc/features/code_intel/language.ts";

export const csharp: Language = {
  name: "C#",
  grammar: "c-sharp",
  files: [".cs"],
  definitions: `
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(namespace_declaration name: (_) @name) @module
(file_scoped_namespace_declaration name: (_) @name) @module
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(property_declaration name: (_) @name) @method
(local_function_statement name: (_) @name) @function
(field_declaration (modifier "const")
  (variable_declaration (variable_declarator name: (_) @name))) @constant
`,
  imports: `
(using_directive (qualified_name) @from)
(using_directive (identifier) @from)
`,
  importNodes: ["using_directive"],
  targets(_, specifier) {
    // By custom the files of a namespace are in the folder of its name.
    const parts = specifier.split(".");
    const rests = [parts, parts.slice(1)].filter(({ length }) => length > 0);
    return { exact: [], ends: rests.map((rest) => `${rest.join("/")}/`) };
  },
};
