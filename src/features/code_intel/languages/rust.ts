/** Rust. */
import { joinPath, stemOf } from "svc/core/path_parts.ts";
import { folderPrefix, type Language, NOWHERE } from "svc/features/code_intel/language.ts";

/** A module is a file or a folder's mod.rs (doc.rust-lang.org/reference/items/modules.html). */
const spellings = (base: string) => [`${base}.rs`, `${base}/mod.rs`];

/** Programs and tests that are crates of their own (doc.rust-lang.org/cargo/reference/cargo-targets.html). */
const OWN_CRATES = /^(.*\/)?src\/bin\/|^((?:(?!src\/)[^/]+\/)*?)(?:tests|benches|examples)\//;

function crateOf(path: string): { readonly folder: string; readonly library: string } {
  const own = OWN_CRATES.exec(path);
  if (own !== null) return { folder: own[0], library: `${own[1] ?? own[2] ?? ""}src/` };
  const folder = /^(.*\/)?src\//.exec(path)?.[0] ?? "";
  return { folder, library: folder };
}

/** Folder of the modules that the file itself declares. */
function below(path: string): string {
  const folder = folderPrefix(path);
  const root = ["mod", "lib", "main"].includes(stemOf(path)) ||
    OWN_CRATES.exec(path)?.[0] === folder;
  return root ? folder : `${folder}${stemOf(path)}/`;
}

const TREE_DEPTH = 16;

/** `a::{b, c::{d, self}}` names a::b, a::c::d and a::c (doc.rust-lang.org/reference/items/use-declarations.html). */
function namedIn(tree: string, depth = 0): string[] {
  const open = tree.indexOf("{");
  if (open === -1 || depth === TREE_DEPTH) return [tree.trim()];
  const head = tree.slice(0, open).trim();
  const parts: string[] = [];
  let [from, inside] = [open + 1, 0];
  for (let at = from; at < tree.length; at++) {
    if (tree[at] === "{") inside++;
    else if (inside === 0 && (tree[at] === "," || tree[at] === "}")) {
      parts.push(tree.slice(from, at));
      from = at + 1;
    } else if (tree[at] === "}") inside--;
  }
  return parts.filter((part) => part.trim() !== "").flatMap((part) => namedIn(part, depth + 1))
    .map((name) => /^self\b/.test(name) ? head.replace(/::$/, "") : head + name);
}

/** The language's own crates, which no repo has. */
const STANDARD = ["std", "core", "alloc", "proc_macro"];

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
  each: (specifier) => namedIn(specifier.replace(/\/\/[^\n]*/g, "")),
  targets(from, specifier) {
    if (/^\w+$/.test(specifier)) return { exact: spellings(below(from) + specifier), ends: [] };
    const parts = specifier.split(/\sas\s|[{*]/, 1)[0]!.replace(/\s+/g, "").replace(/::$/, "")
      .split("::");
    const { folder: crate, library } = crateOf(from);
    const [first = "", ...rest] = parts;
    let base = first === "crate" ? crate : first === "self" ? below(from) : undefined;
    let names = rest;
    if (first === "super") {
      const ups = parts.findLastIndex((part) => part === "super") + 1;
      base = joinPath(below(from), "../".repeat(ups));
      names = parts.slice(ups);
    }
    // The last names may be items inside the module.
    const modules = names.map((_, at) => names.slice(0, names.length - at).join("/"));
    if (base !== undefined) {
      const root = base === "" || base.endsWith("/") ? base : `${base}/`;
      return { exact: modules.flatMap((module) => spellings(root + module)), ends: [] };
    }
    if (STANDARD.includes(first)) return NOWHERE;
    // A module beside, the library of the same package, or another crate of the workspace.
    const beside = [first, ...modules.map((module) => `${first}/${module}`)].toReversed();
    const own = library === crate ? [] : modules.map((module) => library + module);
    const crates = [first, first.replaceAll("_", "-")].map((name) => `${name}/src/`);
    return {
      exact: [...beside.map((module) => below(from) + module), ...own].flatMap(spellings),
      ends: crates.flatMap((
        src,
      ) => [...modules.flatMap((module) => spellings(src + module)), `${src}lib.rs`]),
    };
  },
};
