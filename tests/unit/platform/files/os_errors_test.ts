import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { attempt, Blocked, osCode, osFailure } from "svc/platform/files/os_errors.ts";
import { cannotMount, mountFile } from "tests/kit/odd_disks.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

const coded = (code: string) => Object.assign(new Error("raw text"), { code });

Deno.test("osFailure gives each system error a code, the path and a way out", () => {
  const codes = {
    ENOENT: "not_found",
    EACCES: "environment",
    EPERM: "environment",
    EROFS: "environment",
    ENOSPC: "environment",
    EDQUOT: "environment",
    EIO: "environment",
    EMFILE: "environment",
    ENFILE: "environment",
    ENAMETOOLONG: "usage",
    EINVAL: "usage",
    ELOOP: "failed",
    EISDIR: "failed",
    ENOTDIR: "failed",
    EXDEV: "failed",
    ESTALE: "failed",
    EEXIST: "conflict",
    ENOTEMPTY: "conflict",
    EBUSY: "conflict",
  };
  for (const [code, expected] of Object.entries(codes)) {
    const failure = osFailure("read", "/a/b c", coded(code));
    assert.equal(failure.code, expected, code);
    assert.match(failure.message, /^Cannot read "\/a\/b c": [^.]+$/);
    assert.ok(failure.detail.remedy && !/[%^]/.test(failure.detail.remedy), code);
    assert.ok(!failure.message.includes("raw text"));
    const waits = ["ENOSPC", "EDQUOT", "EROFS", "EMFILE", "ENFILE"].includes(code);
    assert.equal(failure.detail.waits ?? false, waits, code);
  }
});

Deno.test("osFailure names the folder of a path in the remedy", () => {
  const remedyFor = (path: string) => osFailure("read", path, coded("ENOENT")).detail.remedy;
  assert.equal(remedyFor("/a/b"), "Check the path: ls -l /a");
  assert.equal(remedyFor("/a"), "Check the path: ls -l /");
  assert.equal(remedyFor("a"), "Check the path: ls -l .");
  // Owner and mode are as they should be where chattr(1) has made it immutable.
  assert.match(osFailure("write", "/a/b", coded("EPERM")).remedy, /; lsattr -d \/a\/b \/a$/);
});

Deno.test("osFailure passes a Failure on and calls a fault of svc internal", () => {
  const failure = new Failure("usage", "Cannot use it");
  assert.equal(osFailure("read", "a", failure), failure);
  const fault = osFailure("read", "a", new TypeError("x is undefined"));
  assert.deepEqual([fault.code, fault.cause instanceof TypeError], ["internal", true]);
});

Deno.test("osFailure tells why the file layer itself refused", () => {
  const failure = osFailure("write", "a", new Blocked("too_large", "it is larger than 3 bytes"));
  assert.deepEqual(
    [failure.code, failure.message],
    ["failed", 'Cannot write "a": it is larger than 3 bytes'],
  );
});

Deno.test("osCode reads real errors of Deno, with and without a code", async () => {
  const codeOf = async (work: () => Promise<unknown>) =>
    osCode(await work().then(() => undefined, (thrown) => thrown));
  assert.equal(await codeOf(() => Deno.readFile("/none")), "ENOENT");
  assert.equal(await codeOf(() => Deno.readFile("/")), "EISDIR");
  assert.equal(await codeOf(() => Deno.writeTextFile("/dev/full", "x")), "ENOSPC");
  assert.equal(
    osCode(new Error("No such device or address (os error 6): open 'x'")),
    "not_regular",
  );
  assert.equal(osCode(new Error("Text file busy (os error 26)")), "ETXTBSY");
  assert.equal(osCode(new Error("File too large (os error 27)")), "EFBIG");
  assert.equal(osCode(new Error("Stale file handle (os error 116)")), "error 116");
  assert.equal(osCode(new Error("unrelated")), undefined);
  assert.equal(osCode("text"), undefined);
});

Deno.test(
  "attempt names a path that permissions do not cover",
  { permissions: { read: false } },
  async () => {
    const thrown = await attempt("read", "/etc/hostname", () => Deno.readFile("/etc/hostname"))
      .catch((thrown) => thrown);
    assert.ok(thrown instanceof Failure && thrown.code === "refused");
  },
);

Deno.test("a file that a container mounts by itself is told as that, with what helps", {
  ignore: await cannotMount(),
}, async () => {
  await using at = await tempFolder();
  const [real, path] = [`${at.path}/real`, `${at.path}/config.yaml`];
  for (const file of ["real", "config.yaml"]) await at.write(file, file);
  await using _mounted = await mountFile(real, path);
  await assert.rejects(denoFiles().writeAtomic(path, "2"), {
    code: "conflict",
    message: `Cannot write "${path}": it is in use, or a mount of its own`,
    remedy:
      `Look which: findmnt ${path}; fuser -v ${path}. In place of a single file, mount its folder`,
  });
});
