/** Pages and their files, compressed and asked again, by curl and by Deno's client. */
import assert from "node:assert/strict";
import { pageFiles } from "svc/http/page_files.ts";
import { PAGES } from "svc/http/pages.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { type DashboardPlace, dashboardPlace } from "tests/unit/http/dashboard_place.ts";
import { copyDashboard } from "tools/bundle.ts";

const root = decodeURIComponent(new URL("../../assets/dashboard", import.meta.url).pathname);

/** The dashboard over the files that a build carries. */
async function built(): Promise<DashboardPlace> {
  await using folder = await tempFolder();
  await copyDashboard(folder.path);
  const pages = await pageFiles(denoFiles(), `${folder.path}/assets/dashboard`);
  return dashboardPlace({ assets: (path) => pages.get(path) });
}

interface CurlAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

async function curl(url: string, ...args: string[]): Promise<CurlAnswer> {
  await using folder = await tempFolder();
  const head = `${folder.path}/head`;
  const { code, stdout, stderr } = await new Deno.Command("curl", {
    args: ["--silent", "--show-error", "--noproxy", "*", "--dump-header", head, ...args, url],
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  const [first = "", ...lines] = (await Deno.readTextFile(head)).trim().split("\r\n");
  const headers = lines.map((line) => line.split(/: */, 2))
    .map(([name = "", value]) => [name.toLowerCase(), value]);
  return {
    status: Number(first.split(" ")[1]),
    headers: Object.fromEntries(headers),
    body: new Uint8Array(stdout),
  };
}

Deno.test("curl unpacks each coding to the bytes of the plain file", async () => {
  await using place = await built();
  const plain = await Deno.readFile(`${root}/app.js`);
  const tags = new Set<string>();
  for (
    const [wanted, coding] of [
      ["br", "br"],
      ["gzip", "gzip"],
      ["identity", undefined],
      ["gzip;q=0.5, br;q=0.4, *;q=0", "gzip"],
    ] as const
  ) {
    const as = ["--compressed", "-H", `Accept-Encoding: ${wanted}`];
    const { status, headers, body } = await curl(`${place.url}/assets/app.js`, ...as);
    assert.equal(status, 200);
    assert.equal(headers["content-encoding"], coding, wanted);
    assert.equal(headers.vary, "Accept-Encoding");
    assert.equal(headers["content-type"], "text/javascript; charset=utf-8");
    assert.deepEqual(body, plain, wanted);
    if (coding !== undefined) assert.ok(Number(headers["content-length"]) < plain.length / 2);
    assert.match(headers.etag!, /^"[0-9a-f]{32}(?:-br|-gzip)?"$/);
    tags.add(headers.etag!);
  }
  assert.equal(tags.size, 3);
});

Deno.test("curl's own cache of tags is answered 304, without a body and with what is due", async () => {
  await using place = await built();
  await using folder = await tempFolder();
  const kept = `${folder.path}/etag`;
  for (const path of [...Object.keys(PAGES), "assets/app.css", "login/app.js"]) {
    const url = `${place.url}/${path}`;
    const first = await curl(url, "--compressed", "--etag-save", kept);
    assert.equal(first.status, 200);
    const again = await curl(url, "--compressed", "--etag-compare", kept);
    assert.equal(again.status, 304, path);
    assert.equal(again.body.length, 0);
    const { etag, vary } = first.headers;
    const cache = first.headers["cache-control"];
    assert.deepEqual([etag, vary, cache], [again.headers.etag, "Accept-Encoding", "no-cache"]);
    assert.equal(again.headers.vary, vary);
    assert.equal(again.headers["cache-control"], cache);
    assert.ok(again.headers.date);
    for (const name of ["content-type", "content-length", "content-encoding"]) {
      assert.equal(again.headers[name], undefined, name);
    }
    const asked = ["-I", "-H", `If-None-Match: ${etag}`];
    const head = await curl(url, "--compressed", ...asked);
    assert.equal(head.status, 304);
    // The tag of one coding says nothing of another.
    assert.equal((await curl(url, "-H", `If-None-Match: ${etag}`)).status, 200);
    const weak = `If-None-Match: "other", W/${etag}`;
    assert.equal((await curl(url, "--compressed", "-H", weak)).status, 304);
  }
});

Deno.test("HEAD tells the length of the coding that GET would send", async () => {
  await using place = await built();
  for (const coding of ["br", "gzip", "identity"]) {
    const asked = ["-H", `Accept-Encoding: ${coding}`];
    const got = await curl(`${place.url}/assets/app.js`, ...asked);
    const head = await curl(`${place.url}/assets/app.js`, "-I", ...asked);
    assert.deepEqual({ ...head.headers, date: "" }, { ...got.headers, date: "" });
    assert.equal(Number(head.headers["content-length"]), got.body.length);
  }
});

Deno.test("answers of the API are neither compressed nor kept, whatever is asked", async () => {
  await using place = await built();
  const { cookie } = await place.login();
  for (const path of ["/api/status", "/api/session", "/api/repos", "/api/telemetry"]) {
    const asked = ["-H", `Cookie: ${cookie}`, "-H", "If-None-Match: *"];
    const coded = ["-H", "Accept-Encoding: br, gzip, identity;q=0"];
    const { status, headers, body } = await curl(`${place.url}${path}`, ...asked, ...coded);
    assert.equal(status, 200, path);
    assert.equal(headers["content-encoding"], undefined);
    assert.equal(headers.etag, undefined);
    assert.equal(headers["cache-control"], "no-store");
    JSON.parse(new TextDecoder().decode(body));
  }
});

Deno.test("a checkout, which has no compressed files, sends plain ones", async () => {
  const pages = await pageFiles(denoFiles(), root);
  await using place = dashboardPlace({ assets: (path) => pages.get(path) });
  const { headers, body } = await curl(`${place.url}/assets/app.css`, "-H", "Accept-Encoding: br");
  assert.equal(headers["content-encoding"], undefined);
  assert.deepEqual(body, await Deno.readFile(`${root}/app.css`));
});
