import assert from "node:assert/strict";
import { childEnv, resolveProgram } from "svc/platform/process/program.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";

async function withPrograms() {
  const folder = await tempFolder();
  await folder.write("bin/tool", "#!/bin/sh\n", { executable: true });
  await folder.write("repo/tool", "#!/bin/sh\n", { executable: true });
  await folder.write("repo/bin/tool", "#!/bin/sh\n", { executable: true });
  await folder.write("plain/tool", "text");
  await Deno.mkdir(`${folder.path}/folders/tool`, { recursive: true });
  await Deno.mkdir(`${folder.path}/linked`);
  await Deno.symlink(`${folder.path}/repo/tool`, `${folder.path}/linked/tool`);
  await Deno.symlink(`${folder.path}/repo`, `${folder.path}/alias`);
  return folder;
}

Deno.test("resolveProgram takes the first executable file of PATH", async () => {
  await using folder = await withPrograms();
  const at = (...entries: string[]) => entries.map((entry) => `${folder.path}/${entry}`).join(":");
  const found = resolveProgram("tool", {
    path: at("missing", "plain", "folders", "bin/", "repo"),
    refuseUnder: [],
  });
  assert.equal(found, `${folder.path}/bin/tool`);
});

Deno.test("resolveProgram skips what really lies in a refused folder", async () => {
  await using folder = await withPrograms();
  const path = ["repo", "repo/bin", "linked", "alias/bin", "bin"]
    .map((entry) => `${folder.path}/${entry}`).join(":");
  const refuseUnder = [`${folder.path}/alias`, `${folder.path}/gone`];
  assert.equal(resolveProgram("tool", { path, refuseUnder }), `${folder.path}/bin/tool`);
  assert.throws(
    () => resolveProgram("tool", { path: `${folder.path}/linked`, refuseUnder }),
    {
      code: "environment",
      message:
        `Cannot run "tool": PATH finds it only inside the repo, at "${folder.path}/linked/tool"`,
    },
  );
});

Deno.test("resolveProgram ignores empty, dot and relative entries of PATH", async () => {
  await using folder = await withPrograms();
  const before = Deno.cwd();
  Deno.chdir(`${folder.path}/repo`);
  try {
    const path = ":.:./:bin:../repo::";
    assert.throws(() => resolveProgram("tool", { path, refuseUnder: [] }), {
      code: "environment",
      message: 'Cannot run "tool": no such program on PATH',
    });
  } finally {
    Deno.chdir(before);
  }
});

Deno.test("resolveProgram refuses a name that is not bare", () => {
  for (const name of ["", ".", "..", "./tool", "bin/tool", "/bin/tool", "a\0b", "a\nb"]) {
    assert.throws(() => resolveProgram(name, { path: "/usr/bin", refuseUnder: [] }), {
      code: "usage",
    });
  }
});

Deno.test("childEnv passes the allow-list alone", () => {
  const env = {
    PATH: "/usr/bin:.::bin:/bin",
    HOME: "/home/a",
    LANG: "C",
    LC_ALL: "C",
    LC_evil: "x",
    TZ: "UTC",
    TERM: "xterm",
    TMPDIR: "/tmp",
    SVC_JOB_ID: "outer/1",
    OPENAI_API_KEY: "secret",
    LD_PRELOAD: "/tmp/x.so",
    GIT_DIR: "/x",
    NODE_OPTIONS: "--require x",
  };
  assert.deepEqual(childEnv(env, { TERM: "dumb", TZ: undefined }), {
    PATH: "/usr/bin:/bin",
    HOME: "/home/a",
    LANG: "C",
    LC_ALL: "C",
    TERM: "dumb",
    TMPDIR: "/tmp",
    SVC_JOB_ID: "outer/1",
  });
});

Deno.test("childEnv refuses to add any other variable", () => {
  const names = ["GIT_SSH_COMMAND", "LD_PRELOAD", "NODE_OPTIONS", "PAGER", "BASH_ENV", "DENO_DIR"];
  for (const name of [...names, "path", "LC_", "PATHS", "XPATH"]) {
    assert.throws(() => childEnv({}, { [name]: "x" }), { code: "refused" });
  }
});
