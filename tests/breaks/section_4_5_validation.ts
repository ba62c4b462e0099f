/** Breaks of `validation`. */
import type { Break } from "./break.ts";

export const SECTION_4_5_VALIDATION: readonly Break[] = [
  {
    ids: ["4.5:validation-agent-smoke:runs-roles"],
    file: "src/runtime/smoke/smoke.ts",
    find: "asked.roles.length > 0 ? asked.roles : Object.keys(manifest.roles);",
    put: 'asked.roles.length > 0 ? asked.roles.slice(1) : ["engineer"];',
  },
  {
    ids: ["4.5:validation-agent-smoke:ephemeral-targets"],
    file: "src/platform/files/temp_folder.ts",
    find:
      '    [Symbol.dispose]() {\n      globalThis.removeEventListener("unload", atEnd);\n      removeNow(path);',
    put: '    [Symbol.dispose]() {\n      globalThis.removeEventListener("unload", atEnd);',
  },
];
