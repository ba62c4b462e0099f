/** The collector over real HTTP, asked by Debian's curl and Node's own fetch (undici); Debian's sqlite3 counts. */
import assert from "node:assert/strict";
import { collectorListener, type CollectorPlan } from "svc/http/collector.ts";
import { Config } from "svc/features/settings/config_file.ts";
import { takeReport } from "svc/features/telemetry/intake_store.ts";
import { REPORT_PATH } from "svc/features/telemetry/report_terms.ts";
import { addressText } from "svc/core/loopback.ts";
import { systemClock } from "svc/platform/clock.ts";
import { retainReports } from "svc/runtime/retention/reports.ts";
import { ran } from "tests/kit/nginx.ts";
import { sampleReport } from "tests/kit/telemetry_place.ts";
import { type TempStore, tempStore } from "tests/unit/store/temp_store.ts";

interface Place extends AsyncDisposable {
  readonly url: string;
  readonly logged: string[];
  readonly store: TempStore;
  /** Status and body of one POST by curl. */
  curl(body: string, ...args: string[]): Promise<readonly [number, string]>;
  count(): Promise<number>;
}

async function collecting(plan: Partial<CollectorPlan> & { most?: number } = {}): Promise<Place> {
  const store = await tempStore();
  const logged: string[] = [];
  const listener = collectorListener({
    addr: "127.0.0.1:0",
    token: undefined,
    clock: systemClock,
    log: { write: (_, text) => void logged.push(text) },
    refused: () => {},
    take: (report) =>
      takeReport(store.db, report, { now: Date.now(), ...(plan.most && { most: plan.most }) }),
    ...plan,
  });
  const url = `http://${addressText(listener.address)}${REPORT_PATH}`;
  return {
    url,
    logged,
    store,
    async curl(body, ...args) {
      await Deno.writeTextFile(`${store.folder}/body`, body);
      const said = await ran(
        ...["curl", "--silent", "--noproxy", "*", "--write-out", "\\n%{http_code}"] as const,
        ...["-H", "Content-Type: application/json", "--data-binary", `@${store.folder}/body`],
        ...[...args, url],
      );
      const cut = said.lastIndexOf("\n");
      return [Number(said.slice(cut)), said.slice(0, cut).trim()];
    },
    count: async () =>
      Number(await ran("sqlite3", store.path, "SELECT count(*) FROM telemetry_intake")),
    async [Symbol.asyncDispose]() {
      await listener.stop(0);
      await store[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a report is stored once: 202, then 200; another with its id is 409", async () => {
  await using place = await collecting();
  const body = sampleReport(1);
  assert.deepEqual(await place.curl(body), [202, '{"ok":true}']);
  assert.deepEqual(await place.curl(body), [200, '{"ok":true,"duplicate":true}']);
  const [conflict] = await place.curl(body.replace('"count":1', '"count":2'));
  assert.equal(conflict, 409);
  assert.equal(await place.count(), 1);
  const stored = await ran("sqlite3", place.store.path, "SELECT body FROM telemetry_intake");
  assert.equal(stored.trim(), body);
});

Deno.test("forty at once from Node's fetch, each report four times, are ten", async () => {
  await using place = await collecting();
  const bodies = Array.from({ length: 10 }, (_, nth) => sampleReport(nth));
  const script = `
    const bodies = ${JSON.stringify(bodies)};
    const all = [...bodies, ...bodies, ...bodies, ...bodies];
    const post = (body) => fetch(${JSON.stringify(place.url)}, {
      method: "POST", body,
      headers: { "content-type": "application/json", "idempotency-key": JSON.parse(body).report_id },
    }).then(({ status }) => status);
    Promise.all(all.map(post)).then((statuses) => console.log(JSON.stringify(statuses)));`;
  const statuses: number[] = JSON.parse(await ran("node", "-e", script));
  assert.equal(statuses.filter((status) => status === 202).length, 10);
  assert.equal(statuses.filter((status) => status === 200).length, 30);
  assert.equal(await place.count(), 10);
});

Deno.test("with a token only its bearer is heard, and the refusal comes before the body is read", async () => {
  await using place = await collecting({ token: "s3cret-token" });
  const body = sampleReport(1);
  const as = (value: string) => ["-H", `Authorization: ${value}`];
  for (const value of ["Bearer s3cret-toke", "Bearer s3cret-token2", "s3cret-token", "Basic x"]) {
    const [status, said] = await place.curl(body, ...as(value));
    assert.deepEqual([status, said], [401, '{"ok":false,"error":"unauthorized"}']);
  }
  const [none] = await place.curl(body);
  assert.equal(none, 401);
  const headers = await ran(
    ...["curl", "--silent", "--noproxy", "*", "-o", "/dev/null", "-D", "-", "-d", "{"] as const,
    ...["-H", "Content-Type: application/json", place.url],
  );
  assert.match(headers, /^www-authenticate: Bearer\r$/im);
  const [right] = await place.curl(body, ...as("bearer s3cret-token"));
  assert.equal(right, 202);
  assert.equal(await place.count(), 1);
});

Deno.test("who guesses tokens is slowed down, and keeps out nobody who has it", async () => {
  await using place = await collecting({ token: "s3cret-token" });
  const send = (token: string) =>
    fetch(place.url, {
      method: "POST",
      body: sampleReport(1),
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    }).then(async (response) => {
      await response.body?.cancel();
      return response.status;
    });
  const guesses = await Promise.all(Array.from({ length: 80 }, (_, nth) => send(`guess-${nth}`)));
  assert.ok(guesses.filter((status) => status === 429).length >= 10, guesses.join());
  assert.ok(!guesses.includes(202));
  assert.equal(await send("s3cret-token"), 202);
});

Deno.test("size, schema, duplicate names, other keys and other places are refused, and nothing is stored", async () => {
  await using place = await collecting();
  const body = sampleReport(1);
  const refusals: [number, string, ...string[]][] = [
    [400, " ".repeat(65 * 1024) + body],
    [400, ""],
    [400, "{}"],
    [400, "[]"],
    [400, body.slice(0, -1)],
    [400, body.replace('"schema_version":1', '"schema_version":2')],
    [400, body.replace('"engineer"', '"/home/ada/secret"')],
    [400, body.replace('"os":', '"host":"ada-laptop","os":')],
    [400, body.replace('"os":"linux"', '"os":"linux","os":"linux"')],
    [400, body.replace('"count":1', '"count":-1')],
    [400, body.replace('"count":1', '"count":1e99')],
    [400, `\ufeff${body}`],
    [400, body, "-H", "Idempotency-Key: another"],
    [400, body, "-H", "Host: collect.example"],
    [403, body, "-H", "Origin: https://evil.example"],
    [415, body, "-H", "Content-Type: text/plain"],
    [415, body, "-H", "Content-Encoding: gzip"],
  ];
  for (const [wanted, sent, ...args] of refusals) {
    const [status, said] = await place.curl(sent, ...args);
    assert.equal(status, wanted, `${sent.slice(0, 80)} ${args}: ${said}`);
    assert.ok(!/ada|evil/.test(said), said);
  }
  for (const [method, status] of [["GET", "405"], ["PUT", "405"]] as const) {
    const said = await ran(
      ...["curl", "--silent", "--noproxy", "*", "-o", "/dev/null", "-w", "%{http_code}"] as const,
      ...["-X", method, place.url],
    );
    assert.equal(said, status);
  }
  assert.equal(await place.count(), 0);
  assert.equal((await place.curl(body))[0], 202);
});

Deno.test("a sender without measure is told when to come back", async () => {
  // No time passes, so that nothing is let through again while they are answered.
  await using place = await collecting({ clock: { ...systemClock, monotonic: () => 0 } });
  const answers = await Promise.all(
    Array.from({ length: 260 }, (_, nth) =>
      fetch(place.url, {
        method: "POST",
        body: sampleReport(nth),
        headers: { "content-type": "application/json" },
      }).then(async (response) => {
        await response.body?.cancel();
        return [response.status, response.headers.get("retry-after")] as const;
      })),
  );
  const late = answers.filter(([status]) => status === 429);
  assert.equal(late.length, 60);
  assert.ok(late.every(([, after]) => Number(after) >= 1));
  assert.equal(await place.count(), answers.filter(([status]) => status === 202).length);
});

Deno.test("a full collector, and one that cannot store, take nothing and say so", async () => {
  await using full = await collecting({ most: 2 });
  const statuses: number[] = [];
  for (const nth of [1, 2, 3]) statuses.push((await full.curl(sampleReport(nth)))[0]);
  assert.deepEqual(statuses, [202, 202, 507]);
  assert.equal((await full.curl(sampleReport(1)))[0], 200);
  await using broken = await collecting({ take: () => Promise.reject(new Error("disk gone")) });
  const [status, said] = await broken.curl(sampleReport(1));
  assert.deepEqual([status, said], [503, '{"ok":false,"error":"not stored; send it again"}']);
  assert.deepEqual(broken.logged, ["a report was not stored"]);
});

Deno.test("old reports go while a collector runs, and make room where it was full", async () => {
  await using place = await collecting({ most: 3 });
  const { db } = place.store;
  const now = Date.now();
  for (const [nth, days] of [[1, 401], [2, 402], [3, 399]] as const) {
    assert.equal((await place.curl(sampleReport(nth)))[0], 202);
    await db.updateTable("telemetry_intake").set({ received_at: now - days * 86_400_000 })
      .where("id", "=", nth).execute();
  }
  assert.equal((await place.curl(sampleReport(4)))[0], 507);
  // The first look believes no time yet; at the third the clock is wrong.
  const hours = [0, 21, 24 * 365, 22];
  const over = new AbortController();
  const left: number[] = [];
  const clock = {
    now: () => now + hours[0]! * 3_600_000,
    async sleep() {
      left.push(await place.count());
      hours.shift();
      if (hours.length === 0) over.abort();
    },
  };
  const log = { write: () => {} };
  await retainReports({ db, clock, log }, Config.parse({}), over.signal);
  assert.deepEqual(left, [3, 1, 1, 1]);
  assert.equal((await place.curl(sampleReport(4)))[0], 202);
});
