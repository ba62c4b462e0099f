import { CODEHOST_RESPONSE_BYTES, type CodeHostPorts } from "svc/features/access/code_host_api.ts";
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { codeHost } from "svc/features/access/code_host.ts";
import { systemClock } from "svc/platform/clock.ts";
import { certificateFor } from "tests/kit/servers/nginx_files.ts";
import { tempFolder } from "tests/kit/temp_repo.ts";
import { type ApiFixture, apiFixture } from "./api_fixture.ts";

const TOKEN = "ghp_hush_hush_0123456789";
const SHA = "0123456789".repeat(4);
const BRANCH = "svc/T-0001-x";

async function within(
  work: (host: ReturnType<typeof codeHost>, api: ApiFixture) => Promise<void>,
  ports: Partial<CodeHostPorts> = {},
): Promise<void> {
  await using api = apiFixture(() => Promise.resolve(SHA));
  const host = codeHost({
    ...{ fetch, clock: systemClock, redact: (text: string) => text },
    signal: new AbortController().signal,
    ...ports,
  }, {
    remote: "ada/shop",
    token: TOKEN,
    tokenWay: "A_TOKEN",
    api: api.api,
    web: "https://github.com",
  });
  await work(host, api);
}

Deno.test("a draft is opened and found again, with the token in one header alone", () =>
  within(async (host, api) => {
    assert.deepEqual(await host.pullRequests(BRANCH), []);
    const plan = { branch: BRANCH, into: "main", title: "t", body: "b" };
    const made = await host.openDraft(plan);
    assert.deepEqual(made, { number: 12, state: "open", merged: false, commit: SHA, into: "main" });
    assert.equal(api.pulls[0]!.draft, true);
    Object.assign(api.pulls[0]!, { state: "closed", merged_at: "2026-01-02T03:04:05Z" });
    assert.deepEqual(await host.pullRequests(BRANCH), [
      { number: 12, state: "closed", merged: true, commit: SHA, into: "main" },
    ]);
    assert.deepEqual(await host.pullRequests(`${BRANCH}-y`), []);
    for (const { headers, query, body } of api.seen) {
      assert.equal(headers.get("authorization"), `Bearer ${TOKEN}`);
      const others = [...headers].filter(([name]) => name !== "authorization");
      assert.ok(!JSON.stringify([others, ...query, body]).includes("hush"));
    }
  }));

const answers: readonly [string, () => Response, Partial<Failure>, RegExp][] = [
  ["401", () => new Response("{}", { status: 401 }), { code: "environment" }, /refuses the token/],
  [
    "404",
    () => Response.json({ message: "Not Found" }, { status: 404 }),
    { code: "environment" },
    /the token does not open "ada\/shop" \(404\): Not Found/,
  ],
  [
    "403 without a limit",
    () => Response.json({ message: `No, ${TOKEN}\u001b[2J` }, { status: 403 }),
    { code: "environment" },
    /\(403\): No, \[redacted\] \[2J$/,
  ],
  [
    "422",
    () => Response.json({ message: "Failed", errors: [{ message: "no drafts" }] }, { status: 422 }),
    { code: "conflict" },
    /refuses it: Failed; no drafts$/,
  ],
  ["502", () => new Response("<html>", { status: 502 }), { code: "environment" }, /answered 502$/],
  ["no JSON", () => new Response("<html>"), { code: "environment" }, /not as its API promises/],
  ["another shape", () => Response.json([{ number: "1" }]), { code: "environment" }, /not as its/],
  [
    "too much",
    () => new Response(new Uint8Array(CODEHOST_RESPONSE_BYTES + 1)),
    { code: "environment" },
    /longer than 4194304 bytes/,
  ],
];

for (const [what, answer, { code }, message] of answers) {
  Deno.test(`an answer is refused by name: ${what}`, () =>
    within(async (host, api) => {
      api.next = answer;
      await assert.rejects(host.pullRequests(BRANCH), { code, message });
      assert.equal(api.seen.length, 1);
    }));
}

Deno.test("a rate limit says how long to wait, within bounds", () =>
  within(async (host, api) => {
    const limits: readonly [ResponseInit, number][] = [
      [{ status: 429, headers: { "retry-after": "7" } }, 7],
      [{ status: 403, headers: { "retry-after": "99999999" } }, 3600],
      [{ status: 429 }, 60],
      [{ status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1" } }, 1],
    ];
    for (const [init, seconds] of limits) {
      api.next = () => new Response("{}", init);
      await assert.rejects(host.pullRequests(BRANCH), (thrown) => {
        const failure = Failure.from(thrown);
        assert.equal(failure.code, "too_busy");
        assert.equal(failure.detail.retryAfterSecs, seconds);
        return true;
      });
    }
  }));

Deno.test("no redirect is followed, so the token goes nowhere else", () =>
  within(async (host, api) => {
    await using other = apiFixture(() => Promise.resolve(SHA));
    api.next = () => Response.redirect(`${other.api}/repos/ada/shop/pulls`, 307);
    await assert.rejects(host.pullRequests(BRANCH), {
      message: /redirects elsewhere \(307\)/,
    });
    assert.equal(other.seen.length, 0);
  }));

Deno.test("a silent server, a closed port and a cancelled wait are told apart", async () => {
  const silent = Promise.withResolvers<Response>();
  const late = { now: Date.now, sleep: () => Promise.resolve() };
  await within(async (host, api) => {
    api.next = () => silent.promise;
    await assert.rejects(host.pullRequests(BRANCH), { message: /within 20 s$/ });
    silent.resolve(new Response());
  }, { clock: late });
  const cancelled = new AbortController();
  const held = Promise.withResolvers<Response>();
  await within(async (host, api) => {
    api.next = () => {
      cancelled.abort();
      return held.promise;
    };
    await assert.rejects(host.pullRequests(BRANCH), { code: "interrupted" });
    held.resolve(new Response());
  }, { signal: cancelled.signal });
  await within(async (host, api) => {
    await api[Symbol.asyncDispose]();
    await assert.rejects(host.pullRequests(BRANCH), { message: /cannot be reached$/ });
  });
});

Deno.test("a token is never sent unencrypted to another machine", () => {
  const ports = {
    ...{ fetch, clock: systemClock, redact: (text: string) => text },
    signal: new AbortController().signal,
  };
  const plan = (api: string) => ({
    ...{ remote: "ada/shop", token: TOKEN, tokenWay: "A_TOKEN", api, web: "https://github.com" },
  });
  const refused = [
    ...["http://api.github.com", "http://10.0.0.1", "ftp://127.0.0.1"],
    ...["https://a:b@api.github.com", "https://a@api.github.com", "https://:b@api.github.com"],
  ];
  for (const api of refused) {
    assert.throws(() => codeHost(ports, plan(api)), { code: "refused" }, api);
  }
  for (const api of ["https://api.github.com", "http://127.0.0.1:3000/api/v3"]) {
    assert.doesNotThrow(() => codeHost(ports, plan(api)), api);
  }
});

Deno.test("a host with a certificate of a company's own says so, and how it is trusted", async () => {
  await using folder = await tempFolder();
  const tls = await certificateFor("localhost", folder.path);
  const server = Deno.serve({
    ...{ hostname: "127.0.0.1", port: 0, onListen() {} },
    cert: await Deno.readTextFile(tls.certificate),
    key: await Deno.readTextFile(tls.key),
  }, () => Response.json([]));
  const away = `https://localhost:${server.addr.port}`;
  const fetchThere: typeof fetch = (_url, init) => fetch(away, init);
  await within(async (host) => {
    await assert.rejects(host.pullRequests(BRANCH), {
      code: "environment",
      message: /cannot be reached: its certificate is not trusted$/,
      remedy: /set DENO_CERT to the CA's certificate /,
    });
  }, { fetch: fetchThere });
  await server.shutdown();
});
