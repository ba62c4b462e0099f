/** Java. */
import { type Language, NOWHERE } from "svc/features/code_intel/language.ts";

export const java: Language = {
  name: "Java",
  grammar: "java",
  files: [".java"],
  definitions: `
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (_) @name)) @constant
`,
  imports: `(import_declaration (scoped_identifier) @from)`,
  importNodes: ["import_declaration"],
  targets(_, specifier) {
    // A class is in the file of its name below its package; a static import names a member.
    const parts = specifier.split(".");
    const classes = [parts, parts.slice(0, -1)].map((names) => names.join("/"));
    if (/^javax?$/.test(parts[0]!)) return NOWHERE; // of the JDK
    const files = classes.filter((name) => name.includes("/")).map((name) => `${name}.java`);
    // `import org.shop.price.*` names the package, which is a folder.
    return { exact: [], ends: [...files, ...(parts.length > 1 ? [`${parts.join("/")}/`] : [])] };
  },
};
