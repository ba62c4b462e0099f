/** Ruby. */
import { joinPath } from "svc/core/path_parts.ts";
import { folderPrefix, type Language } from "svc/features/code_intel/language.ts";

export const ruby: Language = {
  name: "Ruby",
  grammar: "ruby",
  files: [".rb", ".rake", "rakefile", "gemfile"],
  definitions: `
(class (body_statement (method name: (_) @name) @method))
(module (body_statement (method name: (_) @name) @method))
(singleton_class (body_statement (method name: (_) @name) @method))
(singleton_method name: (_) @name) @method
(method name: (_) @name) @function
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: (constant) @name) @constant
`,
  imports: `
(call method: (identifier) @call arguments: (argument_list . (string) @from)
  (#any-of? @call "require" "require_relative" "load"))
`,
  importNodes: [],
  targets(from, specifier) {
    const file = specifier.endsWith(".rb") ? specifier : `${specifier}.rb`;
    const beside = joinPath(folderPrefix(from), file);
    return {
      exact: [...(beside === undefined ? [] : [beside]), `lib/${file}`, `app/${file}`],
      ends: file.startsWith(".") ? [] : [`lib/${file}`, ...(file.includes("/") ? [file] : [])],
    };
  },
};
