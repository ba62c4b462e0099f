/** Rust. */
import { joinPath, stemOf } from "svc/core/path_parts.ts";
import { folderPrefix, type Language } from "svc/features/code_intel/language.ts";

/** A module is a file or a folder's mod.rs (doc.rust-lang.org/reference/items/modules.html). */
const spellings = (base: string) => [`${base}.rs`, `${base}/mod.rs`];

/** Folder of the modules that the file itself declares. */
const below = (path: string) =>
  ["mod", "lib", "main"].includes(stemOf(path))
    ? folderPrefix(path)
    : `${folderPrefix(path)}${stemOf(path)}/`;

export const rust: Language = {
  name: "Rust",
  grammar: "rust",
  files: [".rs"],
  definitions: `
(impl_item type: (_) @scope body: (declaration_list (function_item name: (_) @name) @method))
(trait_item body: (declaration_list (function_item name: (_) @name) @method))
(trait_item body: (declaration_list (function_signature_item name: (_) @name) @method))
(function_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(type_item name: (_) @name) @type
(mod_item name: (_) @name body: (_)) @module
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(macro_definition name: (_) @name) @macro
`,
  imports: `
(use_declaration argument: (_) @from)
(mod_item name: (_) @from !body)
`,
  importNodes: ["use_declaration", "extern_crate_declaration"],
  targets(from, specifier) {
    if (/^\w+$/.test(specifier)) return { exact: spellings(below(from) + specifier), ends: [] };
    const parts = specifier.split(/\sas\s|[{*]/, 1)[0]!.replace(/\s+/g, "").replace(/::$/, "")
      .split("::");
    const crate = /^(.*\/)?src\//.exec(from)?.[0] ?? "";
    const [first = "", ...rest] = parts;
    let base = first === "crate" ? crate : first === "self" ? below(from) : undefined;
    let names = rest;
    if (first === "super") {
      const ups = parts.findLastIndex((part) => part === "super") + 1;
      base = joinPath(below(from), "../".repeat(ups));
      names = parts.slice(ups);
    }
    if (base === undefined) return { exact: [], ends: [] };
    const root = base === "" || base.endsWith("/") ? base : `${base}/`;
    // The last names may be items inside the module.
    const modules = names.map((_, at) => names.slice(0, names.length - at).join("/"));
    return { exact: modules.flatMap((module) => spellings(root + module)), ends: [] };
  },
};
