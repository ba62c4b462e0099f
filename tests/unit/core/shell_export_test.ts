import assert from "node:assert/strict";
import { evalLine, EXPORT_SHELLS, exportLine } from "svc/core/shell_export.ts";

Deno.test("each shell has a line that sets a variable, and one that evaluates it", () => {
  const of = (shell: typeof EXPORT_SHELLS[number]) => [
    exportLine(shell, "NAME", "a-b_C1"),
    evalLine(shell, "svc x"),
  ];
  for (const shell of ["sh", "bash", "zsh", "ksh"] as const) {
    assert.deepEqual(of(shell), ["export NAME=a-b_C1", 'eval "$(svc x)"']);
  }
  assert.deepEqual(of("fish"), ["set -gx NAME a-b_C1", "svc x --shell fish | source"]);
  assert.deepEqual(of("tcsh"), ["setenv NAME a-b_C1", "eval `svc x --shell tcsh`"]);
  assert.deepEqual(of("powershell"), [
    '$env:NAME = "a-b_C1"',
    "svc x --shell powershell | Invoke-Expression",
  ]);
});
