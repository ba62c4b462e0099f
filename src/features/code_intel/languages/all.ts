/** The languages whose files are parsed, found by file name. */
import { nameOf } from "svc/core/path_parts.ts";
import type { Language } from "svc/features/code_intel/language.ts";
import { bash } from "./bash.ts";
import { cpp } from "./cpp.ts";
import { csharp } from "./csharp.ts";
import { go } from "./go.ts";
import { java } from "./java.ts";
import { php } from "./php.ts";
import { python } from "./python.ts";
import { ruby } from "./ruby.ts";
import { rust } from "./rust.ts";
import { javascript, tsx, typescript } from "./typescript.ts";

export const LANGUAGES: readonly Language[] = [
  typescript,
  tsx,
  javascript,
  python,
  go,
  rust,
  java,
  csharp,
  ruby,
  php,
  bash,
  cpp,
];

const byName = new Map(LANGUAGES.flatMap((one) => one.files.map((file) => [file, one])));

export function languageOf(path: string): Language | undefined {
  const name = nameOf(path).toLowerCase();
  const dot = name.lastIndexOf(".");
  return byName.get(name) ?? (dot > 0 ? byName.get(name.slice(dot)) : undefined);
}
