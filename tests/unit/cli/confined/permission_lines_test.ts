import assert from "node:assert/strict";
import { permissionLines } from "svc/cli/confined/permission_lines.ts";

Deno.test("each kind of permission has a line, and what is not granted is said to be none", () => {
  const none = { run: false, env: false, sys: false, ffi: false, import: false } as const;
  const net = ["127.0.0.1", "models.example:443"];
  const few = permissionLines({ net, read: ["/home/.svc/db"], write: [], ...none });
  assert.deepEqual(few, [
    "permission net: 127.0.0.1 models.example:443",
    "permission read: /home/.svc/db",
    "permission write, run, env, sys, ffi, import: none; " +
    "the repo and programs are reached through the broker",
  ]);
});
