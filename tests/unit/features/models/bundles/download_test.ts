/** Downloads from Debian's nginx and npm `send`, over lines that fail. */
import assert from "node:assert/strict";
import v8 from "node:v8";
import vm from "node:vm";
import { Failure } from "svc/core/failure.ts";
import { denoFiles } from "svc/platform/files/files.ts";
import { partFiles } from "svc/platform/files/part_file.ts";
import { badLine, type LineFault } from "tests/kit/servers/bad_line.ts";
import { freePort } from "tests/kit/free_port.ts";
import { nginxFiles } from "tests/kit/servers/nginx_files.ts";
import { sendFiles } from "tests/kit/servers/send_files.ts";
import { verifies } from "tests/kit/verifies.ts";
import { artifactOf, content, downloadPlace, FILE, sha256 } from "./download_place.ts";

v8.setFlagsFromString("--expose-gc");
const collectGarbage: () => void = vm.runInNewContext("gc");

const MIB = 1024 * 1024;
const BYTES = content(MIB);

const has = (code: string, ...texts: string[]) => (thrown: unknown) => {
  assert.ok(thrown instanceof Failure, String(thrown));
  assert.equal(thrown.code, code, thrown.message);
  for (const text of texts) assert.ok(`${thrown.message}; ${thrown.remedy}`.includes(text), text);
  return true;
};

verifies(
  "2.1:models-directory:downloads-and-cache",
  "a file comes by several ranges at a time and has its name when all of it is right",
  async () => {
    await using place = await downloadPlace();
    await using nginx = await nginxFiles(place.folder, place.root);
    await place.serve(BYTES);
    await place.get(await artifactOf(nginx.origin, BYTES));
    assert.deepEqual(place.names(), [FILE]);
    assert.deepEqual(await Deno.readFile(place.path), BYTES);
    assert.equal((await Deno.stat(place.path)).mode! & 0o777, 0o600);
    const log = await nginx.log(8);
    assert.equal(log.length, 8, log.join("\n"));
    assert.ok(log.every((line) => line.startsWith("206 GET")), log.join("\n"));
    const etag = log.map((line) => line.split(" ").at(-1)).filter((tag) => tag !== "");
    assert.equal(new Set(etag).size, 1); // all of one file
    const last = place.reports.at(-1)!;
    assert.deepEqual([last.done, last.bytes, last.bundle], [MIB, MIB, "local-cpu-q3"]);
  },
);

Deno.test("what is there is not fetched again, and the server is asked whether it is the same file", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  const { headers, body } = await fetch(`${nginx.origin}/${FILE}`, { method: "HEAD" });
  await body?.cancel();
  const etag = headers.get("etag")!;
  await Deno.mkdir(`${place.folder}/models`);
  await Deno.writeFile(`${place.path}.part`, BYTES.subarray(0, 700_000));
  await Deno.writeTextFile(`${place.path}.part.etag`, `${etag}\n`);
  await place.get(await artifactOf(nginx.origin, BYTES));
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  assert.deepEqual(place.names(), [FILE]);
  const [, first] = await nginx.log();
  assert.equal(first, `206 GET /${FILE} bytes=700000- ${etag}`);
  assert.equal(place.reports.find(({ checking }) => checking)?.done, 700_000);
});

Deno.test("a file that is another one by now is fetched from its start", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  await Deno.mkdir(`${place.folder}/models`);
  await Deno.writeFile(`${place.path}.part`, content(700_000, 2));
  await Deno.writeTextFile(`${place.path}.part.etag`, '"an-older-file"\n');
  await place.get(await artifactOf(nginx.origin, BYTES));
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  assert.match((await nginx.log())[0]!, /^200 GET .* bytes=700000- "an-older-file"$/);
});

Deno.test("npm send, whose ETags are weak, is asked for the rest without If-Range", async () => {
  await using place = await downloadPlace();
  await using server = await sendFiles(place.root);
  await place.serve(BYTES);
  await Deno.mkdir(`${place.folder}/models`);
  await Deno.writeFile(`${place.path}.part`, BYTES.subarray(0, 900_000));
  await place.get(await artifactOf(server.origin, BYTES));
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  assert.equal(server.asked[0], "bytes=900000- -");
  assert.ok(server.asked.every((line) => line.endsWith(" -")), server.asked.join("\n"));
});

const LINES: readonly (readonly [what: string, faults: readonly LineFault[]])[] = [
  ["is cut off three times", [{ cutAfter: 90_000 }, { cutAfter: 300 }, { cutAfter: 50_000 }]],
  ["is cut off before the answer", [{ cutAfter: 1 }, { cutAfter: 1 }]],
  ["falls silent", [{ silentAfter: 90_000 }, { silentAfter: 1 }]],
];

for (const [what, faults] of LINES) {
  Deno.test(`a line that ${what} costs nothing but time`, async () => {
    await using place = await downloadPlace();
    await using nginx = await nginxFiles(place.folder, place.root);
    await using line = badLine(nginx.port, faults);
    await place.serve(BYTES);
    const limits = { stallMs: 300 };
    await place.get(await artifactOf(line.origin, BYTES), { limits });
    assert.deepEqual(await Deno.readFile(place.path), BYTES);
    assert.ok(place.reports.some(({ waits }) => waits !== undefined));
  });
}

Deno.test("a line that never gets better ends the download, which keeps what it has", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  const faults = [{ cutAfter: 200_000 }, ...Array(60).fill({ cutAfter: 10 })];
  await using line = badLine(nginx.port, faults);
  const artifact = await artifactOf(line.origin, BYTES);
  await assert.rejects(
    place.get(artifact, { limits: { connections: 1, tries: 3 } }),
    has(
      "environment",
      "3 times in a row",
      `svc setup --inference local --local-bundle ${artifact.bundle} --download --yes`,
    ),
  );
  const { size } = await Deno.stat(`${place.path}.part`);
  assert.ok(size >= 128 * 1024, String(size));
  await place.get(await artifactOf(nginx.origin, BYTES));
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  const log = await nginx.log();
  assert.ok(log.some((entry) => entry.includes(` bytes=${size}-`)), log.join("\n"));
});

Deno.test("a proxy that makes no tunnel is told as that, with what helps where it stays so", async () => {
  await using place = await downloadPlace();
  const proxy = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response(null, { status: 403 }),
  );
  using client = Deno.createHttpClient({ proxy: { url: `http://127.0.0.1:${proxy.addr.port}` } });
  const artifact = await artifactOf("https://models.example", BYTES);
  const through: typeof fetch = (url, init) => fetch(url, { ...init, client });
  await assert.rejects(
    place.get(artifact, { fetch: through, limits: { connections: 1, tries: 2 } }),
    has(
      "environment",
      "the proxy before it does not let it through, 2 times in a row",
      "HTTPS_PROXY=http://name:password@host:port",
    ),
  );
  await proxy.shutdown();
});

Deno.test("other bytes of the same length are deleted, and said", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  const wrong = content(MIB, 2);
  await place.serve(wrong);
  const artifact = await artifactOf(nginx.origin, BYTES);
  await assert.rejects(
    place.get(artifact),
    has("failed", await sha256(wrong), artifact.identity.sha256, "it was deleted"),
  );
  assert.deepEqual(place.names(), []);
});

for (const length of [MIB - 1, MIB + 1, 0]) {
  Deno.test(`a file of ${length} bytes instead of ${MIB} is refused before any byte is kept`, async () => {
    await using place = await downloadPlace();
    await using nginx = await nginxFiles(place.folder, place.root);
    await using server = await sendFiles(place.root);
    await place.serve(content(length));
    for (const origin of [nginx.origin, server.origin]) {
      await assert.rejects(
        place.get(await artifactOf(origin, BYTES)),
        has("environment", `${length} bytes`, `${MIB}`),
      );
      assert.equal((await Deno.stat(`${place.path}.part`)).size, 0);
    }
  });
}

Deno.test("a rest that the server does not have, 416, is told by its length", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES.subarray(0, 1000));
  await Deno.mkdir(`${place.folder}/models`);
  await Deno.writeFile(`${place.path}.part`, BYTES.subarray(0, 5000));
  await assert.rejects(
    place.get(await artifactOf(nginx.origin, BYTES)),
    has("environment", "it has 1000 bytes there"),
  );
  assert.match((await nginx.log())[0]!, /^416 /);
});

Deno.test("a part that is longer than the file begins anew", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  await Deno.mkdir(`${place.folder}/models`);
  await Deno.writeFile(`${place.path}.part`, content(MIB + 1, 3));
  await place.get(await artifactOf(nginx.origin, BYTES));
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
});

Deno.test("a server without ranges sends the file at once", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root, "max_ranges 0;");
  await place.serve(BYTES);
  await place.get(await artifactOf(nginx.origin, BYTES));
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  assert.equal((await nginx.log()).length, 1);
});

for (const [status, text] of [[403, "it asks who you are"], [404, "is not there"]] as const) {
  Deno.test(`${status} ends the download at once`, async () => {
    await using place = await downloadPlace();
    await using nginx = await nginxFiles(place.folder, place.root, `return ${status};`);
    await assert.rejects(
      place.get(await artifactOf(nginx.origin, BYTES)),
      has("environment", `it answered ${status}`, text),
    );
    assert.equal((await nginx.log()).length, 1);
  });
}

Deno.test("429 and 503 are waited for as long as the server asks", async () => {
  await using place = await downloadPlace();
  const rules = (status: number, wait: string) =>
    `error_page ${status} @later; location / { return ${status}; } ` +
    `location @later { add_header Retry-After "${wait}" always; return ${status}; }`;
  const now = Date.parse("2026-11-23T12:00:00Z");
  const date = new Date(now + 100_000).toUTCString();
  await using busy = await nginxFiles(place.folder, place.root, rules(429, "7"));
  await using down = await nginxFiles(place.folder, place.root, rules(503, date));
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  const faults = [{ to: busy.port }, { to: down.port }, { to: busy.port }];
  await using line = badLine(nginx.port, faults);
  const waits: number[] = [];
  const sleep = (ms: number, signal?: AbortSignal) => {
    if (signal === undefined || ms === 30_000) return new Promise<void>(() => {}); // no stall
    waits.push(ms);
    return Promise.resolve();
  };
  const clock = { now: () => now, monotonic: () => 0, processor: () => 0, sleep };
  await place.get(await artifactOf(line.origin, BYTES), { clock, limits: { connections: 1 } });
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  assert.deepEqual(waits, [7_000, 100_000, 7_000]);
  assert.ok(place.reports.some(({ waits }) => waits === "it answered 429"));
});

Deno.test("a server that asks for more patience than a person has ends the download", async () => {
  await using place = await downloadPlace();
  const rules = "error_page 429 @later; location / { return 429; } " +
    "location @later { add_header Retry-After 7200 always; return 429; }";
  await using busy = await nginxFiles(place.folder, place.root, rules);
  await assert.rejects(
    place.get(await artifactOf(busy.origin, BYTES)),
    has("environment", "it answered 429, and asks for 120 minutes of patience"),
  );
});

Deno.test("a redirect is followed where it may lead, and asked anew when what it signed has expired", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(
    place.folder,
    place.root,
    `location = /${FILE} { return 302 /store/${FILE}?signed=secret; } ` +
      `location /store/ { alias ${place.root}/; }`,
  );
  await using expired = await nginxFiles(place.folder, place.root, "return 403;");
  await place.serve(BYTES);
  // The third connection reaches the store when its signature has expired.
  await using line = badLine(nginx.port, [{}, {}, { to: expired.port }]);
  await place.get(await artifactOf(line.origin, BYTES), { limits: { connections: 1 } });
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
  const log = await nginx.log();
  const origin = log.filter((entry) => entry.startsWith(`302 GET /${FILE} `));
  assert.equal(origin.length, 2, log.join("\n"));
  assert.equal(JSON.stringify(place.reports).includes("secret"), false);
});

Deno.test("no redirect leads to a host that does not hold these files", async () => {
  await using place = await downloadPlace();
  const port = freePort();
  let reached = 0;
  await using other = Deno.serve(
    { hostname: "127.0.0.1", port, onListen() {} },
    () => new Response(String(++reached)),
  );
  for (
    const to of [
      `http://127.0.0.1:${port}/${FILE}?signed=secret`,
      `https://huggingface.co.evil.example/${FILE}`,
      `http://huggingface.co/${FILE}`,
      `https://user:word@huggingface.co/${FILE}`,
      `https://huggingface.co:8443/${FILE}`,
      `//127.0.0.1:${port}/${FILE}`,
      "file:///etc/passwd",
    ]
  ) {
    await using nginx = await nginxFiles(place.folder, place.root, `return 302 "${to}";`);
    const failed = place.get(await artifactOf(nginx.origin, BYTES));
    await assert.rejects(failed, (thrown) => {
      assert.ok(!String(thrown).includes("secret"));
      return has("refused", "it leads to")(thrown);
    });
  }
  assert.equal(reached, 0);
  assert.ok(other.addr);
});

Deno.test("a circle of redirects ends", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root, `return 302 /${FILE};`);
  await assert.rejects(
    place.get(await artifactOf(nginx.origin, BYTES)),
    has("environment", "more than 5 redirects"),
  );
  assert.equal((await nginx.log(6)).length, 6);
});

Deno.test("without the room for it nothing is asked of the network", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  const room = () => Promise.resolve(513 * MIB - 1);
  await assert.rejects(
    place.get(await artifactOf(nginx.origin, BYTES), { room }),
    has("environment", "1.0 MB more", "to spare", "df -h"),
  );
  assert.deepEqual(await nginx.log(0), []);
});

Deno.test("what is there already needs no room", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  await Deno.mkdir(`${place.folder}/models`);
  await Deno.writeFile(`${place.path}.part`, BYTES.subarray(0, 900_000));
  const room = () => Promise.resolve(512 * MIB + MIB - 900_000);
  await place.get(await artifactOf(nginx.origin, BYTES), { room });
  assert.deepEqual(await Deno.readFile(place.path), BYTES);
});

Deno.test("the same file is downloaded once at a time", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  await denoFiles().makeFolder(`${place.folder}/models`);
  using part = await partFiles.open(`${place.path}.part`, () => {});
  assert.equal(part?.size, 0);
  await assert.rejects(
    place.get(await artifactOf(nginx.origin, BYTES)),
    has("conflict", "another svc downloads it now"),
  );
  assert.deepEqual(await nginx.log(0), []);
});

Deno.test("an interrupt keeps what has come", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await using line = badLine(nginx.port, [{ silentAfter: 300_000 }]);
  await place.serve(BYTES);
  const stop = new AbortController();
  const report = ({ done }: { done: number }) => {
    if (done <= 200_000) return;
    // What ties the answer to its signal may be collected while it is read.
    collectGarbage();
    setTimeout(() => stop.abort("stopped"));
  };
  const got = place.get(await artifactOf(line.origin, BYTES), {
    signal: stop.signal,
    report,
    limits: { connections: 1, segmentBytes: MIB },
  });
  await assert.rejects(got, (thrown) => stop.signal.aborted && String(thrown).includes("stopped"));
  assert.ok((await Deno.stat(`${place.path}.part`)).size > 200_000);
});

Deno.test("a link in the place of the part or of the file is refused", async () => {
  await using place = await downloadPlace();
  await using nginx = await nginxFiles(place.folder, place.root);
  await place.serve(BYTES);
  await Deno.mkdir(`${place.folder}/models`);
  await Deno.writeTextFile(`${place.folder}/other`, "mine");
  const artifact = await artifactOf(nginx.origin, BYTES);
  for (const at of [`${place.path}.part`, place.path]) {
    await Deno.symlink(`${place.folder}/other`, at);
    await assert.rejects(place.get(artifact), (thrown) => thrown instanceof Failure);
    assert.equal(await Deno.readTextFile(`${place.folder}/other`), "mine");
    await Deno.remove(at);
  }
});
