/** Which programs a command of a manifest needs on PATH. */
import assert from "node:assert/strict";
import { namedPrograms } from "svc/features/harness/candidates/named_programs.ts";

const CASES: readonly (readonly [run: readonly string[], programs: readonly string[]])[] = [
  [["ruff", "check", "."], ["ruff"]],
  [["env", "RUSTUP_HOME=/usr/local/rustup", "cargo", "test"], ["env", "cargo"]],
  [["env", "-i", "cargo"], ["env"]],
  [["env", "PATH=/opt/bin", "cargo"], ["env"]],
  [["env"], ["env"]],
  [["env", "X=1"], ["env"]],
  [
    ["sh", "-c", "cmake -S . -B build -DX=ON && cmake --build build && ctest --test-dir build"],
    ["sh", "cmake", "cmake", "ctest"],
  ],
  [["sh", "-ec", "NOCONFIGURE=1 ./autogen.sh && make check"], ["sh", "./autogen.sh", "make"]],
  [["sh", "-c", "cd web && npm test"], ["sh", "npm"]],
  // What stands behind may be found elsewhere, or be the shell's.
  [["sh", "-c", "export PATH=/opt/bin && tool"], ["sh"]],
  [["sh", "-c", ". venv/bin/activate && pytest"], ["sh"]],
  [["sh", "-c", "PATH=/opt/bin tool && other"], ["sh"]],
  [["bash", "-c", "time make test"], ["bash"]],
  [["bash", "-ec", "declare CI=1 && make test"], ["bash"]],
  [["sh", "-c", "if tool; then other; fi"], ["sh"]],
  [["sh", "-c", "tool & other"], ["sh"]],
  [["sh", "-c", "if test -f x\nthen tool\nfi\n"], ["sh"]],
  [["sh", "-c", "tool\nother"], ["sh"]],
  [["sh", "-c", "tool && other\n"], ["sh", "tool", "other"]],
  [["bash", "-c", "time tool && other"], ["bash"]],
  // What the first part installs is not there yet.
  [["sh", "-c", "corepack enable && pnpm test"], ["sh", "corepack"]],
  [["sh", "-c", "cd web && pip install -r dev.txt && pytest -q"], ["sh", "pip"]],
  [["sh", "-c", "X=1"], ["sh"]],
  [["sh", "test.sh"], ["sh"]],
  [[], []],
];

for (const [run, programs] of CASES) {
  Deno.test(`programs of ${JSON.stringify(run)}`, () => {
    assert.deepEqual(namedPrograms(run), programs);
  });
}
