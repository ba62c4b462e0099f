import { HTTP_BODIES_BYTES } from "svc/core/bounds.ts";
import { GITHUB_DELIVERY_BYTES, LINEAR_DELIVERY_BYTES } from "svc/http/webhook_routes.ts";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { controlListener, type ControlPlan } from "svc/http/control.ts";
import { verifies } from "tests/kit/verifies.ts";
import {
  controlPlace,
  GITHUB_SECRET,
  hex,
  LINEAR_SECRET,
  REMOTE,
  send,
  type Sent,
} from "./control_place.ts";
import { rawRequest } from "./raw_http.ts";

const ISSUE = {
  action: "labeled",
  label: { name: "svc" },
  issue: {
    ...{ number: 7, title: "Mend the pump", body: "It drips", labels: [{ name: "svc" }] },
    ...{ html_url: "https://github.com/x/y/issues/7", updated_at: "2026-11-20T10:00:00Z" },
    user: { login: "ada" },
  },
  repository: { full_name: REMOTE, html_url: `https://github.com/${REMOTE}` },
  sender: { login: "ada" },
};

const PUSHED = { ref: "refs/heads/master", after: "a".repeat(40), repository: ISSUE.repository };

const LINEAR_ISSUE = {
  ...{ type: "Issue", action: "update", actor: { id: "u1", name: "ada" } },
  updatedFrom: { labelIds: ["l0"] },
  data: {
    ...{ id: "i1", identifier: "ENG-3", title: "Mend the pump", priority: 2 },
    ...{ team: { key: "ENG" }, labels: [{ id: "l0", name: "old" }, { id: "l1", name: "svc" }] },
    ...{ state: { type: "backlog" }, updatedAt: "2026-11-20T10:00:00Z" },
  },
};

verifies(
  "4.1:control-listener:code-host-webhooks",
  "GitHub's delivery is stored before it is answered",
  async () => {
    let heard = 0;
    await using place = await controlPlace({ onStored: () => heard++ });
    const sent = await place.github("issues", ISSUE, "delivery-1");
    assert.equal(sent.status, 202);
    assert.deepEqual(sent.body, { ok: true });
    assert.equal(heard, 1);
    const [wish] = await place.store.db.selectFrom("wishes").selectAll().execute();
    assert.equal(wish!.kind, "ticket");
    assert.equal(wish!.repo_id, place.repoId);
    assert.equal(wish!.event, "github.issues.labeled");
    const again = await place.github("issues", ISSUE, "delivery-1");
    assert.deepEqual([again.status, again.body], [200, { ok: true, duplicate: true }]);
    const twin = await place.github("issues", { ...ISSUE, action: "opened" }, "delivery-2");
    assert.deepEqual([twin.status, twin.body], [200, { ok: true, duplicate: true }]);
    // Pushes join one request: their ids alone tell what came before.
    assert.equal((await place.github("push", PUSHED, "delivery-3")).status, 202);
    assert.equal((await place.github("push", PUSHED, "delivery-3")).body.duplicate, true);
    const { items } = await place.store.db.selectFrom("wishes").selectAll()
      .where("kind", "=", "push").executeTakeFirstOrThrow();
    assert.equal(JSON.parse(items).length, 1);
  },
);

verifies(
  "4.1:control-listener:issue-tracker-webhooks",
  "Linear's delivery is stored before it is answered",
  async () => {
    await using place = await controlPlace();
    assert.equal((await place.linear(LINEAR_ISSUE, "delivery-1")).status, 202);
    assert.deepEqual((await place.linear(LINEAR_ISSUE, "delivery-1")).body.duplicate, true);
    const [wish, ...more] = await place.store.db.selectFrom("wishes").selectAll().execute();
    assert.equal(more.length, 0);
    assert.equal(wish!.kind, "ticket");
    const [{ fingerprint, priority }] = JSON.parse(wish!.items);
    assert.deepEqual([fingerprint, priority], ["linear:i1", "p1"]);
  },
);

verifies("6:ingress:tracker-body", "Linear's delivery may hold 5 MiB", async () => {
  await using place = await controlPlace();
  const long = { description: "x".repeat(5 * 1024 * 1024 - 2_000) };
  const data = { ...LINEAR_ISSUE.data, ...long };
  assert.equal((await place.linear({ ...LINEAR_ISSUE, data })).status, 202);
  const [wish] = await place.store.db.selectFrom("wishes").selectAll().execute();
  assert.ok(wish!.items.length < 20_000);
});

Deno.test("a delivery that is not signed as it must be is refused with one and the same answer", async () => {
  await using place = await controlPlace();
  const body = new TextEncoder().encode(JSON.stringify(ISSUE));
  const good = await hex(GITHUB_SECRET, body);
  const github = { "x-github-event": "issues", "x-github-delivery": "delivery-1" };
  const answers: Sent[] = [];
  for (
    const signature of [
      ...[undefined, "", good, "sha256=", `sha256=${good.slice(1)}`, `sha256=${good}0`],
      ...[
        `sha256=${good.toUpperCase()}`,
        `sha1=${good.slice(0, 40)}`,
        `sha256=${good},sha256=${good}`,
      ],
      `sha256=${await hex(LINEAR_SECRET, body)}`,
    ]
  ) {
    const signed = signature === undefined ? {} : { "x-hub-signature-256": signature };
    answers.push(await send(`${place.url}/webhooks/github`, { ...github, ...signed }, body));
  }
  // No JSON either: what is not signed is not read.
  const junk = new TextEncoder().encode("{");
  const headers = { ...github, "x-hub-signature-256": `sha256=${good}` };
  answers.push(await send(`${place.url}/webhooks/github`, headers, junk));
  const timed = async (webhookTimestamp: unknown) => {
    const body = new TextEncoder().encode(JSON.stringify({ ...LINEAR_ISSUE, webhookTimestamp }));
    const signature = await hex(LINEAR_SECRET, body);
    const headers = { "linear-signature": signature, "linear-delivery": "delivery-2" };
    return await send(`${place.url}/webhooks/linear`, headers, body);
  };
  const now = Date.now();
  for (
    const time of [
      undefined,
      0,
      null,
      String(now),
      Math.floor(now / 1000),
      now - 90_000,
      now + 90_000,
    ]
  ) answers.push(await timed(time));
  for (const { status, body } of answers) {
    assert.deepEqual([status, body], [401, { ok: false, error: "unauthorized" }]);
  }
  const stored = await place.store.db.selectFrom("deliveries").selectAll().execute();
  assert.deepEqual(stored, []);
  assert.equal((await timed(now)).status, 202);
  // Once a minute, not for each.
  assert.equal(place.logged.length, 1);
  assert.match(
    place.logged[0]!,
    /^warn a delivery was refused: its time is \d+ s behind this machine's/,
  );
});

Deno.test("a signed body that is no JSON object, or has no delivery id, is refused", async () => {
  await using place = await controlPlace();
  const post = async (text: string, headers: Record<string, string>) => {
    const body = new TextEncoder().encode(text);
    const signature = { "x-hub-signature-256": `sha256=${await hex(GITHUB_SECRET, body)}` };
    return (await send(`${place.url}/webhooks/github`, { ...signature, ...headers }, body)).status;
  };
  const named = { "x-github-event": "issues", "x-github-delivery": "delivery-1" };
  for (const text of ["", "{", "[]", "null", '"a"', "{} {}"]) {
    assert.equal(await post(text, named), 400, text);
  }
  assert.equal(await post("{}", { "x-github-event": "issues" }), 400);
  assert.equal(await post("{}", { "x-github-delivery": "delivery-1" }), 400);
  assert.equal(await post("{}", { ...named, "x-github-delivery": "a b" }), 400);
  assert.equal(await post("{}", { ...named, "x-github-event": "../issues" }), 400);
  assert.equal(await post("{}", named), 200);
});

Deno.test("a receiver without a secret answers 503 and does nothing", async () => {
  await using place = await controlPlace({ secrets: { linear: "" } });
  assert.equal((await place.github("issues", ISSUE)).status, 503);
  assert.equal((await place.linear(LINEAR_ISSUE)).status, 503);
  assert.deepEqual(await place.store.db.selectFrom("deliveries").selectAll().execute(), []);
});

Deno.test("what is not for svc is answered 200, counted, and told why", async () => {
  await using place = await controlPlace();
  const elsewhere = { ...ISSUE, repository: { full_name: "somebody/else" } };
  const own = { ...ISSUE, sender: { login: "SVC[bot]" } };
  const cases: [string, object, string][] = [
    ["issues", elsewhere, "unknown repo"],
    ["issues", { ...ISSUE, action: "pinned" }, "unknown action"],
    ["gollum", ISSUE, "unknown event"],
    ["issues", { ...ISSUE, label: { name: "other" } }, "no label of svc"],
    ["issues", own, "own doing"],
    ["push", { ...PUSHED, ref: "refs/heads/other" }, "not the registered branch"],
    ["issues", { ...ISSUE, issue: {} }, "incomplete payload"],
  ];
  for (const [event, payload, reason] of cases) {
    const { status, body } = await place.github(event, payload);
    assert.deepEqual([status, body], [200, { ok: true, ignored: true, reason }]);
  }
  const { body } = await place.linear({ ...LINEAR_ISSUE, data: { team: { key: "OPS" } } });
  assert.equal(body.ignored, true);
  const { recentDeliveries } = await import("svc/features/webhooks/delivery_store.ts");
  const stored = await recentDeliveries(place.store.db, 100);
  assert.equal(stored.filter(({ outcome }) => outcome === "ignored").length, 8);
  assert.deepEqual(await place.store.db.selectFrom("wishes").selectAll().execute(), []);
});

Deno.test("a ping is noted; a delivery that was of no use counts when its repo is registered by then", async () => {
  await using place = await controlPlace();
  const pong = await place.github("ping", { zen: "Keep it logically awesome." });
  assert.deepEqual([pong.status, pong.body], [200, { ok: true }]);
  const { db } = place.store;
  await db.updateTable("repos").set({ remote: null, host: null }).execute();
  assert.equal((await place.github("issues", ISSUE, "delivery-1")).body.ignored, true);
  await db.updateTable("repos").set({ remote: REMOTE.toUpperCase(), host: "github.com" }).execute();
  assert.equal((await place.github("issues", ISSUE, "delivery-1")).status, 202);
  assert.equal((await place.github("issues", ISSUE, "delivery-1")).body.duplicate, true);
});

Deno.test("a delivery counts for a repo of its own host alone", async () => {
  await using place = await controlPlace();
  const { db } = place.store;
  const at = (html_url?: string) => ({ ...ISSUE, repository: { full_name: REMOTE, html_url } });
  const ignored = async (payload: object) => (await place.github("issues", payload)).body.ignored;
  for (const host of ["github.example.com", "github.com.evil.example", "api.github.com"]) {
    assert.equal(await ignored(at(`https://${host}/${REMOTE}`)), true, host);
  }
  assert.equal(await ignored(at()), true);
  await db.updateTable("repos").set({ host: "github.example.com" }).execute();
  assert.equal(await ignored(at(`https://github.com/${REMOTE}`)), true);
  assert.equal(await ignored(at(`https://github.example.com/${REMOTE}`)), undefined);
  // Registered before hosts were kept: its origin must say so.
  await db.deleteFrom("wishes").execute();
  await db.updateTable("repos").set({ host: null }).execute();
  assert.equal(await ignored(at(`https://github.com/${REMOTE}`)), true);
  await place.repo.git("remote", "add", "origin", `git@github.com:${REMOTE}.git`);
  assert.equal(await ignored(at(`https://github.com/${REMOTE}`)), undefined);
});

Deno.test("a thousand copies of one delivery at once cause one thing", async () => {
  await using place = await controlPlace();
  const sent = await Promise.all(
    Array.from({ length: 1000 }, () => place.github("issues", ISSUE, "delivery-1")),
  );
  const count = Map.groupBy(sent, ({ status }) => status);
  assert.deepEqual([count.get(202)?.length, count.get(200)?.length], [1, 999]);
  assert.equal((await place.store.db.selectFrom("wishes").selectAll().execute()).length, 1);
  assert.equal((await place.store.db.selectFrom("deliveries").selectAll().execute()).length, 1);
});

Deno.test("a database that is locked makes no delivery wait, and none is lost or burnt", async () => {
  await using place = await controlPlace();
  using other = new DatabaseSync(place.store.path);
  other.exec("BEGIN IMMEDIATE");
  const refused = await place.github("issues", ISSUE, "delivery-1");
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get("retry-after"), "5");
  other.exec("ROLLBACK");
  const again = await place.github("issues", ISSUE, "delivery-1");
  // Taken now, or at the last moment before.
  assert.ok(again.status === 202 || again.body.duplicate === true);
  assert.equal((await place.store.db.selectFrom("wishes").selectAll().execute()).length, 1);
});

Deno.test("a delivery whose effect cannot be stored is not taken", async () => {
  await using place = await controlPlace();
  const fault = new DatabaseSync(place.store.path);
  fault.exec("CREATE TRIGGER broken BEFORE INSERT ON wishes BEGIN SELECT raise(ABORT, 'no'); END");
  assert.equal((await place.github("issues", ISSUE, "delivery-1")).status, 503);
  fault.exec("DROP TRIGGER broken");
  fault.close();
  assert.deepEqual(await place.store.db.selectFrom("deliveries").selectAll().execute(), []);
  assert.equal((await place.github("issues", ISSUE, "delivery-1")).status, 202);
  assert.match(place.logged.join(), /a delivery was not stored/);
});

async function* chunked(bytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const chunk = new Uint8Array(256 * 1024).fill(97);
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
}

/** A head that only the body tells from an honest one. */
const FORGED = `X-Hub-Signature-256: sha256=${"0".repeat(64)}\r\nX-GitHub-Event: push\r\n` +
  `X-GitHub-Delivery: 12345678\r\nLinear-Signature: ${"0".repeat(64)}\r\n` +
  `Linear-Delivery: 12345678\r\n`;

Deno.test("what the head tells is answered before a byte of the body is sent", async () => {
  await using place = await controlPlace();
  const lines = (source: string, headers: string) =>
    `POST /webhooks/${source} HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: 1000000\r\n${headers}\r\n`;
  const without = (name: string, value = "") =>
    FORGED.replace(new RegExp(`^${name}: .*\\r\\n`, "m"), value);
  const heads: readonly (readonly [source: string, headers: string, status: number])[] = [
    ["github", "", 401],
    ["github", without("X-Hub-Signature-256"), 401],
    ["github", without("X-Hub-Signature-256", "X-Hub-Signature-256: sha256=00\r\n"), 401],
    ["github", without("X-Hub-Signature-256", "X-Hub-Signature: sha1=00\r\n"), 401],
    ["github", without("X-GitHub-Event"), 400],
    ["github", without("X-GitHub-Delivery"), 400],
    ["github", without("X-GitHub-Delivery", "X-GitHub-Delivery: ../../x\r\n"), 400],
    ["linear", without("Linear-Signature"), 401],
    ["linear", without("Linear-Delivery"), 400],
    ["gitlab", FORGED, 404],
  ];
  for (const [source, headers, status] of heads) {
    const answer = await rawRequest(place.port, lines(source, headers));
    assert.equal(answer.status, status, `${source} ${headers}`);
    if (status !== 404) assert.match(answer.text, /^connection: close\r$/im);
  }
});

Deno.test("whoever sends slowly, forged or not, keeps out nobody who sends less", async () => {
  await using place = await controlPlace();
  const slow = 1024 * 1024;
  const head = `POST /webhooks/github HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${slow + 1}\r\n${FORGED}\r\n`;
  const bytes = new TextEncoder().encode(head + " ".repeat(slow));
  // One byte of each is missing, and never comes.
  const sockets = await Promise.all(
    Array.from({ length: HTTP_BODIES_BYTES / slow + 8 }, async () => {
      const socket = await Deno.connect({ hostname: "127.0.0.1", port: place.port });
      for (let at = 0; at < bytes.length;) at += await socket.write(bytes.subarray(at));
      return socket;
    }),
  );
  const sent = await Promise.all(
    Array.from({ length: 4 }, (_, n) => place.github("push", PUSHED, `delivery-${n}`)),
  );
  assert.deepEqual(sent.map(({ status }) => status < 300), [true, true, true, true]);
  for (const socket of sockets) socket.close();
});

Deno.test("a body over its bound is refused while it is still being sent", async () => {
  await using place = await controlPlace();
  const bounds = { github: GITHUB_DELIVERY_BYTES, linear: LINEAR_DELIVERY_BYTES };
  for (const [source, bytes] of Object.entries(bounds)) {
    const declared = `POST /webhooks/${source} HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${bytes + 1}\r\n${FORGED}\r\n`;
    const refused = await rawRequest(place.port, declared);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /too large/);
    // It never ends: the answer comes before the rest is read.
    const head = declared.replace(/Content-Length: \d+/, "Transfer-Encoding: chunked");
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: place.port });
    const answered = (async () => {
      const buffer = new Uint8Array(4096);
      const count = await connection.read(buffer);
      return new TextDecoder().decode(buffer.subarray(0, count ?? 0));
    })();
    const sending = (async () => {
      await connection.write(new TextEncoder().encode(head));
      for await (const chunk of chunked(bytes + 1024 * 1024)) {
        const framed = new TextEncoder().encode(`${chunk.length.toString(16)}\r\n`);
        for (const part of [framed, chunk, new Uint8Array([13, 10])]) {
          for (let at = 0; at < part.length;) at += await connection.write(part.subarray(at));
        }
      }
    })().catch(() => {}); // the other side hung up, as it should
    assert.match(await answered, /^HTTP\/1\.1 400 [^]*too large/, source);
    await sending;
  }
});

Deno.test("healthz tells how svc is, and neither paths nor secrets", async () => {
  const facts = {
    ...{ database: true, workers: 2, running: 1, paused: false },
    ...{ lastHeartbeatSecs: 3, uptimeSecs: 60, path: "/home/ada/.svc" },
  };
  await using place = await controlPlace({ facts: () => Promise.resolve(facts) });
  const response = await fetch(`${place.url}/healthz`);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), {
    ...{ ok: true, database: true, workers: 2, running: 1, paused: false },
    ...{ last_heartbeat_secs: 3, uptime_secs: 60 },
  });
});

Deno.test("healthz answers 503 when the database does not answer", async () => {
  const facts = { ...{ workers: 2, running: 0, paused: false }, lastHeartbeatSecs: undefined };
  const cases: ControlPlan["facts"][] = [
    () => Promise.resolve({ ...facts, database: false, uptimeSecs: 1 }),
    () => Promise.reject(new Error("/home/ada/.svc/svc.db is locked")),
  ];
  for (const facts of cases) {
    await using place = await controlPlace({ facts });
    const response = await fetch(`${place.url}/healthz`);
    assert.equal(response.status, 503);
    const { ok, database } = await response.json();
    assert.deepEqual([ok, database], [false, false]);
  }
});

Deno.test("controlListener binds literal loopback addresses and nothing else", () => {
  for (
    const addr of [
      ...["0.0.0.0:0", "localhost:0", "[::]:0", ":9090", "9090", "10.0.0.1:0", "127.0.0.1"],
      ...["127.0.0.1.nip.io:0", "2130706433:0", "[::ffff:127.0.0.1]:0", "example.org:0"],
    ]
  ) {
    // Nothing else of the plan is looked at.
    assert.throws(() => controlListener({ addr } as ControlPlan), { code: "usage" }, addr);
  }
});
