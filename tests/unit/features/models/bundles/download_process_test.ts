/** Downloads as processes: killed in the middle, and behind a proxy that the environment names. */
import assert from "node:assert/strict";
import type { Artifact } from "svc/features/models/bundles/artifact.ts";
import { certificateFor, nginxFiles } from "tests/kit/servers/nginx_files.ts";
import { tunnel } from "tests/kit/tunnel.ts";
import { until } from "tests/kit/until.ts";
import { artifactOf, content, downloadPlace, FILE } from "./download_place.ts";

const BYTES = content(1024 * 1024);

const PROGRAM = new URL("./download_program.ts", import.meta.url).pathname;

const program = (artifact: Artifact, path: string, env: Record<string, string> = {}) =>
  new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "-q", PROGRAM, JSON.stringify(artifact), path],
    env: { DENO_NO_UPDATE_CHECK: "1", ...env },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });

const sizeOf = (path: string) => {
  try {
    return Deno.statSync(path).size;
  } catch {
    return 0;
  }
};

Deno.test("a download that is killed in the middle of the file goes on there", async () => {
  await using place = await downloadPlace();
  await using slow = await nginxFiles(place.folder, place.root, "limit_rate 100k;");
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  const child = program(await artifactOf(slow.origin, BYTES), place.path).spawn();
  const part = `${place.path}.part`;
  await until(() => sizeOf(part) > 200_000, () => `${sizeOf(part)} bytes`);
  child.kill("SIGKILL");
  await child.stderr.cancel();
  await child.status;
  const left = sizeOf(part);
  assert.ok(left < BYTES.length, String(left));
  assert.deepEqual(place.names(), [`${FILE}.part`, `${FILE}.part.etag`]);
  await place.get(await artifactOf(nginx.origin, BYTES));
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  const [first] = await nginx.log();
  assert.match(first!, new RegExp(`^206 GET /${FILE} bytes=${left}- "`));
});

Deno.test("a download goes through the proxy that the environment names", async () => {
  await using place = await downloadPlace();
  const tls = await certificateFor("models.example", place.folder);
  await using nginx = await nginxFiles(place.folder, place.root, "", tls);
  await using proxy = tunnel(nginx.port);
  await place.serve(BYTES);
  const artifact = await artifactOf("https://models.example", BYTES);
  const env = { HTTPS_PROXY: proxy.url, DENO_CERT: tls.certificate };
  const { success, stderr } = await program(artifact, place.path, env).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  assert.deepEqual(new Set(proxy.asked), new Set(["CONNECT models.example:443 HTTP/1.1"]));
});

Deno.test("a certificate that nobody here trusts ends the download at once, with what to do", async () => {
  await using place = await downloadPlace();
  const tls = await certificateFor("models.example", place.folder);
  await using nginx = await nginxFiles(place.folder, place.root, "", tls);
  await using proxy = tunnel(nginx.port);
  const artifact = await artifactOf("https://models.example", BYTES);
  const env = { HTTPS_PROXY: proxy.url };
  const { success, stderr } = await program(artifact, place.path, env).output();
  assert.equal(success, false);
  assert.match(new TextDecoder().decode(stderr), /invalid peer certificate: UnknownIssuer/);
  assert.equal(proxy.asked.length, 1);
});

Deno.test("a proxy that asks for a login ends the download at once, with what to do", async () => {
  await using place = await downloadPlace();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const answering = (async () => {
    for await (const near of listener) {
      await near.read(new Uint8Array(4096));
      await near.write(new TextEncoder().encode(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="a"\r\n\r\n',
      ));
      near.close();
    }
  })();
  const artifact = await artifactOf("https://models.example", BYTES);
  const env = { HTTPS_PROXY: `http://127.0.0.1:${listener.addr.port}` };
  const { success, stderr } = await program(artifact, place.path, env).output();
  listener.close();
  await answering;
  assert.equal(success, false);
  assert.match(new TextDecoder().decode(stderr), /the proxy here asks for a login/);
});
