import assert from "node:assert/strict";
import { svc } from "tests/kit/entrance.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

verifies(
  ["4.5:setup:github", "4.5:setup:skip-github"],
  "svc setup --github asks for releases as svc auth github check does; without it nobody is asked",
  async () => {
    await using home = await tempFolder();
    const asked: (string | null)[] = [];
    await using host = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      asked.push(request.headers.get("authorization"));
      return Response.json({ tag_name: "v9.9.9" });
    });
    const endpoint = `http://127.0.0.1:${host.addr.port}/repos/a/b/releases/latest`;
    await home.write(".svc/config.yaml", `release_url: ${endpoint}\n`);
    const env = { HOME: home.path, PATH: "/usr/bin:/bin", OPENAI_API_KEY: "sk-not-for-releases" };
    const setup = async (...flags: string[]) => {
      const ran = await svc(["setup", "--test-mode", "--json", ...flags], { env, cwd: home.path });
      assert.equal(ran.code, 0, ran.stdout + ran.stderr);
      return JSON.parse(ran.stdout).release;
    };
    for (const flags of [[], ["--skip-github"], ["--github", "--dry-run"]]) {
      assert.equal(await setup(...flags), undefined);
    }
    assert.deepEqual(asked, []);
    assert.deepEqual(await setup("--github"), {
      access: "anonymous",
      endpoint,
      latest: "v9.9.9",
      reason: null,
    });
    assert.deepEqual(asked, [null]);
  },
);
