/** `make update-tool` over an older install: atomic, the old binary kept, both versions said. */
import assert from "node:assert/strict";
import { VERSION } from "svc/core/version.ts";

const root = decodeURIComponent(new URL("../../..", import.meta.url).pathname);
async function make(folder: string) {
  const { code, stdout, stderr } = await new Deno.Command("make", {
    args: ["--no-print-directory", "update-tool", `INSTALL_DIR=${folder}`],
    cwd: root,
    env: { SVC_BUILD: "portable" },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test(
  "make update-tool replaces an older svc and keeps it as svc.previous",
  async () => {
    const folder = await Deno.makeTempDir({ prefix: "svc-install-" });
    try {
      const bin = `${folder}/bin dir`;
      await Deno.mkdir(bin);
      await Deno.writeTextFile(`${bin}/svc`, "#!/bin/sh\necho svc 0.0.9\n", { mode: 0o755 });
      const { code, stdout, stderr } = await make(bin);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^old: svc 0\.0\.9 \(kept as .*svc\.previous\)$/m);
      assert.match(stdout, new RegExp(`^new: svc ${VERSION} \\(portable\\) at `, "m"));
      const names = (await Array.fromAsync(Deno.readDir(bin))).map(({ name }) => name).sort();
      assert.deepEqual(names, ["svc", "svc.previous"]);
      const previous = await new Deno.Command(`${bin}/svc.previous`).output();
      assert.equal(new TextDecoder().decode(previous.stdout), "svc 0.0.9\n");
      const now = await new Deno.Command(`${bin}/svc`, {
        args: ["version"],
        env: { SVC_HOME: `${folder}/home` },
      }).output();
      assert.equal(new TextDecoder().decode(now.stdout), `svc ${VERSION}\n`);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);

Deno.test(
  "install refuses a folder that is not absolute, before it builds",
  async () => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", `${root}tools/install.ts`, "bin"],
    }).output();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), /not an absolute folder\ntry: make install/);
  },
);
