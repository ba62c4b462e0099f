import assert from "node:assert/strict";
import { telling } from "svc/features/code_intel/path_kind.ts";

Deno.test("what package managers and compilers of schemas write tells least of all files", () => {
  const written = [
    ...["package-lock.json", "web/pnpm-lock.yaml", "npm-shrinkwrap.json", "Cargo.lock", "go.sum"],
    ...["cs/packages.lock.json", "gradle.lockfile", "Package.resolved"],
    ...["api/user.pb.go", "api/user_pb2.py", "api/user_pb2_grpc.pyi", "src/a.gen.ts"],
  ];
  assert.deepEqual(written.filter((path) => telling(path) > 0.1), []);
  const people = ["src/lock.ts", "pnpm-workspace.yaml", "package.json", "src/pb2.py", "a.test.ts"];
  assert.deepEqual(people.filter((path) => telling(path) < 0.5), []);
});
