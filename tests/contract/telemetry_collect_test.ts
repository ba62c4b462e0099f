/** `svc telemetry collect` as a program: Debian's nginx before it, curl and `svc serve` behind that, sqlite3 beside. */
import assert from "node:assert/strict";
import { denoDir } from "tests/kit/script.ts";
import { type Serving, serving } from "tests/kit/service_site.ts";
import { sampleReport, type TelemetryPlace, telemetryPlace } from "tests/kit/telemetry_place.ts";
import { freePort } from "tests/kit/free_port.ts";
import { proxied, ran } from "tests/kit/nginx.ts";
import { type TempFolder, tempFolder } from "tests/kit/temp_repo.ts";
import { verifies } from "tests/kit/verifies.ts";

const PATH = "/v1/anonymous-telemetry/reports";
const TOKEN = "a-token-of-24-characters";

async function place(): Promise<TempFolder & { env: Record<string, string> }> {
  const folder = await tempFolder();
  const env = {
    PATH: Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: folder.path,
    SVC_HOME: `${folder.path}/.svc`,
    DENO_DIR: denoDir(),
  };
  return { ...folder, env };
}

function collect(at: { path: string; env: Record<string, string> }, ...args: string[]): Serving {
  return serving({
    cwd: at.path,
    env: at.env,
    args: ["telemetry", "collect", "--json", ...args],
  });
}

async function post(url: string, body: string, ...args: string[]): Promise<number> {
  const said = await ran(
    ...["curl", "--silent", "--show-error", "--noproxy", "*"] as const,
    ...["-H", "Content-Type: application/json", "-o", "/dev/null", "-w", "%{http_code}"],
    ...["--data-binary", body, ...args, url + PATH],
  );
  return Number(said);
}

const idsIn = async (database: string) =>
  (await ran("sqlite3", database, "SELECT report_id FROM telemetry_intake ORDER BY id"))
    .trim().split("\n");

const idOf = (body: string) => JSON.parse(body).report_id;

verifies(
  [
    "4.5:telemetry-collect:collects-aggregates",
    "2.1:intake-database:default-of-collector",
    "4.5:telemetry-collect:db",
  ],
  "what curl sends is in the intake that sqlite3 reads, by default and with --db, also in the next run",
  async () => {
    await using at = await place();
    const named = `${at.path}/named/intake.db`;
    const usual = `${at.env.SVC_HOME}/db/foundation-telemetry/intake.db`;
    for (const [database, runs] of [[usual, 1], [named, 2]] as const) {
      const args = database === usual ? [] : ["--db", named];
      const sent = Array.from({ length: runs }, (_, nth) => sampleReport(nth));
      for (const [run, body] of sent.entries()) {
        await using collector = collect(at, "--addr", "127.0.0.1:0", ...args);
        const first = await collector.first;
        assert.deepEqual([first.event, first.database, first.token], ["started", database, false]);
        assert.equal(await post(first.url, body), 202);
        assert.equal(await post(first.url, sent[0]!), 200);
        // What stores nothing counts, whatever refuses it.
        assert.equal(await post(first.url, "{}"), 400);
        assert.equal(await post(first.url, body, "-H", "Content-Type: text/plain"), 415);
        assert.equal(await post(first.url, body, "-H", "Host: elsewhere.example"), 400);
        collector.signal("SIGTERM");
        const { code, json } = await collector.ended;
        assert.equal(code, 0);
        const { stored, refused, reports } = json();
        assert.deepEqual([stored, refused, reports], [1, 3, run + 1]);
      }
      assert.deepEqual(await idsIn(database), sent.map(idOf));
      assert.equal((await Deno.stat(database)).mode! & 0o777, 0o600);
    }
  },
);

verifies(
  "4.5:telemetry-collect:addr",
  "it listens where --addr says, else at the port of the config, else at 127.0.0.1:9092",
  async () => {
    await using at = await place();
    {
      await using collector = collect(at, "--addr", "[::1]:0");
      const { url } = await collector.first;
      assert.match(url, /^http:\/\/\[::1\]:\d+$/);
      assert.equal(await post(url, sampleReport(1), "--globoff"), 202);
    }
    // Held by this test or by somebody else: the name of the port is in the refusal.
    const held = await Promise.resolve().then(() =>
      Deno.listen({ hostname: "127.0.0.1", port: 9092 })
    ).catch(() => undefined);
    await using usual = collect(at);
    const { code, json } = await usual.ended;
    held?.close();
    assert.equal(code, 6);
    assert.match(json().error.message, /^Cannot listen on "127\.0\.0\.1:9092"/);
    const port = freePort();
    await at.write(".svc/config.yaml", `ports: {collector: ${port}}\n`);
    await using configured = collect(at);
    assert.equal((await configured.first).url, `http://127.0.0.1:${port}`);
  },
);

Deno.test("behind nginx with TLS a sender with the token is heard; svc serve sends through it, and goes on without it", async () => {
  await using at = await place();
  await using site = await telemetryPlace();
  await site.work(3);
  at.env.SVC_TELEMETRY_TOKEN = TOKEN;
  const collector = collect(at, "--addr", "127.0.0.1:0");
  const { url, token, database } = await collector.first;
  assert.equal(token, true);
  await using nginx = await proxied(url);
  const tls = (nth: number, ...args: string[]) =>
    post(nginx.tls.url, sampleReport(nth), ...nginx.tls.curl, ...args);
  assert.equal(await tls(1, "-H", `Authorization: Bearer ${TOKEN}`), 202);
  assert.equal(await tls(2, "-H", "Authorization: Bearer other"), 401);
  assert.equal(await tls(3), 401);
  const big = sampleReport(4, { extra: "x".repeat(70 * 1024) });
  await at.write("big", big);
  const bearer = ["-H", `Authorization: Bearer ${TOKEN}`];
  assert.equal(await post(nginx.tls.url, `@${at.path}/big`, ...nginx.tls.curl, ...bearer), 400);
  const reporting = {
    SVC_TELEMETRY_REPORTING: "anonymous",
    SVC_TELEMETRY_ENDPOINT: nginx.url,
    SVC_TELEMETRY_INTERVAL: "1h",
    SVC_TELEMETRY_TOKEN: TOKEN,
  };
  const serve = ({ home, database }: TelemetryPlace) =>
    serving({
      cwd: "/",
      env: { ...at.env, SVC_HOME: home, ...reporting },
      args: [
        ...["serve", "--json", "--plain", "--db", database],
        ...["--addr", "127.0.0.1:0", "--dashboard-addr", "127.0.0.1:0"],
      ],
    });
  const stop = async (running: Serving) => {
    running.signal("SIGTERM");
    const { code, stdout, stderr } = await running.ended;
    assert.equal(code, 0, stderr);
    assert.ok(!(stdout + stderr).includes(TOKEN));
  };
  {
    // With a fresh database the first look is due.
    await using living = serve(site);
    await living.said(/telemetry: reports sent 1, waiting 0$/);
    await stop(living);
  }
  const ids = await idsIn(database);
  assert.equal(ids.length, 2);
  const sent = await ran(
    "sqlite3",
    site.database,
    "SELECT report_id FROM telemetry_outbox WHERE state = 'sent'",
  );
  assert.equal(sent.trim(), ids[1]);
  // The collector is gone, and nginx answers 502: the work of the service goes on.
  collector.signal("SIGTERM");
  await collector.ended;
  await using late = await telemetryPlace();
  await late.work(2);
  {
    await using living = serve(late);
    await living.said(/telemetry: reports sent 0, waiting 1: the collector answered 502$/);
    await stop(living);
  }
  const { pending, failures } = (await late.say("status --json")).json();
  assert.deepEqual([pending, failures], [1, 1]);
});
