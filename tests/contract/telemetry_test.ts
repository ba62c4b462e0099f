/** `svc telemetry` status, preview, export and send, over real sockets and a real database. */
import assert from "node:assert/strict";
import { doorbell, ear, type TelemetryPlace, telemetryPlace } from "tests/kit/telemetry_place.ts";
import { verifies } from "tests/kit/verifies.ts";

const PATH = "/v1/anonymous-telemetry/reports";
const TOKEN = "a-token-of-24-characters";

const configured = (endpoint: string, more = "") =>
  `telemetry:\n  reporting: anonymous\n  endpoint: ${endpoint}\n${more}`;

const on = (endpoint: string) => ({
  SVC_TELEMETRY_REPORTING: "anonymous",
  SVC_TELEMETRY_ENDPOINT: endpoint,
});

async function state(place: TelemetryPlace, set = {}) {
  return (await place.say("status --json", set)).json();
}

verifies(
  ["4.5:telemetry-status:shows-state", "2.2:telemetry-config:keys"],
  "telemetry is off by default, and status says in one line what the config makes of it",
  async () => {
    await using place = await telemetryPlace();
    const { code, stdout } = await place.say("status");
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^Telemetry is off, as it is by default: nothing is sent from this machine\n/,
    );
    assert.match(stdout, /^reports waiting: +0$/m);
    await place.configure(
      configured("https://collect.example/base", `  token: ${TOKEN}\n  interval: 6h\n`),
    );
    const text = await place.say("status");
    assert.match(
      text.stdout,
      /^Telemetry is on: anonymous counts go to https:\/\/collect\.example\n/,
    );
    assert.ok(!text.stdout.includes(TOKEN));
    const found = await place.say("status --json");
    assert.ok(!found.stdout.includes(TOKEN));
    const { reporting, endpoint, token, interval } = found.json();
    assert.deepEqual(reporting, { value: "anonymous", from: "config" });
    assert.deepEqual(endpoint, { value: "https://collect.example/base", from: "config" });
    assert.deepEqual(token, { set: true, from: "config" });
    assert.deepEqual(interval, { value: "6h", from: "config" });
    await place.configure("telemetry: {reporting: sometimes}\n");
    const wrong = await place.say("status");
    assert.equal(wrong.code, 5);
    assert.match(wrong.stderr, /config\.yaml.*reporting/s);
  },
);

verifies(
  [
    "5:telemetry:environment-reporting",
    "5:telemetry:environment-endpoint",
    "5:telemetry:environment-token",
    "5:telemetry:environment-interval",
  ],
  "each variable overrides its key of the config, also for what is sent",
  async () => {
    await using place = await telemetryPlace();
    await using configuredEar = ear();
    await using other = ear();
    await place.work(2);
    await place.say("export --anonymous");
    await place.configure(configured(configuredEar.url, `  token: config\n  interval: 6h\n`));
    const off = await state(place, { SVC_TELEMETRY_REPORTING: "off" });
    assert.deepEqual([off.sends, off.reporting], [false, { value: "off", from: "environment" }]);
    const set = {
      SVC_TELEMETRY_ENDPOINT: other.url,
      SVC_TELEMETRY_TOKEN: TOKEN,
      SVC_TELEMETRY_INTERVAL: "2h",
    };
    const said = await state(place, set);
    assert.deepEqual(said.endpoint, { value: other.url, from: "environment" });
    assert.deepEqual(said.token, { set: true, from: "environment" });
    assert.deepEqual(said.interval, { value: "2h", from: "environment" });
    assert.equal(
      (await place.say("send --json", { ...set, SVC_TELEMETRY_REPORTING: "off" })).code,
      0,
    );
    assert.equal(other.heard.length, 0);
    assert.equal((await place.say("send --json", set)).json().sent, 1);
    assert.equal(configuredEar.heard.length, 0);
    assert.equal(other.heard[0]?.headers.get("authorization"), `Bearer ${TOKEN}`);
    await place.configure("telemetry: {reporting: off}\n");
    const turnedOn = await state(place, { ...on(other.url), SVC_TELEMETRY_INTERVAL: "often" });
    assert.deepEqual(
      [turnedOn.sends, turnedOn.reporting.value],
      [false, "anonymous"],
    );
    assert.match(turnedOn.summary, /off, since SVC_TELEMETRY_INTERVAL is no time such as 24h/);
    assert.ok((await state(place, on(other.url))).sends);
  },
);

verifies(
  [
    "4.5:telemetry-preview:exact-payload",
    "4.5:telemetry-export:enqueues-reports",
    "4.5:telemetry-export:anonymous",
    "4.5:telemetry-send:sends-pending",
    "4.5:telemetry-send:appends-path",
    "9:telemetry:v1-path",
  ],
  "what preview shows is what export queues and what arrives, to the byte and once",
  async () => {
    await using place = await telemetryPlace();
    await using collector = ear();
    await place.work(3);
    const next = (await place.say("preview --json")).json().reports;
    assert.equal(next.length, 1);
    assert.equal(next[0].state, "next");
    const text = await place.say("preview");
    assert.ok(text.stdout.split("\n").includes(next[0].body));
    const without = await place.say("export");
    assert.deepEqual([without.code, (await state(place)).pending], [2, 0]);
    assert.match(without.stderr, /try: svc telemetry export --anonymous/);
    const queued = (await place.say("export --anonymous --json")).json();
    assert.deepEqual([queued.outcome, queued.jobs, queued.pending], ["queued", 3, 1]);
    assert.equal(queued.report_id, next[0].report_id);
    const pending = (await place.say("preview --json")).json().reports;
    assert.deepEqual(pending, [{ ...next[0], state: "pending" }]);
    assert.equal((await place.say("export --anonymous --json")).json().outcome, "nothing");
    const { sent, pending: left } = (await place.say("send --json", on(`${collector.url}/team/`)))
      .json();
    assert.deepEqual([sent, left], [1, 0]);
    const [request] = collector.heard;
    assert.equal(request?.path, `/team${PATH}`);
    assert.equal(request?.body, next[0].body);
    assert.equal(request?.headers.get("idempotency-key"), next[0].report_id);
    assert.equal(request?.headers.get("authorization"), null);
    assert.equal(request?.headers.get("content-type"), "application/json");
    assert.equal((await place.say("send --json", on(collector.url))).json().sent, 0);
    assert.equal(collector.heard.length, 1);
    assert.ok((await state(place)).last_sent_at);
    const gone = (await place.say("preview --sent --json")).json().reports;
    assert.deepEqual(gone, [{ ...next[0], state: "sent" }]);
    assert.match((await place.say("preview --sent")).stdout, /^\d+ bytes, was sent:$/m);
    assert.ok(JSON.parse(next[0].body).jobs[0].count === 3);
  },
);

verifies(
  ["4.5:telemetry-send:needs-anonymous-reporting", "4.5:telemetry-send:needs-endpoint"],
  "send opens no connection unless reporting is anonymous and an endpoint is there",
  async () => {
    await using place = await telemetryPlace();
    await using door = doorbell();
    await place.work(2);
    await place.say("export --anonymous");
    const endpoint = { SVC_TELEMETRY_ENDPOINT: door.url };
    const anonymous = { SVC_TELEMETRY_REPORTING: "anonymous" };
    const silent = [
      {},
      endpoint,
      anonymous,
      { ...endpoint, SVC_TELEMETRY_REPORTING: "off" },
      { ...endpoint, SVC_TELEMETRY_REPORTING: "yes" },
      { ...endpoint, SVC_TELEMETRY_REPORTING: "ANONYMOUS" },
      { ...anonymous, SVC_TELEMETRY_ENDPOINT: `${door.url}/?key=1` },
      { ...anonymous, SVC_TELEMETRY_ENDPOINT: door.url.replace("//", "//ada:secret@") },
      { ...anonymous, SVC_TELEMETRY_ENDPOINT: door.url.replace("http", "ftp") },
      { ...anonymous, ...endpoint, SVC_TELEMETRY_TOKEN: "two words" },
      // Not encrypted, and not this machine.
      { ...anonymous, SVC_TELEMETRY_ENDPOINT: "http://collect.example" },
    ];
    for (const set of silent) {
      const said = await place.say("send --json", set);
      assert.equal(said.code, 0, said.stderr);
      const { sends, sent, pending, summary } = said.json();
      assert.deepEqual([sends, sent, pending], [false, 0, 1], JSON.stringify(set));
      assert.match(summary, /^Telemetry is off, .+: nothing is sent from this machine$/);
    }
    assert.equal(door.rings.count, 0);
    assert.equal((await place.say("send --json", { ...anonymous, ...endpoint })).code, 0);
    assert.ok(door.rings.count > 0, "the bell does not ring");
  },
);

verifies(
  "4.5:telemetry-send:failure-is-warning",
  "whatever the other side does is a warning with exit status 0, and the report waits",
  async () => {
    await using place = await telemetryPlace();
    await place.work(2);
    await place.say("export --anonymous");
    await using elsewhere = doorbell();
    const answers: [string, () => Response][] = [
      ["answered 500", () => new Response("<b>boom\x1b[2J</b>", { status: 500 })],
      [
        "answered 429",
        () => new Response(null, { status: 429, headers: { "retry-after": "7200" } }),
      ],
      ["refuses the token \\(401\\)", () => new Response(null, { status: 401 })],
      ["is no collector \\(404\\)", () => new Response(null, { status: 404 })],
      ["redirects elsewhere \\(307\\)", () => Response.redirect(elsewhere.url, 307)],
    ];
    for (const [said, answer] of answers) {
      await using collector = ear(answer);
      const { code, stdout, stderr } = await place.say("send", on(collector.url));
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`^Warning: .*${said}`, "m"));
      assert.ok(!stdout.includes("boom"));
      assert.equal(collector.heard.length, 1);
    }
    assert.equal(elsewhere.rings.count, 0);
    const { pending, failures, retry_at } = await state(place);
    assert.deepEqual([pending, failures], [1, 5]);
    assert.ok(Date.parse(retry_at) > Date.now());
    await using gone = doorbell();
    const broken = (await place.say("send --json", on(gone.url))).json();
    assert.deepEqual([broken.sent, broken.pending], [0, 1]);
    assert.match(broken.warnings[0], /cannot be reached$/);
    // A report that will never be taken does not stay for ever.
    await using strict = ear(() => new Response(null, { status: 400 }));
    const refused = (await place.say("send --json", on(strict.url))).json();
    assert.deepEqual([refused.refused, refused.pending, refused.sent], [1, 0, 0]);
    assert.equal((await state(place)).refused, 1);
  },
);

verifies(
  [
    "4.5:telemetry-status:repo-and-db",
    "4.5:telemetry-preview:repo-and-db",
    "4.5:telemetry-send:repo-and-db",
  ],
  "--repo and --db choose whose jobs are meant, and a folder without a repo has none",
  async () => {
    await using place = await telemetryPlace();
    await using other = await telemetryPlace();
    await using collector = ear();
    await place.work(2);
    await other.work(4);
    const count = async (line: string, from = other) => {
      const { reports } = (await from.say(`preview --json${line}`)).json();
      return reports[0] === undefined ? 0 : JSON.parse(reports[0].body).jobs[0].count;
    };
    assert.equal(await count(""), 4);
    assert.equal(await count(` --repo ${place.repo.path}`, place), 2);
    assert.equal(await count(` --db ${place.database}`), 2);
    const databaseOf = async (line: string) =>
      (await other.say(`status --json${line}`)).json().database;
    assert.equal(await databaseOf(""), other.database);
    assert.equal(await databaseOf(` --db ${place.database}`), place.database);
    assert.equal(await databaseOf(` --db ${place.home}/none.db`), null);
    assert.equal(await databaseOf(` --repo ${other.repo.path}`), other.database);
    const strange = await other.say("status --repo /");
    assert.equal(strange.code, 5);
    const mixed = await other.say(`preview --repo ${other.repo.path} --db ${place.database}`);
    assert.equal(mixed.code, 6);
    await place.say("export --anonymous");
    await other.say("export --anonymous");
    const one = await other.say(`send --json --db ${place.database}`, on(collector.url));
    assert.deepEqual([one.json().sent, one.json().database], [1, place.database]);
    const two = await other.say(`send --json --repo ${other.repo.path}`, on(collector.url));
    assert.deepEqual([two.json().sent, two.json().database], [1, other.database]);
    const counts = collector.heard.map(({ body }) => JSON.parse(body).jobs[0].count);
    assert.deepEqual(counts, [2, 4]);
  },
);
