/** The dashboard behind Debian's nginx, as a reverse proxy with TLS, asked by curl. */
import assert from "node:assert/strict";
import { pageFiles } from "svc/http/page_files.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { freePort } from "tests/kit/free_port.ts";
import { certify, nginx, ran } from "tests/kit/nginx.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";
import { dashboardPlace, SECRET } from "tests/unit/http/dashboard_place.ts";
import { copyDashboard } from "tools/bundle.ts";

/** As docs/security.md wants it: TLS, and the browser's `Host`; it compresses what svc sent plain. */
const config = (folder: string, port: number, upstream: string) => `
  gzip on; gzip_proxied any; gzip_types text/css text/javascript;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${folder}/cert; ssl_certificate_key ${folder}/key;
    location / { proxy_pass ${upstream}; proxy_set_header Host $http_host; }
  }
`;

verifies(
  ["5:remote:every-route-needs-session"],
  "behind nginx nothing but the login is there without a session, and pages are sent once",
  async () => {
    await using folder = await tempFolder();
    const at = folder.path;
    await copyDashboard(at);
    const pages = await pageFiles(denoFiles(), `${at}/assets/dashboard`);
    const port = freePort();
    const name = "svc.example.com";
    const origin = `https://${name}:${port}`;
    await using place = dashboardPlace({
      trustedOrigin: origin,
      assets: (path) => pages.get(path),
    });
    await certify(at, name);
    await using _nginx = await nginx(at, { http: config(at, port, place.url), port });
    const curl = async (path: string, ...args: string[]) => {
      const said = await ran(
        ...["curl", "--silent", "--show-error", "--noproxy", "*", "--cacert", `${at}/cert`],
        ...["--resolve", `${name}:${port}:127.0.0.1`, "-b", `${at}/jar`, "-c", `${at}/jar`],
        ...["--output", `${at}/body`, "--write-out", "%{json}\\n%{header_json}"],
        ...[...args, `${origin}${path}`],
      );
      const cut = said.indexOf("\n");
      const headers: Record<string, string[] | undefined> = JSON.parse(said.slice(cut));
      return {
        status: JSON.parse(said.slice(0, cut)).http_code as number,
        header: (key: string) => headers[key]?.[0],
        body: () => Deno.readTextFile(`${at}/body`),
      };
    };
    for (const method of [[], ["-I"]]) {
      for (const file of ["app.js", "app.css", "favicon.svg"]) {
        assert.equal((await curl(`/login/${file}`, ...method)).status, 200, file);
        assert.equal((await curl(`/assets/${file}`, ...method)).status, 401, file);
      }
      assert.equal((await curl("/login", ...method)).status, 200);
      const page = await curl("/pipeline", ...method);
      assert.deepEqual([page.status, page.header("location")], [302, "/login?next=%2Fpipeline"]);
      for (const path of ["/api/status", "/api/repos", "/api/events"]) {
        assert.equal((await curl(path, ...method)).status, 401, path);
      }
    }
    const json = ["-H", "Content-Type: application/json", "-H", `Origin: ${origin}`];
    const login = await curl("/api/login", ...json, "-d", JSON.stringify({ secret: SECRET }));
    assert.equal(login.status, 200);
    const plain = await Deno.readTextFile(`${at}/assets/dashboard/app.js`);
    for (const coding of ["br", "gzip", "identity"]) {
      const as = ["--compressed", "-H", `Accept-Encoding: ${coding}`];
      const first = await curl("/assets/app.js", ...as);
      assert.equal(first.status, 200);
      assert.equal(first.header("content-encoding") ?? "identity", coding);
      assert.equal(await first.body(), plain);
      const etag = first.header("etag")!;
      const again = await curl("/assets/app.js", ...as, "-H", `If-None-Match: ${etag}`);
      assert.equal(again.status, 304, coding);
      assert.match(again.header("vary")!, /Accept-Encoding/);
    }
    const events = await curl("/api/events", "-I");
    assert.deepEqual([events.status, events.header("content-length")], [200, undefined]);
    assert.equal((await curl("/api/status", "-I")).status, 200);
  },
);
