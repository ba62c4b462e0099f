/** TypeScript, TSX and JavaScript. */
import { joinPath } from "svc/core/path_parts.ts";
import {
  folderPrefix,
  type ImportTargets,
  type Language,
  NOWHERE,
} from "svc/features/code_intel/language.ts";

const ENDINGS = [".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs"];

/** The paths that a specifier may mean (typescriptlang.org/docs/handbook/modules/reference.html). */
function spellings(base: string): string[] {
  const typed = base.replace(/\.([cm]?)js(x?)$/, ".$1ts$2");
  return [
    ...[base, ...(typed === base ? [] : [typed, `${typed}x`])],
    ...ENDINGS.map((ending) => base + ending),
    ...ENDINGS.map((ending) => `${base}/index${ending}`),
  ];
}

function targets(from: string, specifier: string): ImportTargets {
  if (specifier.startsWith(".")) {
    const base = joinPath(folderPrefix(from), specifier);
    return base === undefined ? NOWHERE : { exact: spellings(base), ends: [] };
  }
  // Only a project's own "imports" begin so (nodejs.org/api/packages.html#subpath-imports).
  if (/^#[^/]+\//.test(specifier)) return { exact: [], ends: spellings(specifier.slice(1)) };
  // An alias in the project's settings maps to some folder; a package has no file here.
  const [, ...rest] = specifier.split("/");
  const named = rest.length > 1 || /\.[cm]?[jt]sx?$/.test(specifier) || /^[@~#]\//.test(specifier);
  if (rest.length === 0 || /^[a-z]+:/.test(specifier) || !named) return NOWHERE;
  return {
    exact: spellings(specifier),
    ends: [specifier, rest.join("/")].flatMap(spellings),
  };
}

/** Counts only in an object that has a name: arguments with callbacks would each bring some. */
const PAIR =
  "(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)])";

const JAVASCRIPT = `
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(program (export_statement
  (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
(program (variable_declaration (variable_declarator name: (identifier) @name) @constant))
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @function
${
  ["variable_declarator value:", "assignment_expression right:", "export_statement value:"]
    .map((named) => `(${named} (object ${PAIR} @method))`).join("\n")
}
`;

const TYPESCRIPT = `
${JAVASCRIPT}
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(function_signature name: (_) @name) @function
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
`;

const IMPORTS = `
(import_statement source: (string) @from)
(export_statement source: (string) @from)
(call_expression function: (import) arguments: (arguments . (string) @from))
(call_expression function: (identifier) @call arguments: (arguments . (string) @from)
  (#eq? @call "require"))
`;

const shared = { imports: IMPORTS, importNodes: ["import_statement", "import_clause"], targets };

export const typescript: Language = {
  ...shared,
  imports: `${IMPORTS}(import_require_clause source: (string) @from)\n`,
  name: "TypeScript",
  grammar: "typescript",
  files: [".ts", ".mts", ".cts"],
  definitions: TYPESCRIPT,
};

export const tsx: Language = { ...typescript, name: "TSX", grammar: "tsx", files: [".tsx"] };

export const javascript: Language = {
  ...shared,
  name: "JavaScript",
  grammar: "javascript",
  files: [".js", ".jsx", ".mjs", ".cjs"],
  definitions: `
${JAVASCRIPT}
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
`,
};
