/** The parts of `svc start` and `svc serve` that need no living program. */
import assert from "node:assert/strict";
import { Failure } from "svc/core/failure.ts";
import { listenAt, ownAccounts, secretWarnings, takeSecrets } from "svc/cli/service_listen.ts";
import { DebugLines, lineOf } from "svc/cli/service_lines.ts";
import { hostsOf } from "svc/cli/service_hosts.ts";
import { leftOf, serviceExit, ServiceTally } from "svc/cli/service_report.ts";
import { OVERRIDES_PATH } from "svc/features/models/choose/override_shape.ts";
import { ROUTING_PATH } from "svc/features/models/choose/routing_file.ts";
import type { Job } from "svc/features/jobs/job_table.ts";
import type { Listener } from "svc/platform/net/listen.ts";
import { denoEntrance } from "svc/platform/entrance.ts";
import type { ServiceEvent, ServiceStatus } from "svc/runtime/service/plan.ts";

function envOf(vars: Record<string, string>) {
  const known = new Map(Object.entries(vars));
  return {
    get: (name: string) => known.get(name),
    all: () => Object.fromEntries(known),
    forget: (name: string) => void known.delete(name),
  };
}

const { load } = denoEntrance(new URL("../../../main.ts", import.meta.url).href);

Deno.test("takeSecrets reads each once, and the environment forgets it", () => {
  const env = envOf({ SVC_GITHUB_WEBHOOK_SECRET: "hush", SVC_LINEAR_WEBHOOK_SECRET: "" });
  const secrets = { github: "hush", linear: undefined, dashboard: undefined };
  assert.deepEqual(takeSecrets({ env }), secrets);
  assert.deepEqual(takeSecrets({ env }).github, undefined);
});

Deno.test("secretWarnings names a secret that does not count, and never shows it", async () => {
  const said = async (dashboard: string | undefined) =>
    await secretWarnings({ load }, { dashboard });
  assert.deepEqual(await said(undefined), []);
  assert.deepEqual(await said("0123456789abcdef0123456789abcdef"), []);
  for (const bad of ["0123456789abcdef0123456789abcde", "x".repeat(40)]) {
    const [text] = await said(bad);
    assert.match(text!, /^SVC_DASHBOARD_CONTROL_SECRET has \d\d bytes and needs 32/);
    assert.ok(!text!.includes(bad));
  }
});

Deno.test("ownAccounts are a list", () => {
  const env = envOf({ SVC_GITHUB_BOT: "svc-bot[bot], helper" });
  assert.deepEqual(ownAccounts({ env }), { github: ["svc-bot[bot]", "helper"], linear: [] });
});

Deno.test("listenAt goes round an occupied port for start on a default address alone", () => {
  const free: Listener = { address: { host: "127.0.0.1", port: 5 }, stop: () => Promise.resolve() };
  const asked: string[] = [];
  const listen = (addr: string) => {
    asked.push(addr);
    if (addr.endsWith(":0")) return free;
    throw new Failure("conflict", "Cannot listen: in use");
  };
  const usual = { flag: "--addr", usual: "127.0.0.1:9090", typed: undefined } as const;
  assert.equal(listenAt({ ...usual, shape: "start" }, listen), free);
  assert.deepEqual(asked, ["127.0.0.1:9090", "127.0.0.1:0"]);
  const refused = { code: "conflict", remedy: /--addr 127\.0\.0\.1:0/ };
  assert.throws(() => listenAt({ ...usual, shape: "serve" }, listen), refused);
  const typed = { ...usual, typed: "127.0.0.1:1", shape: "start" } as const;
  assert.throws(() => listenAt(typed, listen), refused);
});

Deno.test("hostsOf names what lies beyond this machine, once", () => {
  const endpoints = [
    ...["http://127.0.0.1:8080/v1", "http://[::1]:1/v1", "http://localhost/v1", "no url"],
    ...["https://models.example/v1", "https://models.example/v2", "http://models.example:8443/v1"],
  ];
  assert.deepEqual(hostsOf(endpoints), ["models.example:443", "models.example:8443"]);
});

Deno.test("service_hosts looks at the files that features/models reads", async () => {
  const path = new URL("../../../src/cli/service_hosts.ts", import.meta.url);
  const text = await Deno.readTextFile(path);
  for (const name of [OVERRIDES_PATH, ROUTING_PATH]) assert.ok(text.includes(`"${name}"`), name);
});

const job = { id: "0000-12345678", repo_id: "r1", role: "engineer", ticket_id: "T-0001" } as Job;
const nowhere = () => "";

Deno.test("lineOf says what happened, with the repo where there are several", () => {
  const claimed = { kind: "claimed", job } as const;
  assert.equal(lineOf(claimed, nowhere)?.text, "engineer T-0001 begins, job 12345678");
  assert.match(lineOf(claimed, () => "shop")!.text, /^shop: engineer/);
  const problem: ServiceEvent = { kind: "repo", repo: "/work/shop", problem: "it is gone" };
  assert.equal(lineOf(problem, nowhere)?.text, "shop cannot be worked on: it is gone");
  assert.equal(lineOf({ kind: "step", job, text: "looks" }, nowhere), undefined);
});

Deno.test("DebugLines shows whole lines of each job's model", () => {
  const lines = new DebugLines(nowhere);
  const text = (delta: string) => lines.of({ kind: "text", job, delta });
  assert.deepEqual(text("I look "), []);
  assert.deepEqual(text("first.\nThen"), ["engineer T-0001 > I look first."]);
  assert.deepEqual(lines.of({ kind: "step", job, text: "asks" }), ["engineer T-0001 | asks"]);
});

Deno.test("ServiceTally counts decisions by what they came to", () => {
  const tally = new ServiceTally();
  const ended = (concluded: unknown) =>
    tally.hear({ kind: "ended", job, report: { concluded } } as ServiceEvent);
  ended({ kind: "decided", decision: { disposition: "submitted" } });
  ended({ kind: "decided", decision: { disposition: "stuck" } });
  ended({ kind: "again", at: 0, reason: "busy" });
  tally.hear({ kind: "given_back", job, reason: "svc stops" });
  assert.deepEqual(tally.jobs, { done: 1, failed: 1, given_back: 2 });
  assert.deepEqual([serviceExit({ hurried: false }), serviceExit({ hurried: true })], [0, 130]);
});

Deno.test("leftOf names blocked tickets and repos that cannot be worked on", () => {
  const repo = { basename: "shop", problem: "it is gone", tickets: { blocked: 2 } };
  const status = { waits: [{ repo: "/shop", id: "1", why: "a person" }], repos: [repo] };
  const left = leftOf(status as unknown as ServiceStatus);
  assert.deepEqual(left.waits, ["a person", "shop: 2 blocked tickets for a person"]);
  assert.deepEqual(left.problems, ["shop: it is gone"]);
});
