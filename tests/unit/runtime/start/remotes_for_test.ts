/** Remotes of a team with the logins of a person: git's own server, which lets in one login alone. */
import assert from "node:assert/strict";
import { Config } from "svc/features/settings/config_file.ts";
import { systemClock } from "svc/platform/clock.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { homeOf } from "svc/platform/home.ts";
import { denoProcesses } from "svc/platform/process/process.ts";
import { remotesFor } from "svc/runtime/start/remotes_for.ts";
import { gitHttpBackend } from "tests/kit/git_http_backend.ts";
import { plainGit, tempFolder, tempRepo } from "tests/kit/temp_repo.ts";

const TOKEN = "glpat-own-0123456789";

for (const path of ["ada/shop", "ada/web/front/shop"]) {
  Deno.test(`the token of a host that the config names opens ${path}`, async () => {
    await using root = await tempFolder();
    await Deno.mkdir(`${root.path}/srv/${path}.git`, { recursive: true });
    const bare = `${root.path}/srv/${path}.git`;
    await plainGit(bare, ["init", "--quiet", "--bare", "--initial-branch=main", "."]);
    await using repo = await tempRepo({ files: { a: "1\n" }, commit: true });
    await repo.git("push", "--quiet", bare, "main");
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      (request) =>
        request.headers.get("authorization") === `Basic ${btoa(`x-access-token:${TOKEN}`)}`
          ? gitHttpBackend(request, `${root.path}/srv`)
          : new Response(null, { status: 401, headers: { "www-authenticate": "Basic" } }),
    );
    const host = `127.0.0.1:${server.addr.port}`;
    const all: Record<string, string> = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: root.path,
      GL_TOKEN: TOKEN,
    };
    const env = { get: (name: string) => all[name], all: () => all, forget() {} };
    const hosts = { code_hosts: [{ host, kind: "gitlab", key_env: "GL_TOKEN" }] };
    const remotes = remotesFor({
      ...{ env, processes: denoProcesses(), files: denoFiles(), clock: systemClock },
      home: homeOf(env),
      settings: () => Promise.resolve(Config.parse(hosts)),
      signal: new AbortController().signal,
    });
    assert.equal(await remotes.branchOf(`http://${host}/${path}.git`), "main");
  });
}
